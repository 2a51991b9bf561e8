import assert from "node:assert/strict";
import { test } from "node:test";
import { format, tickTime } from "../../lib/player/format.js";
import { vectors } from "./vectors.mjs";

for (const { kind, value, expect } of vectors("numbers")) {
  test(`${kind} ${value} reads "${expect}"`, () => assert.equal(format(kind, value), expect));
}

test("times at an axis count on in minutes", () => {
  const told = [0, 500, 40_000, 60_000, 80_000, 300_000].map(tickTime);
  assert.deepEqual(told, ["0 s", "0.5 s", "40 s", "1 min", "1 min 20 s", "5 min"]);
});
