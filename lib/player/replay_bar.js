// The controls of a replay, under the track and on its x axis: play, step, first token, speed, scrub. Draws and
// passes on what was pressed; where the playhead stands is replay.js.

import { button, make, setAttribute, setText } from "./elements.js";
import { clock } from "./format.js";
import { REPLAY_SPEEDS } from "./replay.js";
import { say } from "./words.js";

const RESOLUTION = 10000; // steps of the slider

export class ReplayBar {
  /** `actions`: toggle(), step(n), first(), speed(x), share(0..1), enter(), leave(). */
  constructor(document, actions) {
    this.document = document;
    this.actions = actions;
    this.opener = button(document, "tr-replay-open", say("replay"), say("replay_help"), () => actions.enter());
    this.opener.hidden = true;
    this.toggle = button(document, "tr-replay-play", say("play"), say("play"), () => actions.toggle());
    this.time = make(document, "span", "tr-replay-time");
    this.told = make(document, "span", "tr-replay-told", { role: "status" });
    this.close = button(document, "tr-replay-close", say("replay_leave"), say("replay_leave_help"), () =>
      actions.leave(),
    );
    this.root = make(document, "div", "tr-replay", { role: "group", "aria-label": say("replay") });
    this.root.append(this.#scrub(), this.#controls());
    this.root.hidden = true;
  }

  #scrub() {
    const { document } = this;
    this.slider = make(document, "input", "tr-replay-slider", {
      type: "range",
      min: "0",
      max: String(RESOLUTION),
      step: "1",
      "aria-label": say("scrub"),
    });
    this.slider.addEventListener("input", () => this.actions.share(Number(this.slider.value) / RESOLUTION));
    this.marks = make(document, "div", "tr-replay-marks", { "aria-hidden": "true" });
    return make(document, "div", "tr-replay-scrub", {}, this.slider, this.marks);
  }

  #controls() {
    const { document, actions } = this;
    const act = (key, work) => button(document, "tr-replay-act", say(key), say(`${key}_help`), work);
    this.speed = make(document, "select", "tr-replay-speed", { "aria-label": say("replay_speed") });
    for (const speed of REPLAY_SPEEDS)
      this.speed.append(make(document, "option", "", { value: String(speed) }, `${speed}×`));
    this.speed.addEventListener("change", () => actions.speed(Number(this.speed.value)));
    return make(
      document,
      "div",
      "tr-replay-controls",
      {},
      make(document, "span", "tr-replay-mark", {}, say("replay_mark")),
      this.toggle,
      act("step_back", () => actions.step(-1)),
      act("step_on", () => actions.step(1)),
      act("to_first", () => actions.first()),
      this.speed,
      this.time,
      this.told,
      this.close,
    );
  }

  /** Whether a replay is on, and whether there is a live view to go back to. */
  open(on, closable) {
    this.root.hidden = !on;
    this.close.hidden = !closable;
    setText(this.told, "");
  }

  /** Offer the replay of a race that has ended. */
  offer(on) {
    this.opener.hidden = !on;
  }

  /** Marks of the moments on the scrub bar: [{share, lane, name}]. */
  mark(list) {
    this.marks.replaceChildren(
      ...list.map(({ share, lane, name }) =>
        make(this.document, "i", `tr-c${lane % 8} tr-moment-${name}`, { style: `left:${(100 * share).toFixed(3)}%` }),
      ),
    );
  }

  /** Say what the last step came to. */
  tell(text) {
    setText(this.told, text);
  }

  /** Show the playhead: `passed` and `length` in ms. */
  show(playhead, passed, length) {
    const share = length ? Math.min(1, Math.max(0, passed / length)) : 0;
    const value = String(Math.round(share * RESOLUTION));
    if (this.slider.value !== value) this.slider.value = value;
    const time = `${clock(Math.max(0, passed))} / ${clock(length)}`;
    setText(this.time, time);
    setAttribute(this.slider, "aria-valuetext", time);
    const speed = String(playhead.speed);
    if (this.speed.value !== speed) this.speed.value = speed;
    const word = say(playhead.playing ? "pause" : "play");
    setText(this.toggle, word);
    setAttribute(this.toggle, "aria-label", word);
    setAttribute(this.toggle, "title", word);
  }
}
