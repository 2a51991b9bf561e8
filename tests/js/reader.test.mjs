import assert from "node:assert/strict";
import { test } from "node:test";
import { Reading, readerDone, readerPosition, ReadingTimes, Units } from "../../lib/player/reader.js";
import { vectors } from "./vectors.mjs";

function unitsOf({ deltas, unit }) {
  const units = new Units(unit);
  for (const [t, text] of deltas) units.push(text, t);
  return units;
}

for (const vector of vectors("reader")) {
  const { expect, per_min, name } = vector;
  test(`${name}`, () => {
    const { arrivals } = unitsOf(vector);
    const done = readerDone(arrivals, per_min);
    assert.equal(arrivals.length, expect.words);
    assert.equal(done.length ? Math.round(done.at(-1) * 1e6) / 1e6 : null, expect.done_ms);
    for (const [t, read, reading] of expect.positions)
      assert.deepEqual(readerPosition(arrivals, done, t), { read, reading }, `at ${t} ms`);
  });
  test(`${name}: the same when the text comes character by character`, () => {
    const apart = {
      ...vector,
      deltas: vector.deltas.flatMap(([t, text]) => [...text].map((char) => [t, char])),
    };
    assert.deepEqual(unitsOf(apart), unitsOf(vector));
  });
  test(`${name}: the same when the times are computed as the text grows`, () => {
    const units = new Units(vector.unit);
    const times = new ReadingTimes(per_min);
    for (const [t, text] of vector.deltas) {
      units.push(text, t);
      times.update(units.arrivals);
    }
    assert.deepEqual(times.done, readerDone(units.arrivals, per_min));
  });
}

test("offsets of units cut exactly the words out of the text", () => {
  const text = "  The light, 𠀀 burned\n\nwhite. ";
  const units = new Units("word");
  units.push(text, 0);
  assert.deepEqual(
    units.starts.map((start, i) => text.slice(start, units.ends[i])),
    ["The", "light,", "𠀀", "burned", "white."],
  );
});

test("a text is counted in characters when three in ten of its letters are read one by one", () => {
  const read = (text) => {
    const reading = new Reading();
    reading.push(text, 0);
    return reading.unit;
  };
  assert.equal(read("灯塔在通电以前，既是机器，也是家。"), "char");
  assert.equal(read("The word 灯塔 means lighthouse in Chinese."), "word");
  assert.equal(read(""), "word");
  assert.equal(read("등대는 집이었다"), "word");
});
