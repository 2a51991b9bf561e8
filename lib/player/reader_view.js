// The lane of a person reading: the same answer, at the pace of a person. First on the stage, always amber.

import { make, setText, setAttribute } from "./elements.js";
import { ABSENT, clock, count, quantity, significant } from "./format.js";
import { LaneText } from "./lane_text.js";
import { Cursor } from "./cursor.js";
import { say } from "./words.js";

const ROOMY_PX = 232;
const FEW_UNITS = 3; // tokens per word of fewer words says nothing

export class ReaderView {
  constructor(document) {
    this.document = document;
    this.cursor = new Cursor(document.defaultView);
    this.text = new LaneText(document, say("reader"));
    const part = (tag, name) => make(document, tag, name);
    Object.assign(this, {
      speed: part("div", "tr-sub tr-speed"),
      number: part("span", "tr-number"),
      phase: part("div", "tr-phase"),
      read: part("dd"),
      left: part("dd"),
      source: part("div", "tr-ahead"),
      done: part("b", "tr-amber"),
      gauge: part("i"),
    });
    this.figure = { read: this.read, left: this.left };
    const figures = ["read", "left"].map((key) =>
      make(document, "div", "tr-figure", { "data-how": "reader" }, make(document, "dt", "", {}, say(key)), this[key]),
    );
    this.root = make(
      document,
      "section",
      "tr-lane tr-person",
      { "aria-label": say("reader") },
      make(document, "header", "tr-head", {}, make(document, "span", "tr-name", {}, say("reader"))),
      this.speed,
      make(
        document,
        "div",
        "tr-hero",
        { "data-how": "reader", tabindex: "0", "aria-describedby": "tr-how" },
        this.number,
        make(document, "span", "tr-unit", {}, say("reader_hero")),
      ),
      make(document, "dl", "tr-figures", {}, ...figures),
      make(document, "div", "tr-bar tr-person-bar", { "aria-hidden": "true" }, this.gauge),
      this.phase,
      this.text.host,
      make(
        document,
        "footer",
        "tr-foot",
        {},
        this.source,
        make(
          document,
          "div",
          "tr-marks",
          {},
          make(document, "span", "tr-mark", { "data-how": "reader" }, `${say("done_at")} `, this.done),
        ),
      ),
    );
    this.reset(null);
  }

  /** Fit the words to the width in px. */
  resize(width) {
    this.roomy = width >= ROOMY_PX;
  }

  reset(generation) {
    this.generation = generation;
    this.shown = 0;
    this.shownWord = null;
    this.cursor.put(null);
    this.text.clear();
    if (!generation) this.text.ghost(say("ghost_reader"));
  }

  /** Follow this generation of a lane named `name` (null: none has answered yet). */
  follow(generation, name) {
    if (generation !== this.generation) this.reset(generation);
    setText(this.source, generation ? say("reader_source", { name }) : say("reader_idle"));
    setAttribute(this.source, "title", generation ? say("reader_source", { name }) : null);
  }

  /** What the figures of the person mean: {help: [sentences], generation}; they rest on the lane that is read. */
  help() {
    const source = this.generation ? [this.source.textContent] : [];
    return { help: [this.hero_help, ...source].filter(Boolean), generation: this.generation };
  }

  /** Show the words read by `t`, and the figures (writes only). */
  count(t, speeds) {
    const generation = this.generation;
    const at = generation?.readerAt(t, speeds) ?? null;
    const unit = generation?.reading.unit ?? "word";
    const { label, lo, hi } = speeds[unit];
    const band = (key) => `${label}, ${say(key, { lo: count(lo), hi: count(hi) })}`;
    setText(this.speed, band(unit === "word" && this.roomy ? "band" : "band_short"));
    setAttribute(this.speed, "title", band("band"));
    setText(
      this.phase,
      say(
        !at
          ? "reader_ready"
          : at.finished
            ? "reader_done"
            : at.reading === null
              ? "reader_waits"
              : "reader_reading",
      ),
    );
    this.root.dataset.phase = !at ? "ready" : at.finished ? "done" : "answering";
    this.#figures(generation, at, t, speeds[unit]);
    if (at) this.#write(generation, at);
  }

  #figures(generation, at, t, speed) {
    const noun = at?.unit === "char" ? "chars" : "words";
    setText(this.read, at ? quantity(at.read, noun) : ABSENT);
    setText(this.left, at ? clock(at.ahead_ms) : ABSENT);
    const sent = generation?.sentAt(t) ?? null;
    setText(this.done, at && sent !== null && generation.ended(t) ? clock(at.done_ms - sent) : ABSENT);
    const n = generation?.countAt(t) ?? 0;
    const known = at && at.arrived >= FEW_UNITS;
    const tokens = known ? generation.answerTokens[n - 1] * generation.answerScale(t) : null;
    const rate = known ? ((tokens / at.arrived) * speed.per_min) / 60 : null;
    setText(this.number, known ? `~${significant(rate)}` : ABSENT);
    this.hero_help = say("reader_hero_help", {
      unit: say(at?.unit === "char" ? "chars_one" : "words_one"),
      speed: speed.label,
    });
    this.root.classList.toggle("tr-absent", !known);
    setAttribute(this.gauge, "style", `width:${at ? ((100 * at.read) / at.arrived).toFixed(1) : 0}%`);
  }

  #write(generation, at) {
    const units = generation.reading.units;
    const last = at.reading ?? at.read - 1;
    const end = last >= 0 ? units.ends[last] : 0;
    if (end < this.shown) this.reset(generation);
    if (end > this.shown) {
      this.text.append("a", generation.answer.slice(this.shown, end));
      this.text.flush();
      this.shown = end;
    }
    if (this.shownWord === at.reading) return;
    this.shownWord = at.reading;
    this.cursor.put(
      at.reading === null ? null : this.text.range(units.starts[at.reading], units.ends[at.reading]),
    );
  }
}
