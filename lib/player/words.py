"""The player's own words for translation: the keys and the English of `words.js`, through gettext.

Figures and the verdict are not here: they arrive in the messages, already translated.
"""

from __future__ import annotations

from lib.domain.failures import FAILURES
from lib.i18n import _


def words() -> dict[str, str]:
    """Every text of the player in the language of this context, for `data["words"]` of the component."""
    return {
        **_units(),
        **_origins(),
        **_phases(),
        **_figures(),
        **_actions(),
        **_reader(),
        **_cursor(),
        **_headline(),
        **_track(),
        **_how(),
        **_rest(),
        **_replay(),
        **_failures(),
    }


def _units() -> dict[str, str]:
    return {
        "tok_s": _("tok/s"),
        "words_s": _("words/s"),
        "chars_s": _("characters/s"),
        "words_min": _("words/min"),
        "chars_min": _("characters/min"),
        "ms": _("ms"),
        "s": _("s"),
        "min": _("min"),
        "h": _("h"),
        "tokens": _("tokens"),
        "tokens_one": _("token"),
        "words": _("words"),
        "words_one": _("word"),
        "chars": _("characters"),
        "chars_one": _("character"),
    }


def _origins() -> dict[str, str]:
    return {
        "live": _("live"),
        "simulated": _("simulated"),
        "recorded": _("recorded"),
        "live_help": _("A real server is producing these tokens now."),
        "simulated_help": _(
            "A simulator produces these tokens at the speed of its profile; no model is running."
        ),
        "recorded_help": _("A recorded answer, played back byte for byte with its own timing."),
    }


def _phases() -> dict[str, str]:
    return {
        "ready": _("Ready"),
        "connecting": _("Connecting"),
        "connecting_short": _("connecting"),
        "waiting_short": _("waiting"),
        "waiting": _("Waiting for the first token"),
        "thinking": _("Thinking"),
        "answering": _("Answering"),
        "done": _("Done"),
        "stopped": _("Stopped"),
        "incomplete": _("Ended early"),
        "failed": _("Failed"),
        "interrupted": _("Interrupted"),
        "attempt": _("attempt {n}"),
        "trying_again": _("Trying again in {time}"),
        "silent": _("No text for {time}"),
        "acting": _("Waiting for a tool or a person"),
        "acting_of": _("{name}, {time} of {total}"),
    }


def _figures() -> dict[str, str]:
    return {
        "ttft": _("TTFT"),
        "ttft_help": _(
            "Time to first token: from the request sent to the first text of any kind, thinking included."
        ),
        "ttfat": _("first answer"),
        "ttfat_help": _("Time to the first answer token: what a reader feels."),
        "tokens_help": _(
            "Output tokens. With ~: estimated from the text so far; exact when the stream ends."
        ),
        "elapsed": _("elapsed"),
        "elapsed_help": _("Time since the request was sent."),
        "cost": _("cost"),
        "cost_help": _("Price of this answer by the published prices."),
        "hero_help": _("Tokens of the last second while it streams (~), the exact decode rate when it ends."),
        "bar_help": _(
            "Time spent connecting, waiting, thinking and answering. All lanes share one scale: {span}."
        ),
    }


def _actions() -> dict[str, str]:
    return {
        "stop": _("Stop"),
        "retry": _("Retry"),
        "focus": _("Focus"),
        "back": _("Back"),
        "stop_help": _("Stop {name}"),
        "retry_help": _("Run {name} again"),
        "focus_help": _("Show {name} large (Esc returns)"),
        "back_help": _("Show all lanes again"),
        "thinking_shown": _("Thinking, ~{count}"),
        "to_tail": _("Follow the text"),
        "tool": _("tool call"),
    }


def _reader() -> dict[str, str]:
    return {
        "reader": _("A person reading"),
        "reader_source": _("reads {name}"),
        "reader_idle": _("reads whichever lane answers first"),
        "reader_hero": _("tok/s of this text"),
        "reader_hero_help": _(
            "What this reading speed is in tokens: tokens per {unit} of this text times {speed}."
        ),
        "read": _("read"),
        "left": _("left"),
        "done_at": _("done at"),
        "reader_done": _("Done reading"),
        "reader_reading": _("Reading"),
        "reader_waits": _("Waiting for text"),
        "reader_ready": _("Waiting for the first word"),
        "band": _("most adults {lo}–{hi}"),
        "band_short": _("most {lo}–{hi}"),
        "ghost_track": _(
            "Every lane climbs here against time, and a person reading crawls along below them."
        ),
    }


