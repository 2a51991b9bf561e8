// What a lane says of itself at a moment, as words: pure functions of its generation, its phase and its
// figures.

import { ABSENT, clock, count, duration, quantity, significant } from "./format.js";
import { say } from "./words.js";

const ENDED = {
  complete: "done",
  incomplete: "incomplete",
  error: "failed",
  stopped: "stopped",
  interrupted: "interrupted",
};

/** The name of a phase as `data-phase` and the words of words.js use it. */
export function phaseName(phase) {
  return ENDED[phase.name] ?? phase.name;
}

/** The large number: {text, unit, reason?, note?}; while nothing has come, a clock of what is waited for. */
export function heroOf(generation, t, phase, figures) {
  if (figures) return figures.hero;
  if (phase.name === "connecting" || phase.name === "waiting")
    return { text: clock(t - phase.since), unit: say(`${phase.name}_short`), waiting: true };
  if (phase.name === "acting") return { text: clock(t - phase.since), unit: phase.label, waiting: true };
  const rate = generation.rateAt(generation.ended(t) ? generation.end.t : t);
  if (rate === null) return { text: ABSENT, unit: say("tok_s") };
  const text = rate >= 10 ? count(rate) : significant(rate);
  return { text: `~${text}`, unit: say("tok_s") };
}

/** The small figures while a lane is running. */
export function liveFigures(generation, t) {
  const sent = generation.sentAt(t);
  const tokens = generation.tokensAt(t);
  const came = generation.first !== null && generation.first <= t && sent !== null;
  const until = generation.ended(t) ? generation.end.t : t;
  const ttft = generation.isTask ? generation.ttftAt(t) : came ? generation.first - sent : null;
  return {
    ttft: ttft === null ? ABSENT : `~${duration(ttft)}`,
    tokens: tokens ? `~${count(tokens)}` : ABSENT,
    elapsed: sent === null ? ABSENT : clock(Math.max(0, until - sent)),
    cost: ABSENT,
  };
}

/** Why a figure is absent, or what to know about it; null for nothing. */
export function noteOf(key, figure, figures) {
  if (figure?.reason) return figure.text ? `${figure.text}: ${figure.reason}` : figure.reason;
  if (key === "tokens" && figure?.source) return figure.source;
  if (key === "ttft" && figures?.ttfat?.text)
    return `${say("ttfat")}: ${figures.ttfat.text}. ${say("ttfat_help")}`;
  return figures ? (figure?.text ?? null) : null;
}

/** The phase in words with its running clock, and what to show on hover: {text, title}. */
export function phaseWords(generation, t, phase) {
  const name = phaseName(phase);
  let text = say(name === "retrying" ? "trying_again" : name, {
    time: clock(Math.max(0, (phase.until ?? 0) - t)),
  });
  if (name === "acting") text = actWords(t, phase);
  if (name === "silent") text = say("silent", { time: clock(t - phase.since) });
  else if (name in { connecting: 1, waiting: 1, thinking: 1, answering: 1 })
    text += ` ${clock(Math.max(0, t - phase.since))}`;
  if (phase.step) text = `${phase.step}/${phase.steps} · ${text}`;
  if (phase.attempt > 1 && !phase.ended) text += `, ${say("attempt", { n: phase.attempt })}`;
  const warnings = generation.figures?.warnings ?? [];
  const shown = phase.ended && warnings.length ? warnings.map(([, sentence]) => sentence) : [];
  return {
    text: shown.length ? `${text} · ${shown[0]}` : text,
    title: shown.length ? shown.join("\n") : (phase.reason ?? null),
  };
}

/** What the task waits for, how long by now, and how long in all where that is set. */
function actWords(t, { label, since, total_ms }) {
  const time = clock(Math.max(0, t - since));
  return total_ms ? say("acting_of", { name: label, time, total: clock(total_ms) }) : `${label} ${time}`;
}

/** Estimated tokens of thinking by `t`. */
export function thinkingTokens(generation, t) {
  const n = generation.countAt(t);
  return n ? generation.tokens[n - 1] - generation.answerTokens[n - 1] : 0;
}

/** How far the text is ahead of a person. */
export function aheadWords(at, over) {
  if (!at) return over ? "" : say("ahead_ready");
  if (at.finished) return say("ahead_done");
  if (at.ahead <= 1) return say("ahead_none");
  return say("ahead", {
    count: quantity(at.ahead, at.unit === "char" ? "chars" : "words"),
    time: clock(at.ahead_ms),
  });
}
