// The player: one race, fed by messages, shown at any moment. Live it is played as the messages come, in a
// replay where the playhead stands; the picture of a moment is the same. mount.js puts it into a page.

import { framesPerSecond, PlaybackClock, Recent } from "./clock.js";
import { Race } from "./lane_model.js";
import { disguised, failedOnStage } from "./presenting.js";
import { ReplayControl } from "./replay_control.js";
import { Stage } from "./stage.js";
import { InOrder } from "./stream.js";
import { say, setWords } from "./words.js";

const HEALTH_SAMPLES = 4000;
const FRAMES_KEPT = 240;
const LOST_SAID_AFTER_MS = 1000;
const SPEEDS = {
  word: { per_min: 238, lo: 175, hi: 300, label: "238 words/min" },
  char: { per_min: 420, lo: 300, hi: 550, label: "420 characters/min" },
};

export class Player {
  /**
   * `options`: lanes, speeds, theme, words, still, onFinished(run), onCommand(kind, lane), viewerNow() in
   * ms.
   */
  constructor(host, options) {
    this.host = host;
    this.options = { viewerNow: () => performance.now(), onFinished() {}, onCommand() {}, ...options };
    setWords(options.words);
    this.lanes = options.lanes; // as they are; options.lanes are as they are shown
    if (options.presenting) this.#dress(options.presenting);
    this.lostAt = null; // viewer's ms since which there is no connection
    this.counts = { messages: 0, bytes: 0 };
    this.frames = [];
    this.#build();
    this.reset(null);
  }

