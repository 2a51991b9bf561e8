import assert from "node:assert/strict";
import { test } from "node:test";
import { format } from "../../lib/player/format.js";
import { vectors } from "./vectors.mjs";

for (const { kind, value, expect } of vectors("numbers")) {
  test(`${kind} ${value} reads "${expect}"`, () => assert.equal(format(kind, value), expect));
}
