import assert from "node:assert/strict";
import { test } from "node:test";
import { PlaybackClock, quantile } from "../../lib/player/clock.js";

/** A viewer whose clock is 5,000 ms ahead; messages every 30 ms with the given delays of their way. */
function listen(clock, delays, { from = 0, backlog = 0 } = {}) {
  delays.forEach((delay, i) => {
    const now = from + 30 * (i + 1);
    clock.heard(5000 + Math.max(now, backlog) + delay, now, now - 29);
  });
  return 5000 + from + 30 * delays.length;
}

test("on a steady line text is shown one flush and a few ms late", () => {
  const clock = new PlaybackClock();
  const at = listen(clock, Array(40).fill(2));
  const late = at - 5000 - clock.playhead(at);
  assert.ok(late >= 30 && late <= 45, `${late} ms`);
});

test("every delta has arrived when the playhead passes it, but for the worst twentieth", () => {
  const clock = new PlaybackClock();
  const delays = Array.from({ length: 200 }, (_, i) => 2 + ((i * 7) % 20));
  listen(clock, delays);
  clock.playhead(20_000);
  const missed = clock.needs.filter((need) => need > clock.buffer_ms).length;
  assert.ok(missed <= 0.05 * clock.needs.length, `${missed} missed`);
});

test("the playhead never goes back, also when the buffer has to grow", () => {
  const clock = new PlaybackClock();
  let before = -Infinity;
  for (let i = 0; i < 300; i += 1) {
    clock.heard(5000 + 30 * i + (i > 100 ? (i % 3) * 60 : 2), 30 * i, 30 * i - 29);
    const playhead = clock.playhead(5000 + 30 * i + 1);
    assert.ok(playhead >= before);
    before = playhead;
  }
});

test("a backlog at connection does not inflate the buffer", () => {
  const clock = new PlaybackClock();
  listen(clock, Array(100).fill(0), { backlog: 3000 });
  const at = listen(clock, Array(60).fill(2), { from: 3000 });
  clock.playhead(at);
  assert.ok(clock.buffer_ms < 45, `${clock.buffer_ms} ms`);
});

test("a remembered offset keeps the playhead where the race is, not where the last message was", () => {
  const clock = new PlaybackClock(5000);
  clock.heard(65_000, 10_000, 9_990); // an old message, read a minute later
  assert.ok(Math.abs(clock.playhead(65_000) - 60_000) < 50);
  assert.equal(clock.since, 10_000, "what came as a backlog is not counted as display lag");
});

test("before the first message there is nothing to show", () => {
  assert.equal(new PlaybackClock().playhead(1000), null);
});

test("quantiles are values that occurred", () => {
  assert.equal(quantile([3, 1, 2], 0.5), 2);
  assert.equal(quantile([1], 0.95), 1);
});
