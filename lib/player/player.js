// The player: one race, fed by messages, shown at any moment. In the live page it follows a run over a
// WebSocket; a replay file feeds the same class from the messages it holds. Entry of a Streamlit component
// (v2).

import { framesPerSecond, PlaybackClock, Recent } from "./clock.js";
import { Race } from "./lane_model.js";
import { Stage } from "./stage.js";
import { InOrder, RunStream } from "./stream.js";
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
    this.lostAt = null; // viewer's ms since which there is no connection
    this.counts = { messages: 0, bytes: 0 };
    this.lag = new Recent(HEALTH_SAMPLES);
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
      lost: () => this.lostAt !== null && this.options.viewerNow() - this.lostAt > LOST_SAID_AFTER_MS,
    });
    this.stage.onRedraw = () =>
      this.shownAt === undefined ? this.stage.drawIdleTrack() : this.frame(this.shownAt);
  }

  /**
   * A run knows its own lanes: where the page named others (an older run is shown), build the stage for
   * them.
   */
  #adopt(lanes) {
    const names = (list) => JSON.stringify(list.map(({ name, origin, note }) => [name, origin, note ?? ""]));
    if (!lanes || names(lanes) === names(this.options.lanes)) return;
    this.options.lanes = lanes;
    this.#build();
    this.race = new Race(lanes.length);
  }

  /** Forget everything and stand ready for this run (null: none yet). */
  reset(run, offset) {
    this.run = run;
    this.race = new Race(this.options.lanes.length);
    this.order = new InOrder();
    this.clock = new PlaybackClock(offset);
    this.finished = null;
    this.lostAt = null;
    this.shownAt = undefined;
    this.stage.views.forEach((view) => view.reset(null));
    this.stage.renderIdle();
    this.stage.shownResult = undefined;
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
    this.#finish(t);
    return fresh;
  }

  /** `frame`, with every number and the track drawn for exactly `t`: for a slider at rest. */
  seek(t) {
    this.stage.counted = this.stage.tracked = -Infinity;
    this.frame(t);
  }

  /** Show what is due at the viewer's `at`; call once per animation frame. */
  play(at) {
    const t = this.clock.playhead(at);
    if (t === null) return;
    const fresh = this.frame(t, at);
    this.frames.push(at);
    if (this.frames.length > FRAMES_KEPT) this.frames.shift();
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
    if (!result || this.finished === result) return;
    this.finished = result;
    this.options.onFinished(this.run);
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
    const { fps, lag_p95_ms } = this.health();
    return lag_p95_ms === null ? null : say("health", { fps, lag: Math.round(lag_p95_ms) });
  }

  destroy() {
    this.stage.destroy();
  }
}

const mounted = new WeakMap();

/** Runs one Player in a page: connection, animation frames, triggers. */
class Mount {
  constructor(parent) {
    this.parent = parent;
    this.host = parent.ownerDocument.createElement("div");
    parent.append(this.host);
    this.view = parent.ownerDocument.defaultView;
    this.commands = 0;
    this.painted = new MessageChannel();
    this.painted.port1.onmessage = () => this.player?.paintedAt(this.view.performance.now());
    this.tick = (at) => this.#tick(at);
    this.view.requestAnimationFrame(this.tick);
    parent.ownerDocument.fonts?.ready.then(() => this.player?.stage.onRedraw());
  }

  update({ data, setTriggerValue }) {
    this.trigger = setTriggerValue;
    const shape = JSON.stringify([data.lanes, data.reader, data.words]);
    const changed = shape !== this.shape;
    if (changed) this.#build(data);
    this.shape = shape;
    this.player.stage.applyTheme(data.theme);
    if (changed || (data.run ?? null) !== this.player.run) this.#follow(data);
  }

  #build(data) {
    this.player?.destroy();
    const still = this.view.matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.player = new Player(this.host, {
      lanes: data.lanes,
      speeds: data.reader,
      words: data.words,
      theme: data.theme,
      still,
      viewerNow: () => this.view.performance.now(),
      onFinished: (run) => this.trigger("finished", run),
      onCommand: (kind, lane) => this.trigger("command", { kind, lane, n: (this.commands += 1) }),
    });
    expose(this.view, this.player);
  }

  #follow(data) {
    this.stream?.close();
    this.player.reset(data.run ?? null, remembered(this.view, data.run));
    if (!data.run) return;
    const { player } = this;
    this.stream = new RunStream({
      base: this.parent.ownerDocument.baseURI,
      path: data.path,
      run: data.run,
      WebSocketClass: this.view.WebSocket,
      EventSourceClass: this.view.EventSource,
      onMessage: (message, bytes) => {
        player.feed(message, undefined, undefined, bytes);
      },
      onState: (state) => {
        player.lostAt = state === "lost" ? (player.lostAt ?? this.view.performance.now()) : null;
      },
    });
  }

  #tick(at) {
    if (this.closed) return;
    this.view.requestAnimationFrame(this.tick);
    if (this.player && !this.player.stage.isStyled()) this.player.stage.restyle();
    if (!this.player?.run) return;
    this.player.play(this.view.performance.now());
    this.painted.port2.postMessage(0);
    if (at - (this.reported ?? 0) < 1000) return;
    this.reported = at;
    remember(this.view, this.player);
    this.host.dataset.health = JSON.stringify(this.player.health());
  }

  close() {
    this.closed = true;
    this.stream?.close();
    this.painted.port1.close();
    this.player?.destroy();
    this.host.remove();
  }
}

function expose(view, player) {
  view.__tokenrace = { ...view.__tokenrace, player };
}

function storageKey(run) {
  return `tokenrace clock ${run}`;
}

/**
 * Keep where the run's clock stands, so that the reader goes on where it was after a refresh or a page
 * switch.
 */
function remember(view, { run, clock }) {
  if (run === null || clock.offset === Infinity) return;
  try {
    view.sessionStorage.setItem(storageKey(run), String(view.performance.timeOrigin + clock.offset));
  } catch {
    // storage is forbidden here: after a refresh the reader goes on from the end of the streams
  }
}

function remembered(view, run) {
  try {
    const kept = view.sessionStorage.getItem(storageKey(run));
    return kept === null ? undefined : Number(kept) - view.performance.timeOrigin;
  } catch {
    return undefined;
  }
}

export default function (component) {
  const { parentElement } = component;
  let mount = mounted.get(parentElement);
  if (!mount) mounted.set(parentElement, (mount = new Mount(parentElement)));
  mount.update(component);
  return () => {
    setTimeout(() => {
      if (parentElement.isConnected || mounted.get(parentElement) !== mount) return;
      mount.close();
      mounted.delete(parentElement);
    });
  };
}
