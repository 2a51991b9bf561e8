// One lane on the stage: its figures, its text, the reader's place in it. Draws what lane_model.js says; the
// exact figures replace the live ones as they come from the server, word for word.

import { make, button, setText, setAttribute } from "./elements.js";
import { ABSENT, clock, duration } from "./format.js";
import { LaneText } from "./lane_text.js";
import { FailureBox } from "./failure_box.js";
import { LaneFoot } from "./lane_foot.js";
import {
  heroOf,
  liveFigures,
  noteOf,
  phaseName,
  phaseWords,
  thinkingTokens,
} from "./lane_words.js";
import { place, say } from "./words.js";

const MARKS = { live: "●", simulated: "◌", recorded: "▷" };
const SMALL = ["ttft", "tokens", "elapsed", "cost"];
const TO_READER_AFTER_MS = 900;

export class LaneView {
  constructor(document, index, info, actions) {
    this.document = document;
    this.index = index;
    this.info = info;
    this.actions = actions;
    this.notes = {};
    this.text = new LaneText(document, info.name);
    this.foot = new LaneFoot(document, this.text, (key) => this.#how(key));
    this.failure = new FailureBox(document, info.name, () => actions.retry(index));
    this.root = make(
      document,
      "section",
      `tr-lane tr-c${index % 8} tr-${info.origin}`,
      { "aria-label": info.name },
      this.#head(),
      this.#sub(),
      this.#hero(),
      this.#figures(),
      this.#bar(),
      (this.phase = make(document, "div", "tr-phase")),
      this.text.host,
      this.failure.root,
      this.foot.root,
    );
    this.reset(null);
  }

  #head() {
    this.place = make(this.document, "span", "tr-place", this.#how("place"));
    return make(
      this.document,
      "header",
      "tr-head",
      {},
      make(this.document, "span", "tr-dot"),
      make(this.document, "bdi", "tr-name", { title: this.info.model ?? "" }, this.info.name),
      this.place,
    );
  }

  #sub() {
    const { origin, note, name } = this.info;
    const help = say(`${origin}_help`);
    const badge = make(
      this.document,
      "span",
      "tr-badge",
      { title: note ? `${note}. ${help}` : help },
      `${MARKS[origin]} ${say(origin)}`,
    );
    const act = (kind) =>
      button(this.document, `tr-${kind}`, say(kind), say(`${kind}_help`, { name }), () =>
        this.actions[kind](this.index),
      );
    this.stop = act("stop");
    this.retry = act("retry");
    this.focus = act("focus");
    const note_ = make(this.document, "bdi", "tr-note", { title: note ?? "" }, note ?? "");
    return make(
      this.document,
      "div",
      "tr-sub",
      {},
      badge,
      note_,
      make(this.document, "span", "tr-actions", {}, this.stop, this.retry, this.focus),
    );
  }

  #hero() {
    this.number = make(this.document, "span", "tr-number");
    this.unit = make(this.document, "span", "tr-unit");
    const focus = { tabindex: "0", "aria-describedby": "tr-how" };
    return make(this.document, "div", "tr-hero", { ...this.#how("hero"), ...focus }, this.number, this.unit);
  }

  /** Marks an element as a figure that can be asked how it came about. */
  #how(key) {
    return { "data-how": key, "data-lane": this.index };
  }

  /** What a figure means and what to know about it: {help: [sentences], generation}. */
  help(key) {
    return { help: [say(`${key}_help`), this.notes[key]].filter(Boolean), generation: this.generation };
  }