  #build() {
    const { lanes, speeds = SPEEDS, theme, still = false } = this.options;
    this.stage?.destroy();
    this.stage = new Stage(this.host, {
      lanes,
      speeds,
      theme,
      still,
      onCommand: (kind, lane) => this.options.onCommand(kind, lane),
      health: () => this.#healthWords(),
      lag: () => (this.replay?.on ? undefined : this.lag.quantile(0.95)),
      lost: () => this.lostAt !== null && this.options.viewerNow() - this.lostAt > LOST_SAID_AFTER_MS,
    });
    this.stage.onRedraw = () =>
      this.shownAt === undefined ? this.stage.drawIdleTrack() : this.frame(this.shownAt);
    this.stage.present(this.presenting ?? null);
    this.replay ??= new ReplayControl(this, this.host.ownerDocument);
    this.replay.attach(this.stage);
  }

  /**
   * A run knows its own lanes: where the page named others (an older run is shown), build the stage for
   * them.
   */
  #adopt(lanes) {
    const names = (list) => JSON.stringify(list.map(({ name, origin, note }) => [name, origin, note ?? ""]));
    if (!lanes || names(lanes) === names(this.lanes)) return;
    this.lanes = lanes;
    this.options.lanes = this.presenting ? disguised(lanes, this.presenting.names) : lanes;
    this.#build();
    this.race = new Race(lanes.length);
  }

  #dress(presenting) {
    this.presenting = presenting;
    this.options.lanes = disguised(this.lanes, presenting.names);
  }

  /**
   * A race shown to a room. `presenting`: {names: blind names or null, verdict: the blind one or null, cue: number
   * of the last order, play: whether it was to play, speed}.
   */
  present(presenting) {
    const before = this.presenting;
    this.#dress(presenting);
    if (JSON.stringify(before?.names) === JSON.stringify(presenting.names)) this.stage.present(presenting);
    else {
      this.#build();
      if (this.shownAt === undefined) this.stage.renderIdle();
      else this.seek(this.shownAt);
    }
    const { replay } = this;
    if (presenting.cue !== this.cue) {
      if (presenting.play) replay.enter({ playing: true });
      else if (replay.on && replay.playhead.playing) replay.toggle();
    }
    this.cue = presenting.cue;
    if (replay.on && replay.playhead.speed !== presenting.speed) replay.setSpeed(presenting.speed);
  }

  /** Say once per race that a provider failed on stage. */
  #watch(t) {
    if (!this.presenting || this.replay.on || this.failed === this.run) return;
    const failed = failedOnStage(this.race, this.lanes, t);
    if (!failed) return;
    this.failed = this.run;
    this.options.onCommand(failed.why, failed.lane);
  }

  /** Forget everything and stand ready for this run (null: none yet). */
  reset(run, offset) {
    this.run = run;
    this.failed = null; // the run in which a provider's failure has been told
    this.loading = false; // a kept race whose messages are still coming
    this.replay.leave();
    this.race = new Race(this.options.lanes.length);
    this.order = new InOrder();
    this.clock = new PlaybackClock(offset);
    this.lag = new Recent(HEALTH_SAMPLES);
    this.finished = null;
    this.lostAt = null;
    this.shownAt = undefined;
    this.stage.views.forEach((view) => view.reset(null));
    this.stage.renderIdle();
    this.stage.headline.forget();
    this.stage.tracked = this.stage.counted = -Infinity;
  }

  /** Take in one message; with its number, in any order and any number of times. `arrival`: viewer's ms. */
  feed(message, index = this.order.next, arrival = this.options.viewerNow(), bytes = 0) {
    for (const [next, at, size] of this.order.put(index, [message, arrival, bytes])) {
      this.counts.messages += 1;
      this.counts.bytes += size;
      this.#adopt(next.run?.lanes);
      this.clock.heard(at, next.now, this.race.feed(next));
    }
  }

  /**
   * Show the race as it was at `t` (ms on the run's clock). The same messages and `t` always give the same
   * picture.
   */
  frame(t, at = this.options.viewerNow()) {
    this.shownAt = t;
    const fresh = this.stage.render(this.race, t, at);
    if (!this.replay.on) this.#finish(t);
    return fresh;
  }

  /** `frame`, with every number and the track drawn for exactly `t`: for a slider at rest. */
  seek(t) {
    this.stage.counted = this.stage.tracked = -Infinity;
    this.frame(t);
  }

  /** Show what is due at the viewer's `at`; call once per animation frame. */
  play(at) {
    const live = this.clock.playhead(at);
    const t = this.replay.on ? this.replay.tick(at) : live;
    if (t === null) return;
    const fresh = this.frame(t, at);
    this.#watch(t);
    this.frames.push(at);
    if (this.frames.length > FRAMES_KEPT) this.frames.shift();
    if (this.replay.on) return;
    this.painted = fresh
      .map((from, lane) => (from === null ? null : this.race.lanes[lane].at(t).t[from]))
      .filter((time) => time !== null && time > this.clock.since);
  }

  /**
   * Say that what the last `play` drew is on the screen at the viewer's `at` (for the display's own health).
   */
  paintedAt(at) {
    for (const t of this.painted ?? []) this.lag.add(at - t - this.clock.offset);
    this.painted = null;
  }

  #finish(t) {
    const result = this.race.resultAt(t);
    this.replay.bar.offer(result !== null);
    if (!result || this.finished === result) return;
    this.finished = result;
    this.options.onFinished(this.run, this.health().lag_p95_ms);
  }

  /** {fps, lag_p50_ms, lag_p95_ms, messages, bytes}; null where nothing is known yet. */
  health() {
    const at = this.frames[this.frames.length - 1];
    return {
      fps: at === undefined ? null : framesPerSecond(this.frames, at),
      lag_p50_ms: this.lag.quantile(0.5),
      lag_p95_ms: this.lag.quantile(0.95),
      ...this.counts,
    };
  }

  #healthWords() {
    if (this.replay?.on) return null;
    const { fps, lag_p95_ms } = this.health();
    return lag_p95_ms === null ? null : say("health", { fps, lag: Math.round(lag_p95_ms) });
  }

  destroy() {
    this.stage.destroy();
  }
}
