// The foot of a lane: how far a person would be, the words being read, and when stream and person were done. Draws;
// what is said is decided in lane_words.js.

import { make, setAttribute, setText } from "./elements.js";
import { ABSENT, clock } from "./format.js";
import { Cursor, ReadingLines } from "./cursor.js";
import { aheadWords } from "./lane_words.js";
import { say } from "./words.js";

const PX_PER_CHAR = 6.3;
const FIRST_LINE_CHARS = 34;
const LEAST_LINE_CHARS = 16;
const FOOT_EDGES_PX = 32;

export class LaneFoot {
  /** `text`: the LaneText in which the reader's word is marked; `how(key)`: attributes of a figure. */
  constructor(document, text, how) {
    this.document = document;
    this.text = text;
    this.cursor = new Cursor(document.defaultView);
    this.lines = new ReadingLines(FIRST_LINE_CHARS);
    this.root = this.#build(how);
  }

  #build(how) {
    this.gauge = make(this.document, "i");
    this.before = make(this.document, "span", "tr-was");
    this.word = make(this.document, "span", "tr-word");
    this.after = make(this.document, "span");
    this.ahead = make(this.document, "div", "tr-ahead", how("ahead"));
    this.streamDone = make(this.document, "b", "", {});
    this.personDone = make(this.document, "b", "tr-amber", {});
    const mark = (key, value) =>
      make(this.document, "span", "tr-mark", how(key), `${say(key)} `, value);
    return make(
      this.document,
      "footer",
      "tr-foot",
      {},
      make(this.document, "div", "tr-gauge", { "aria-hidden": "true" }, this.gauge),
      make(this.document, "div", "tr-line", { dir: "auto" }, this.before, this.word, this.after),
      this.ahead,
      make(
        this.document,
        "div",
        "tr-marks",
        {},
        mark("stream_done", this.streamDone),
        mark("person_done", this.personDone),
      ),
    );
  }

  /** Begin again: nothing has been read. */
  reset() {
    this.shownWord = null;
    this.cursor.put(null);
    this.lines = new ReadingLines(this.lines.width);
  }

  /** What it shows before the first race. */
  idle() {
    setText(this.ahead, say("ahead_ready"));
    for (const element of [this.streamDone, this.personDone]) setText(element, ABSENT);
  }

  /** Fit the reading line to the lane's width in px. */
  resize(width) {
    this.lines = new ReadingLines(Math.max(LEAST_LINE_CHARS, Math.floor((width - FOOT_EDGES_PX) / PX_PER_CHAR)));
  }

  /** Show the moment `t` (writes only); `figures` are the exact ones of a lane that has ended, or null. */
  count(generation, t, speeds, figures) {
    const at = generation.readerAt(t, speeds);
    const sent = generation.sentAt(t);
    const ended = generation.ended(t) && sent !== null;
    setText(this.streamDone, figures?.elapsed?.text ?? (ended ? clock(generation.end.t - sent) : ABSENT));
    const exact = figures?.human_done?.text;
    setText(this.personDone, exact ?? (ended && at ? clock(at.done_ms - sent) : ABSENT));
    setText(this.ahead, aheadWords(at, ended));
    setAttribute(this.gauge, "style", `width:${at ? ((100 * at.read) / at.arrived).toFixed(1) : 0}%`);
    this.#showWord(generation, at);
  }

  #showWord(generation, at) {
    const units = generation.reading.units;
    const k = at?.reading ?? null;
    if (k === null) {
      this.cursor.put(null);
      this.shownWord = null;
      for (const part of [this.before, this.word, this.after]) setText(part, "");
      return;
    }
    const line = this.lines.lineOf(units, k, at.arrived);
    setText(this.before, generation.answer.slice(units.starts[line.first], units.starts[k]));
    setText(this.word, generation.answer.slice(units.starts[k], units.ends[k]));
    setText(this.after, generation.answer.slice(units.ends[k], units.ends[line.end - 1]));
    if (this.shownWord === units.ends[k]) return;
    this.shownWord = units.ends[k];
    this.cursor.put(this.text.range(units.starts[k], units.ends[k]));
  }
}
