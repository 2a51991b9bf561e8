// What the track shows of a lane and of a person at a moment: tokens, words or characters. Pure.

import { countUpTo } from "./reader.js";

/** What a generation had delivered by `t` in tokens, words or characters. */
export function delivered(generation, t, unit, exact = false) {
  if (unit === "tokens") return generation.tokensAt(t, exact);
  if (unit === "words") return generation.unitsAt(t);
  const n = generation.countAt(t);
  return n ? generation.chars[n - 1] : 0;
}

/** What a reader of `perMin` had read by `t`, in the same unit; `scale`: counted tokens for each estimated one. */
export function readBy(generation, t, perMin, unit, scale = 1) {
  const { units } = generation.reading;
  const done = generation.times(perMin);
  const k = countUpTo(done, t);
  const each = 60000 / perMin;
  const part = k < done.length ? Math.max(0, 1 - (done[k] - t) / each) : 0; // of the unit being read
  if (unit === "words") return k + part;
  const all = units.arrivals.length;
  return ((k + part) / all) * (unit === "chars" ? generation.answerChars : generation.answerEstimate * scale);
}
