// The replay of one player: joins the playhead, the bar and the stage. The picture itself is the player's
// `frame(t)`, the same as live.

import { keyAction, momentFrom, moments, Playhead, replaySpan, SAME_MOMENT_MS } from "./replay.js";
import { ReplayBar } from "./replay_bar.js";
import { say } from "./words.js";

const IN_TEXT = /^(INPUT|TEXTAREA|SELECT)$/;

export class ReplayControl {
  /** `player` gives race, stage and options; nothing is kept of them. */
  constructor(player, document) {
    this.player = player;
    this.on = false;
    this.bar = new ReplayBar(document, {
      toggle: () => this.toggle(),
      step: (n) => this.step(n),
      first: () => this.toFirst(),
      speed: (speed) => this.setSpeed(speed),
      share: (share) => this.toShare(share),
      enter: () => this.enter({ playing: true, closable: true }),
      leave: () => this.leave(),
    });
    this.playhead = new Playhead();
  }

  /** Put the bar on a stage that was just built. */
  attach(stage) {
    this.measured = null;
    stage.track.head.append(this.bar.opener);
    stage.track.root.append(this.bar.root);
    stage.track.onSpan = () => this.#measure(true);
    this.#dress();
  }

  /** Show the race from its start; `atEnd`: stand at the end until Play is pressed. */
  enter({ playing = false, closable = false, atEnd = false } = {}) {
    this.on = true;
    this.closable = closable;
    this.playhead = new Playhead();
    this.measured = null;
    this.#measure(true);
    this.playhead.seek(atEnd ? this.playhead.end : this.playhead.start);
    if (playing) this.playhead.play();
    this.#dress();
    this.show();
  }

  /** Back to the live picture. */
  leave() {
    this.on = false;
    this.#dress();
    this.player.stage.counted = this.player.stage.tracked = -Infinity;
  }

  #dress() {
    const { stage } = this.player;
    stage.root.classList.toggle("tr-replaying", this.on);
    this.bar.open(this.on, this.closable);
    if (this.on) this.bar.offer(false);
    else {
      stage.track.span = null;
      stage.track.playhead = null;
      stage.jump = 1;
      stage.exact = false;
    }
  }

  /** What the playhead can reach; measured anew when messages came. */
  #measure(again = false) {
    if (!this.on) return;
    const count = this.player.counts.messages;
    if (!again && this.measured === count) return;
    this.measured = count;
    const { race, stage } = this.player;
    const span = replaySpan(race, stage.speeds);
    stage.track.span = span;
    this.length = stage.track.whole ? span.reading : span.race;
    this.playhead.reach({ start: span.start, end: span.start + this.length });
    this.moments = moments(race);
    const shares = this.moments.map((moment) => ({ ...moment, share: (moment.t - span.start) / this.length }));
    this.bar.mark(shares.filter(({ share }) => share >= 0 && share <= 1));
  }

  /** The run's ms to show at the viewer's `at`. */
  tick(at) {
    this.#measure();
    const { stage, race } = this.player;
    const waiting = this.player.loading && !race.lanes.every((lane) => lane.latest.end);
    if (waiting) this.playhead.last = null; // its messages are still on their way
    const was = this.playhead.playing;
    const t = this.playhead.at(at);
    stage.jump = this.playhead.playing ? Math.max(1, this.playhead.speed) : 1;
    stage.exact = !this.playhead.playing;
    stage.track.playhead = t;
    if (was && !this.playhead.playing) stage.counted = stage.tracked = -Infinity; // the last picture is exact
    this.bar.show(this.playhead, t - this.playhead.start, this.length);
    return t;
  }

  /** Draw where the playhead stands now, with every number exact. */
  show() {
    const { player, playhead } = this;
    player.stage.exact = !playhead.playing;
    player.stage.track.playhead = playhead.t;
    this.bar.show(playhead, playhead.t - playhead.start, this.length);
    player.seek(playhead.t);
  }

  toggle() {
    if (this.playhead.playing) this.playhead.pause();
    else this.playhead.play();
    this.bar.tell("");
    this.show();
  }

  setSpeed(speed) {
    this.playhead.speed = speed;
    this.show();
  }

  toShare(share) {
    this.playhead.seek(this.playhead.start + share * this.length);
    this.bar.tell("");
    this.show();
  }

  /** The next moment (1) or the one before (-1); pauses there. */
  step(n) {
    this.#goTo(momentFrom(this.moments, this.playhead.t, n));
  }

  /** The first token of any lane. */
  toFirst() {
    this.#goTo(this.moments.find((moment) => moment.name === "first") ?? null);
  }

  #goTo(moment) {
    if (!moment) return;
    this.playhead.pause();
    this.playhead.seek(moment.t);
    const here = this.moments.filter(({ t }) => Math.abs(t - moment.t) <= SAME_MOMENT_MS);
    const { lanes } = this.player.stage;
    this.bar.tell(here.map(({ lane, name }) => `${lanes[lane].name}: ${say(`moment_${name}`)}`).join(", "));
    this.show();
  }

  /** A key anywhere on the page; keys of other controls are theirs. */
  key(event) {
    if (!this.on || event.ctrlKey || event.metaKey || event.altKey) return;
    const target = event.composedPath?.()[0] ?? event.target;
    const slider = target === this.bar.slider;
    if ((IN_TEXT.test(target?.tagName ?? "") && !slider) || target?.isContentEditable) return;
    if (event.key === " " && target?.tagName === "BUTTON") return;
    const asked = keyAction(event.key);
    if (!asked) return;
    event.preventDefault();
    const [action, value] = asked;
    if (action === "toggle") this.toggle();
    if (action === "step") this.step(value);
    if (action === "share") this.toShare(value);
    if (action === "first") this.toFirst();
    if (action === "speed") {
      this.playhead.shift(value);
      this.show();
    }
  }
}
