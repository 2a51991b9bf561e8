// Numbers as a person reads them: the same digits as lib/numbers.py (tests/vectors/numbers.json holds both).
// Not for parsing, and not for absent values: those carry a reason and are shown by their own words.

import { say } from "./words.js";

/** Shown where a number is not there yet. */
export const ABSENT = "–";

/** An integer with thousands separators, halves rounded up. */
export function count(value) {
  return value.toFixed(0).replace(/\B(?=(\d{3})+(?!\d))/g, ",");
}

/** Three significant digits below 100, two below 10, whole above. */
export function significant(value) {
  if (value === 0) return "0";
  if (Number(value.toFixed(1)) >= 100) return count(value);
  if (Number(value.toFixed(1)) >= 1) return value.toFixed(1);
  return value.toPrecision(2);
}

/** A duration in ms as "312 ms", "10.7 s", "2 min 34 s" or "1 h 2 min". */
export function duration(ms) {
  if (ms === 0) return `0 ${say("ms")}`;
  if (Number(ms.toFixed(1)) < 1) return `${ms.toPrecision(2)} ${say("ms")}`;
  if (Number(ms.toFixed(1)) < 10) return `${ms.toFixed(1)} ${say("ms")}`;
  if (Number(ms.toFixed(0)) < 1000) return `${ms.toFixed(0)} ${say("ms")}`;
  return clock(ms);
}

/** A running duration in ms: tenths of a second from the start, so that its width does not jump. */
export function clock(ms) {
  const s = ms / 1000;
  if (Number(s.toFixed(1)) < 60) return `${s.toFixed(1)} ${say("s")}`;
  const whole = Math.round(s);
  if (whole < 3600) return `${Math.floor(whole / 60)} ${say("min")} ${whole % 60} ${say("s")}`;
  const minutes = Math.round(s / 60);
  return `${Math.floor(minutes / 60)} ${say("h")} ${minutes % 60} ${say("min")}`;
}

/** A time in ms at the edge of an axis: "0.5 s", "40 s", "1 min", "1 min 20 s". */
export function tickTime(ms) {
  const s = Number((ms / 1000).toFixed(1));
  if (s < 60) return `${s} ${say("s")}`;
  const rest = Number((s % 60).toFixed(1));
  return `${Math.floor(s / 60)} ${say("min")}${rest ? ` ${rest} ${say("s")}` : ""}`;
}

/** Dollars: two decimals from $1, three significant digits below, "$0" for free. */
export function usd(value) {
  if (value === 0) return "$0";
  if (Number(value.toPrecision(3)) >= 1) {
    const [whole, cents] = value.toFixed(2).split(".");
    return `$${count(Number(whole))}.${cents}`;
  }
  const decimals = 2 - Math.floor(Math.log10(value));
  return `$${value.toFixed(decimals).replace(/(\.\d\d\d*?)0+$/, "$1")}`;
}

/** A whole number of something: "1 word", "612 words"; `noun` is words, tokens or chars. */
export function quantity(value, noun) {
  return `${count(value)} ${say(value === 1 ? `${noun}_one` : noun)}`;
}

function percent(share) {
  const value = share * 100;
  if (value === 0) return "0 %";
  return `${Number(value.toFixed(1)) >= 10 ? value.toFixed(0) : significant(value)} %`;
}

const KINDS = {
  tok_per_s: (v) => `${significant(v)} ${say("tok_s")}`,
  words_per_s: (v) => `${significant(v)} ${say("words_s")}`,
  chars_per_s: (v) => `${significant(v)} ${say("chars_s")}`,
  words_per_min: (v) => `${count(v)} ${say("words_min")}`,
  chars_per_min: (v) => `${count(v)} ${say("chars_min")}`,
  ms: duration,
  clock_ms: clock,
  tokens: (v) => quantity(v, "tokens"),
  words: (v) => quantity(v, "words"),
  chars: (v) => quantity(v, "chars"),
  count,
  ratio: (v) => `${significant(v)}×`,
  percent,
  usd,
};

/** A value of one of the kinds of tests/vectors/numbers.json as text. */
export function format(kind, value) {
  return KINDS[kind](value);
}
