// Every text the player itself shows, in English; `setWords` replaces them by translations (lib/player/words.py
// names the same keys for gettext). Figures, failures and the verdict arrive translated from the server.

export const ENGLISH = {
  tok_s: "tok/s", words_s: "words/s", chars_s: "characters/s", words_min: "words/min", chars_min: "characters/min",
  ms: "ms", s: "s", min: "min", h: "h",
  tokens: "tokens", tokens_one: "token", words: "words", words_one: "word", chars: "characters", chars_one: "character",
  live: "live", simulated: "simulated", recorded: "recorded",
  live_help: "A real server is producing these tokens now.",
  simulated_help: "A simulator produces these tokens at the speed of its profile; no model is running.",
  recorded_help: "A recorded answer, played back byte for byte with its own timing.",
  ready: "Ready", connecting: "Connecting", connecting_short: "connecting", waiting_short: "waiting", waiting: "Waiting for the first token", thinking: "Thinking",
  answering: "Answering", done: "Done", stopped: "Stopped", incomplete: "Ended early", failed: "Failed",
  interrupted: "Interrupted", attempt: "attempt {n}", trying_again: "Trying again in {time}", silent: "No text for {time}",
  ttft: "TTFT", ttft_help: "Time to first token: from the request sent to the first text of any kind, thinking included.",
  ttfat: "first answer", ttfat_help: "Time to the first answer token: what a reader feels.",
  tokens_help: "Output tokens. With ~: estimated from the text so far; exact when the stream ends.",
  elapsed: "elapsed", elapsed_help: "Time since the request was sent.",
  cost: "cost", cost_help: "Price of this answer by the published prices.",
  hero_help: "Tokens of the last second while it streams (~), the exact decode rate when it ends.",
  bar_help: "Time spent connecting, waiting, thinking and answering. All lanes share one scale: {span}.",
  stop: "Stop", retry: "Retry", focus: "Focus", back: "Back",
  stop_help: "Stop {name}", retry_help: "Run {name} again", focus_help: "Show {name} large (Esc returns)",
  back_help: "Show all lanes again",
  thinking_shown: "Thinking, ~{count}", to_tail: "Follow the text", tool: "tool call",
  reader: "A person reading", reader_source: "reads {name}", reader_idle: "reads whichever lane answers first",
  reader_hero: "tok/s of this text", reader_hero_help: "What this reading speed is in tokens: tokens per {unit} of this text times {speed}.",
  read: "read", left: "left", done_at: "done at", reader_done: "Done reading", reader_reading: "Reading",
  reader_waits: "Waiting for text", reader_ready: "Waiting for the first word",
  band: "most adults {lo}–{hi}", band_short: "most {lo}–{hi}",
  ghost_track: "Every lane climbs here against time, and a person reading crawls along below them.",
  ahead: "{count}, {time} ahead", ahead_none: "the person keeps up", ahead_ready: "where a person would be",
  ahead_done: "read to the end",
  ahead_help: "A person who began at the first answer word is here now; the text is this far ahead.",
  stream_done: "stream", person_done: "person",
  stream_done_help: "When the stream was complete, from the request sent.",
  person_done_help: "When a person who began at the first answer word has read it all, from the request sent.",
  ghost_text: "The answer appears here as it arrives, and an amber line marks how far a person would have read.",
  ghost_reader: "The words appear here at reading speed.",
  headline_ready: "One prompt, {lanes} streams, one person reading.",
  headline_done: "{done} of {lanes} finished", headline_done_other: "{done} of {lanes} finished, {other} did not", headline_person: "the person has read {count}",
  headline_person_none: "the person is waiting for the first word",
  track: "{unit} since the request", linear: "linear", log: "log", race_span: "the race", reading_span: "the whole reading",
  axis_help: "Which span of time the track shows",
  person_line: "a person reading", person_line_to: "a person reading, done at {time}", unit_help: "What the track counts", scale_help: "Vertical scale",
  health: "{fps} frames/s, display lag {lag} ms (95 %)", health_lost: "Connection lost, trying again",
  no_text: "No text came.",
  place_help: "Order in which the complete answers finished",
  place_1: "1st", place_2: "2nd", place_3: "3rd", place_n: "{n}th",
};

let current = ENGLISH;

/** Use these translations; a key that is missing stays English. */
export function setWords(words) {
  current = { ...ENGLISH, ...words };
}

/** The text of a key with its {names} filled in. */
export function say(key, values = {}) {
  return current[key].replace(/\{(\w+)\}/g, (all, name) => values[name] ?? all);
}

/** A finishing place as words: 1st, 2nd, 3rd, 4th. */
export function place(n) {
  return n <= 3 ? say(`place_${n}`) : say("place_n", { n });
}
