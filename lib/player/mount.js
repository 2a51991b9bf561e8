// Puts one player into a page: connection or kept messages, animation frames, keys, triggers. Entry of a
// Streamlit component (v2) and of a replay file.

import { Player } from "./player.js";
import { RunStream } from "./stream.js";

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
    this.onKey = (event) => this.player?.presenting || this.player?.replay.key(event);
    parent.ownerDocument.addEventListener("keydown", this.onKey);
    parent.ownerDocument.fonts?.ready.then(() => this.player?.stage.onRedraw());
  }

  update({ data, setTriggerValue }) {
    this.trigger = setTriggerValue;
    const shape = JSON.stringify([data.lanes, data.reader, data.words]);
    const changed = shape !== this.shape;
    if (changed) this.#build(data);
    this.shape = shape;
    this.player.stage.applyTheme(data.theme);
    if (changed || shownKey(data) !== this.shown) this.#follow(data);
    if (data.presenting) this.player.present(data.presenting);
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
      presenting: data.presenting,
      viewerNow: () => this.view.performance.now(),
      onFinished: (run, lag_ms) => this.trigger("finished", { run, display_lag_ms: lag_ms }),
      onCommand: (kind, lane) => this.trigger("command", { kind, lane, n: (this.commands += 1) }),
    });
    expose(this.view, this.player);
  }

  #follow(data) {
    this.stream?.close();
    this.shown = shownKey(data);
    if (data.mode === "replay") return this.#replay(data);
    this.player.reset(data.run ?? null, remembered(this.view, data.run));
    if (!data.run) return;
    const { player } = this;
    if (data.replay) {
      player.loading = true;
      player.replay.enter({ playing: true });
    }
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

  /** A race whose messages are all here: it stands at its result until Play is pressed. */
  #replay({ messages, plays = 0, playing = plays > 0, presenting }) {
    const all = messages.map((message) => (typeof message === "string" ? JSON.parse(message) : message));
    this.player.reset(all[0]?.run?.id ?? "");
    for (const message of all) this.player.feed(message);
    this.player.replay.enter({ playing, atEnd: !playing && !presenting });
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
    if (!this.player.replay.on) remember(this.view, this.player);
    this.host.dataset.health = JSON.stringify(this.player.health());
  }

  close() {
    this.closed = true;
    this.stream?.close();
    this.parent.ownerDocument.removeEventListener("keydown", this.onKey);
    this.painted.port1.close();
    this.player?.destroy();
    this.host.remove();
  }
}

/** What of the data decides which race is shown, and whether it is replayed; another number of plays begins anew. */
function shownKey({ mode, run, replay, messages, plays = 0 }) {
  if (mode === "replay") return `replay ${plays} ${messages.length} ${String(messages[0]?.run?.id ?? messages[0])}`;
  return run ? `${replay ? "replay" : "live"} ${run}` : null;
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
