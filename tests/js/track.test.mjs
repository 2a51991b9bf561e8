import assert from "node:assert/strict";
import { test } from "node:test";
import { decades, placeLabels, roundUp, scale, ticks } from "../../lib/player/track_scale.js";
import { columnsFor } from "../../lib/player/stage.js";
import { channels, luminance } from "../../lib/player/theme.js";

test("axis ends are 1, 2 or 5 times a power of ten, never below the value", () => {
  assert.deepEqual([1, 1.1, 2, 3, 520, 0.03, 1000].map(roundUp), [1, 2, 2, 5, 1000, 0.05, 1000]);
});

test("ticks begin at zero and stay within the axis", () => {
  assert.deepEqual(ticks(13_600, 7), [0, 2000, 4000, 6000, 8000, 10_000, 12_000]);
  assert.deepEqual(ticks(0.3, 3), [0, 0.1, 0.2, 0.3]);
  assert.deepEqual(decades(520), [1, 10, 100]);
});

test("a linear scale maps both ends, a logarithmic one equal ratios to equal lengths", () => {
  const linear = scale(200, 10, 110, false);
  assert.deepEqual([linear(0), linear(100), linear(200)], [10, 60, 110]);
  const log = scale(1000, 0, 300, true);
  assert.deepEqual([log(0), log(1), log(10), log(100), log(1000)].map(Math.round), [0, 0, 100, 200, 300]);
});

test("nine labels at the same line end do not cover each other and stay in the frame", () => {
  const frame = { x: 50, y: 0, width: 1200, height: 150 };
  const labels = Array.from({ length: 9 }, (_, i) => ({ x: 1000, y: 70 + i, width: 120 }));
  const boxes = placeLabels(labels, 16, frame, []);
  for (const [i, a] of boxes.entries()) {
    assert.ok(a.y >= frame.y - 1e-9 && a.y + a.height <= frame.y + frame.height + 1e-9);
    for (const b of boxes.slice(i + 1))
      assert.ok(
        a.x + a.width <= b.x ||
          b.x + b.width <= a.x ||
          a.y + a.height <= b.y + 1e-9 ||
          b.y + b.height <= a.y + 1e-9,
      );
  }
});

test("a label stays where it was while that place is good", () => {
  const frame = { x: 0, y: 0, width: 1000, height: 150 };
  const before = placeLabels(
    [
      { x: 500, y: 75, width: 100 },
      { x: 500, y: 78, width: 100 },
    ],
    16,
    frame,
    [],
  );
  const after = placeLabels(
    [
      { x: 502, y: 76, width: 100 },
      { x: 502, y: 76.5, width: 100 },
    ],
    16,
    frame,
    [],
    before,
  );
  assert.deepEqual(
    after.map((box) => box.which),
    before.map((box) => box.which),
  );
});

test("lanes stand side by side while they fit, in rows of equal length, never more than four", () => {
  assert.deepEqual(
    [2, 3, 4, 5, 6, 8].map((lanes) => columnsFor(lanes, 1440)),
    [2, 3, 4, 3, 3, 4],
  );
  assert.deepEqual(
    [2, 3, 4, 5, 6, 8].map((lanes) => columnsFor(lanes, 1280)),
    [2, 3, 4, 3, 3, 4],
  );
  assert.deepEqual(
    [2, 3, 4, 8].map((lanes) => columnsFor(lanes, 900)),
    [2, 2, 2, 2],
  );
  assert.deepEqual(
    [2, 3, 4, 8].map((lanes) => columnsFor(lanes, 390)),
    [1, 1, 1, 1],
  );
});

test("light and dark are told by luminance", () => {
  assert.equal(luminance(channels("#ffffff")), 1);
  assert.ok(luminance(channels("rgb(20, 21, 23)")) < 0.01);
  assert.deepEqual(channels("#abc"), [170, 187, 204]);
  assert.equal(channels("rgba(0, 0, 0, 0)"), null);
  assert.equal(channels("transparent"), null);
});
