// Brings the numbered messages of one run, each once and in order: WebSocket first, server-sent events where
// a proxy refuses WebSockets. Knows nothing of what is in a message.

const FIRST_WAIT_MS = 150;
const LONGEST_WAIT_MS = 5000;
const TRIES_BEFORE_EVENTS = 3;

/** Puts messages in order: `put` gives those that are next, drops doubles, holds early ones. */
export class InOrder {
  constructor() {
    this.next = 0;
    this.early = new Map();
  }

  put(index, message) {
    if (index < this.next) return [];
    this.early.set(index, message);
    const ready = [];
    while (this.early.has(this.next)) {
      ready.push(this.early.get(this.next));
      this.early.delete(this.next);
      this.next += 1;
    }
    return ready;
  }
}

/** How long to wait before the n-th reconnection (n from 0), ms. */
export function backoff(n) {
  return Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** n);
}

/** The addresses of a run: its WebSocket and its event stream, from `from` on, beside the page's own base. */
export function addresses(base, path, run, from) {
  const resolve = (kind) =>
    new URL(
      `${path.replace(/^\//, "").replace("/ws/", `/${kind}/`)}${encodeURIComponent(run)}?from=${from}`,
      base,
    );
  const socket = resolve("ws");
  socket.protocol = socket.protocol === "https:" ? "wss:" : "ws:";
  return { socket: socket.href, events: resolve("sse").href };
}

/** Follows a run until `close()`; calls `onMessage(object, bytes)` and `onState("open" | "lost")`. */
export class RunStream {
  constructor({
    base,
    path,
    run,
    onMessage,
    onState = () => {},
    WebSocketClass,
    EventSourceClass,
    later = (work, ms) => setTimeout(work, ms),
  }) {
    Object.assign(this, { base, path, run, onMessage, onState, WebSocketClass, EventSourceClass, later });
    this.received = 0;
    this.failures = 0;
    this.everOpen = false;
    this.closed = false;
    this.#connect();
  }

  close() {
    this.closed = true;
    this.source?.close();
  }

  #connect() {
    if (this.closed) return;
    const address = addresses(this.base, this.path, this.run, this.received);
    const events = !this.everOpen && this.failures >= TRIES_BEFORE_EVENTS && this.EventSourceClass;
    const source = events
      ? new this.EventSourceClass(address.events)
      : new this.WebSocketClass(address.socket);
    this.source = source;
    source.onopen = () => {
      if (!events) this.everOpen = true;
      this.onState("open");
    };
    source.onmessage = (event) => this.#take(source, event.data);
    source.onclose = () => this.#again(source);
    source.onerror = () => {
      if (events) {
        source.close();
        this.#again(source);
      }
    };
  }

  #take(source, data) {
    if (source !== this.source || this.closed) return;
    this.failures = 0;
    this.received += 1;
    this.onMessage(JSON.parse(data), data.length);
  }

  #again(source) {
    if (source !== this.source || this.closed) return;
    this.source = null;
    this.onState("lost");
    this.later(() => this.#connect(), backoff(this.failures));
    this.failures += 1;
  }
}