  #figures() {
    this.small = {};
    const cells = SMALL.map((key) => {
      this.small[key] = make(this.document, "dd");
      return make(
        this.document,
        "div",
        `tr-figure tr-figure-${key}`,
        this.#how(key),
        make(this.document, "dt", "", {}, say(key)),
        this.small[key],
      );
    });
    return make(this.document, "dl", "tr-figures", {}, ...cells);
  }

  #bar() {
    this.spans = ["connect", "wait", "think", "answer", "act"].map((name) =>
      make(this.document, "i", `tr-span-${name}`),
    );
    this.bar = make(this.document, "div", "tr-bar", { "aria-hidden": "true" }, ...this.spans);
    return this.bar;
  }

  /** Begin again with this generation (null: the race has not begun). */
  reset(generation) {
    this.generation = generation;
    this.shown = 0;
    this.foot.reset();
    this.text.clear();
    this.text.stick();
    if (!generation) this.text.ghost(say("ghost_text"));
  }

  /** What the lane shows before the first race. */
  idle() {
    this.root.dataset.phase = "ready";
    this.root.classList.add("tr-absent");
    setText(this.number, ABSENT);
    setText(this.unit, say("tok_s"));
    setText(this.phase, say("ready"));
    for (const element of Object.values(this.small)) setText(element, ABSENT);
    this.foot.idle();
  }

  /** Fit the reading line to the lane's width in px. */
  resize(width) {
    this.foot.resize(width);
  }

  /** Append what has arrived by `t` (every frame; writes only). */
  write(lane, t) {
    const generation = lane.at(t);
    const n = generation.countAt(t);
    if (generation !== this.generation || n < this.shown) this.reset(generation);
    for (let i = this.shown; i < n;) i = this.#writeRun(generation, i, n);
    if (n === this.shown) return null;
    const from = this.shown;
    this.shown = n;
    this.text.flush();
    return from;
  }

  #writeRun(generation, from, n) {
    const channel = generation.channel[from];
    let to = from + 1;
    while (to < n && generation.channel[to] === channel) to += 1;
    this.text.append(
      channel,
      to - from === 1 ? generation.text[from] : generation.text.slice(from, to).join(""),
    );
    return to;
  }

  /** Refresh numbers, phase, bar and foot (10 times a second; writes only). */
  count(t, speeds, scale_ms, rank) {
    const generation = this.generation;
    const phase = generation.phaseAt(t);
    const figures = generation.ended(t) ? generation.figures : null;
    this.root.dataset.phase = phaseName(phase);
    this.root.classList.toggle("tr-exact", figures !== null);
    this.root.classList.toggle("tr-task", Boolean(generation.isTask));
    this.#countFigures(generation, t, phase, figures);
    setText(this.place, rank ? place(rank) : "");
    this.text.ghost(phase.ended && generation.first === null ? say("no_text") : null);
    const words = phaseWords(generation, t, phase);
    setText(this.phase, words.text);
    setAttribute(this.phase, "title", words.title);
    this.#countBar(generation, t, scale_ms);
    this.failure.show(phase.ended ? (figures?.failure ?? phase.failure) : null);
    this.foot.count(generation, t, speeds, figures);
    this.notes.person_done = figures?.human_done?.reason ?? null;
    return this.root.dataset.phase;
  }

  #countFigures(generation, t, phase, figures) {
    const live = figures ? null : liveFigures(generation, t);
    const hero = heroOf(generation, t, phase, figures);
    setText(this.number, hero.text ?? ABSENT);
    const unit = hero.reason ?? (hero.note ? `${hero.unit} · ${hero.note}` : hero.unit);
    setText(this.unit, unit);
    this.notes.hero = hero.reason || hero.note ? unit : null;
    this.root.classList.toggle(
      "tr-absent",
      Boolean(hero.waiting) || Boolean(hero.reason) || hero.text === ABSENT,
    );
    for (const key of SMALL) {
      const figure = figures ? figures[key] : { text: live[key] };
      setText(this.small[key], figure?.text ?? ABSENT);
      this.notes[key] = noteOf(key, figure, figures);
      setAttribute(this.small[key], "aria-description", this.notes[key]);
    }
    if (phase.name === "thinking" || generation.firstThinking !== null)
      this.text.labelThinking(thinkingTokens(generation, t));
  }

  #countBar(generation, t, scale_ms) {
    const spans = generation.spansAt(t);
    spans.forEach((length, i) =>
      setAttribute(this.spans[i], "style", `width:${Math.min(100, (100 * length) / scale_ms).toFixed(2)}%`),
    );
    const parts = spans.map((length) => duration(Math.round(length))).join(" · ");
    setAttribute(this.bar, "title", `${parts}\n${say("bar_help", { span: `0–${clock(scale_ms)}` })}`);
  }

  /** Move the text to the reader's word once the stream has been over for a moment (reads layout). */
  aim(t) {
    const over = this.generation?.end && t > this.generation.end.t + TO_READER_AFTER_MS;
    this.text.ended = Boolean(over);
    const { range } = this.foot.cursor;
    if (over && range && !this.text.free) this.text.aim(range);
    else if (!over && this.text.target !== null) this.text.stick();
  }
}
