// The text of one lane: answer, thinking and tool calls in the order they came, stuck to its tail until the
// person scrolls; when the stream has ended it goes to where a reader would be. Draws; knows no numbers.

import { make, button, setText } from "./elements.js";
import { TextPane } from "./text_pane.js";
import { quantity } from "./format.js";
import { say } from "./words.js";

const NEAR_TAIL_PX = 24;
const READER_AT = 0.4; // the word being read sits at this share of the visible height
const LINE_OFFSET_PX = 4;
const EASE_PER_FRAME = 0.14;

export class LaneText {
  constructor(document, label) {
    this.document = document;
    this.scroller = make(document, "div", "tr-text", {
      tabindex: "0",
      role: "log",
      "aria-live": "off",
      "aria-label": label,
    });
    this.tail = button(document, "tr-to-tail", say("to_tail"), say("to_tail"), () => this.#follow());
    this.host = make(document, "div", "tr-text-frame", {}, this.scroller, this.tail);
    this.#listen();
    this.clear();
  }

  #listen() {
    const leave = () => this.#leave();
    for (const name of ["wheel", "touchmove"]) this.scroller.addEventListener(name, leave, { passive: true });
    this.scroller.addEventListener("keydown", (event) => {
      if (/^(Arrow|Page|Home|End| )/.test(event.key)) leave();
    });
    this.scroller.addEventListener("pointerdown", (event) => {
      if (event.target === this.scroller) leave();
    });
    this.scroller.addEventListener(
      "scroll",
      () => {
        if (this.free && this.#nearTail()) this.#follow();
      },
      { passive: true },
    );
  }

  #leave() {
    const { scrollHeight, clientHeight } = this.scroller;
    if (scrollHeight > clientHeight + NEAR_TAIL_PX) this.#setFree(true);
  }

  #nearTail() {
    const { scrollHeight, clientHeight, scrollTop } = this.scroller;
    return !this.ended && scrollHeight - clientHeight - scrollTop < NEAR_TAIL_PX;
  }

  #follow() {
    this.#setFree(false);
    this.dirty = true;
  }

  #setFree(free) {
    this.free = free;
    this.host.classList.toggle("tr-free", free);
  }

  clear() {
    this.scroller.textContent = "";
    this.segments = [];
    this.ghosted = null;
    this.answered = 0;
    this.dirty = true;
    this.ended = false;
    this.target = null;
    this.word = null;
    this.#setFree(false);
  }

  /** Show a sentence in place of text, dimmed (null: none); `append` removes it. */
  ghost(text) {
    if (text === this.ghosted || this.segments.length) return;
    this.ghosted = text;
    this.scroller.replaceChildren(...(text ? [make(this.document, "p", "tr-ghost", {}, text)] : []));
  }

  append(channel, text) {
    let segment = this.segments[this.segments.length - 1];
    if (!segment) this.scroller.textContent = "";
    if (segment?.channel !== channel) segment = this.#segment(channel);
    segment.pane.append(text);
    if (channel === "a" || (channel === "x" && this.answered)) this.answered += text.length; // a mark parts answers
    this.dirty = true;
  }

  #segment(channel) {
    if (channel !== "r")
      for (const earlier of this.segments)
        if (earlier.fold && !earlier.touched) this.#setOpen(earlier, false);
    const body = make(this.document, "div", "tr-body");
    const host = make(
      this.document,
      "div",
      `tr-segment tr-${{ a: "answer", r: "thinking", t: "tool", x: "turn" }[channel]}`,
    );
    const segment = { channel, start: this.answered, body, fold: null, touched: false };
    if (channel === "r") host.append((segment.fold = this.#fold(segment)));
    if (channel === "t") host.append(make(this.document, "div", "tr-tool-label", {}, say("tool")));
    host.append(body);
    segment.pane = new TextPane(body);
    this.scroller.append(host);
    this.segments.push(segment);
    return segment;
  }

  #fold(segment) {
    const toggle = button(this.document, "tr-fold", say("thinking"), say("thinking"), () => {
      segment.touched = true;
      this.#setOpen(segment, segment.body.hidden);
    });
    toggle.setAttribute("aria-expanded", "true");
    return toggle;
  }

  #setOpen(segment, open) {
    segment.body.hidden = !open;
    segment.fold.setAttribute("aria-expanded", String(open));
    this.dirty = true;
  }

  /** Say how many tokens the thinking has, on its fold line. */
  labelThinking(tokens) {
    const folds = this.segments.filter((segment) => segment.fold);
    const fold = folds.length === 1 ? folds[0].fold : null; // of several, none has them all
    if (fold) setText(fold, say("thinking_shown", { count: quantity(Math.round(tokens), "tokens") }));
  }

  flush() {
    for (const segment of this.segments) segment.pane.flush();
  }

  /** The DOM range of answer offsets [start, end), or null. */
  range(start, end) {
    const segment = this.segments.findLast((item) => item.channel === "a" && item.start <= start);
    if (!segment) return null;
    return segment.pane.range(start - segment.start, Math.min(end - segment.start, segment.pane.length));
  }

  /** After the end, go to the reader's word and stay with it (reads layout: call after all writes). */
  aim(range) {
    const box = range.getBoundingClientRect();
    const frame = this.scroller.getBoundingClientRect();
    const most = this.scroller.scrollHeight - this.scroller.clientHeight;
    // rectangles are in zoomed px, scroll offsets are not
    const zoom = frame.height / this.scroller.offsetHeight || 1;
    const wanted =
      this.scroller.scrollTop + (box.top - frame.top) / zoom - this.scroller.clientHeight * READER_AT;
    const line = parseFloat(this.document.defaultView.getComputedStyle(this.scroller).lineHeight);
    const lines = Math.round(wanted / line); // no line cut in halves at the top
    this.target = lines < 1 ? 0 : Math.min(most, lines * line + LINE_OFFSET_PX);
  }

  /** One scroll per frame. `still`: without easing. */
  scroll(still) {
    if (this.free) return;
    if (this.target !== null) this.#ease(still);
    else if (this.dirty) this.scroller.scrollTop = 1e9;
    this.dirty = false;
  }

  #ease(still) {
    this.top ??= this.scroller.scrollTop;
    const rest = this.target - this.top;
    if (Math.abs(rest) < 0.5) return;
    this.top = still || Math.abs(rest) < 1 ? this.target : this.top + rest * EASE_PER_FRAME;
    this.scroller.scrollTop = this.top;
  }

  /** The room has changed: what stood at the tail would stand in the middle. */
  relaid() {
    this.dirty = true;
  }

  /** Return to the tail (a retried lane, or seeking back before the end). */
  stick() {
    this.target = null;
    this.top = null;
    this.dirty = true;
  }
}
