import assert from "node:assert/strict";
import { test } from "node:test";
import { TokenEstimate } from "../../lib/player/estimate.js";
import { vectors } from "./vectors.mjs";

for (const { name, text, o200k_base, at_most } of vectors("token_estimates")) {
  test(`the estimate of ${name} is within ${at_most * 100} % of o200k_base`, () => {
    const error = Math.abs(new TokenEstimate().push(text) / o200k_base - 1);
    assert.ok(error <= at_most, `${(error * 100).toFixed(1)} %`);
  });
  test(`the estimate of ${name} does not depend on how the text was split`, () => {
    const whole = new TokenEstimate().push(text);
    const apart = new TokenEstimate();
    for (const char of text) apart.push(char);
    assert.ok(Math.abs(apart.total - whole) < 1e-6);
  });
}

test("the estimate never falls while text arrives", () => {
  const estimate = new TokenEstimate();
  let before = 0;
  for (const char of "a1 \n\t灯é🙂()__ЖخA\ud800\u0000") {
    const now = estimate.push(char);
    assert.ok(now >= before);
    before = now;
  }
});
