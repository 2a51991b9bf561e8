import assert from "node:assert/strict";
import { test } from "node:test";
import { addresses, backoff, InOrder, RunStream } from "../../lib/player/stream.js";

class FakeSocket {
  static opened = [];
  constructor(url) {
    this.url = url;
    FakeSocket.opened.push(this);
  }
  close() {
    this.closed = true;
  }
  receive(...messages) {
    this.onopen?.();
    for (const m of messages) this.onmessage({ data: JSON.stringify(m) });
  }
}
class FakeEvents extends FakeSocket {}

function follow(options = {}) {
  FakeSocket.opened = [];
  const got = [];
  const timers = [];
  const stream = new RunStream({
    base: "http://host:8501/foo/",
    path: "/race/ws/",
    run: "r/1",
    onMessage: (m) => got.push(m.now),
    WebSocketClass: FakeSocket,
    EventSourceClass: FakeEvents,
    later: (f, ms) => timers.push([f, ms]),
    ...options,
  });
  return { stream, got, timers, socket: () => FakeSocket.opened.at(-1), wake: () => timers.shift()[0]() };
}

test("the address stands beside the page's base path, with the run escaped and the number of messages received", () => {
  assert.deepEqual(addresses("https://host/foo/?page=1", "/race/ws/", "r/1", 7), {
    socket: "wss://host/foo/race/ws/r%2F1?from=7",
    events: "https://host/foo/race/sse/r%2F1?from=7",
  });
});

test("after a lost connection it goes on where it was: nothing twice, nothing lost", () => {
  const { got, socket, wake } = follow();
  socket().receive({ now: 0 }, { now: 1 });
  socket().onclose();
  wake();
  assert.match(socket().url, /from=2$/);
  socket().receive({ now: 2 });
  assert.deepEqual(got, [0, 1, 2]);
});

test("a message of a connection that was already given up is ignored", () => {
  const { got, socket, wake } = follow();
  const old = socket();
  old.receive({ now: 0 });
  old.onclose();
  wake();
  old.onmessage({ data: '{"now":99}' });
  assert.deepEqual(got, [0]);
});

test("waits grow to five seconds and begin small again after a message", () => {
  assert.deepEqual([0, 1, 2, 9].map(backoff), [150, 300, 600, 5000]);
  const { socket, timers, wake } = follow();
  socket().onclose();
  wake();
  socket().onclose();
  wake();
  socket().receive({ now: 0 });
  socket().onclose();
  assert.equal(timers[0][1], 150);
});

test("when a WebSocket never opens, server-sent events take its place", () => {
  const { socket, wake, got } = follow();
  for (let i = 0; i < 3; i += 1) {
    socket().onclose();
    wake();
  }
  assert.ok(socket() instanceof FakeEvents);
  socket().receive({ now: 0 });
  assert.deepEqual(got, [0]);
});

test("a WebSocket that has worked is not given up for events", () => {
  const { socket, wake } = follow();
  socket().receive({ now: 0 });
  for (let i = 0; i < 5; i += 1) {
    socket().onclose();
    wake();
  }
  assert.ok(!(socket() instanceof FakeEvents));
});

test("a closed stream neither delivers nor reconnects", () => {
  const { stream, socket, timers, got } = follow();
  stream.close();
  socket().onmessage({ data: '{"now":0}' });
  socket().onclose();
  assert.deepEqual([got, timers.length, socket().closed], [[], 0, true]);
});

test("messages in any order, some twice, come out once and in order", () => {
  const order = new InOrder();
  assert.deepEqual(
    [2, 0, 0, 1, 2, 4, 3].flatMap((n) => order.put(n, n)),
    [0, 1, 2, 3, 4],
  );
});

test("by default it waits with the platform's own timer", async () => {
  FakeSocket.opened = [];
  const { socket } = follow({ later: undefined });
  socket().onclose();
  await new Promise((resolve) => {
    const check = () => (FakeSocket.opened.length === 2 ? resolve() : setTimeout(check, 5));
    check();
  });
  assert.equal(FakeSocket.opened.length, 2);
});