def _cursor() -> dict[str, str]:
    return {
        "ahead": _("{count}, {time} ahead"),
        "ahead_none": _("the person keeps up"),
        "ahead_ready": _("where a person would be"),
        "ahead_done": _("read to the end"),
        "ahead_help": _(
            "A person who began at the first answer word is here now; the text is this far ahead."
        ),
        "stream_done": _("stream"),
        "person_done": _("person"),
        "stream_done_help": _("When the stream was complete, from the request sent."),
        "person_done_help": _(
            "When a person who began at the first answer word has read it all, from the request sent."
        ),
        "ghost_text": _(
            "The answer appears here as it arrives, and an amber line marks how far a person would have read."
        ),
        "ghost_reader": _("The words appear here at reading speed."),
    }


def _headline() -> dict[str, str]:
    return {
        "headline_ready": _("One prompt, {lanes} streams, one person reading."),
        "headline_done": _("{done} of {lanes} finished"),
        "headline_done_other": _("{done} of {lanes} finished, {other} did not"),
        "headline_person": _("the person has read {count}"),
        "headline_person_none": _("the person is waiting for the first word"),
    }


def _track() -> dict[str, str]:
    return {
        "track": _("{unit} since the request"),
        "linear": _("linear"),
        "log": _("log"),
        "race_span": _("the race"),
        "reading_span": _("the whole reading"),
        "axis_help": _("Which span of time the track shows"),
        "person_line": _("a person reading"),
        "person_line_to": _("a person reading, done at {time}"),
        "unit_help": _("What the track counts"),
        "scale_help": _("Vertical scale"),
        "health": _("{fps} frames/s, display lag {lag} ms (95 %)"),
        "health_lost": _("Connection lost, trying again"),
    }


def _how() -> dict[str, str]:
    return {
        "how_tokens": _("Token source"),
        "how_live": _("estimated on this page while it streams, exact when the stream has ended"),
        "how_lag": _("Display lag (95 %)"),
        "how_lag_here": _("{lag} ms, measured on this screen; in no other figure"),
        "how_lag_replay": _("none, as a replay is drawn from the recording"),
        "how_lag_none": _("none, no text was painted live on this screen"),
        "track_help": _(
            "What every lane had delivered, and what a person had read, against the time since its own request."
        ),
    }


def _rest() -> dict[str, str]:
    return {
        "no_text": _("No text came."),
        "place_help": _("Order in which the complete answers finished"),
        "place_1": _("1st"),
        "place_2": _("2nd"),
        "place_3": _("3rd"),
        "place_n": _("{n}th"),
    }


def _replay() -> dict[str, str]:
    return {
        "replay": _("Replay"),
        "replay_help": _("Play this race again, at any speed"),
        "replay_mark": _("Replay"),
        "replay_leave": _("Back to live"),
        "replay_leave_help": _("Leave the replay"),
        "replay_speed": _("Speed of the replay"),
        "play": _("Play"),
        "pause": _("Pause"),
        "step_back": _("‹ step"),
        "step_back_help": _("To the event before (left arrow)"),
        "step_on": _("step ›"),
        "step_on_help": _("To the next event (right arrow)"),
        "to_first": _("first token"),
        "to_first_help": _("To the first token of any lane (F)"),
        "scrub": _("Moment of the race"),
        "moment_sent": _("request sent"),
        "moment_first": _("first token"),
        "moment_answer": _("first answer token"),
        "moment_error": _("failed"),
        "moment_end": _("ended"),
        "merged": _("Lanes of different races on one start line: this race never took place."),
    }


def _failures() -> dict[str, str]:
    """What a failed lane says, by its English: the collector, which tells it first, knows no visitor's language."""
    texts = [text for one in FAILURES.values() for text in (one.title, one.sentence, one.advice)]
    return {text: _(text) for text in texts if _(text) != text}
