// What happened in a race, from its messages; and what is so at a moment `t` (ms on the run's clock). Pure
// data: nothing here draws, and asking about an earlier `t` needs no undoing.

import { countUpTo, Reading, ReadingTimes, readerPosition } from "./reader.js";
import { TokenEstimate } from "./estimate.js";

export const RATE_WINDOW_MS = 1000;
export const RATE_LEAST_MS = 250;
export const SILENT_AFTER_MS = 2000;

/** One answer of one lane: its deltas with running counts, its events, its exact figures. */
export class Generation {
  constructor(from) {
    this.from = from; // the moment of its restart, or -Infinity for the first
    this.t = [];
    this.channel = [];
    this.text = [];
    this.tokens = []; // estimated, running
    this.answerTokens = [];
    this.chars = [];
    this.events = [];
    this.answer = "";
    this.reading = new Reading();
    this.paces = new Map();
    this.estimate = new TokenEstimate();
    this.usage = []; // [t, tokens the server reported]
    this.firstThinking = null;
    this.firstAnswer = null;
    this.end = null; // {t, status}
    this.figures = null;
    this.answerEstimate = 0;
    this.answerChars = 0;
  }

  add(t, channel, text) {
    const before = this.estimate.total;
    this.t.push(t);
    this.channel.push(channel);
    this.text.push(text);
    this.tokens.push(this.estimate.push(text));
    if (channel === "r") this.firstThinking ??= t;
    else this.firstAnswer ??= t;
    if (channel === "a") {
      this.answerEstimate += this.estimate.total - before;
      this.answerChars += text.length;
      this.answer += text;
      this.reading.push(text, t);
    }
    this.answerTokens.push(this.answerEstimate);
    this.chars.push(this.answerChars);
  }

  event(t, name, values) {
    this.events.push({ t, name, values });
    if (name === "end") this.end = { t, status: values[0] };
    if (name === "usage" && values[0] > 0) this.usage.push([t, values[0]]);
  }

  /** How many deltas have come by `t`. */
  countAt(t) {
    return countUpTo(this.t, t);
  }

  ended(t) {
    return this.end !== null && this.end.t <= t;
  }

  get first() {
    return this.t.length ? this.t[0] : null;
  }

  get last() {
    return this.t.length ? this.t[this.t.length - 1] : null;
  }

  /** When the request that counts was sent (t0), as known at `t`; null before. */
  sentAt(t) {
    let sent = null;
    for (const event of this.events) if (event.t <= t && event.name === "sent") sent = event.t;
    return sent;
  }

  get sent() {
    return this.sentAt(Infinity);
  }

  /**
   * Output tokens by `t`: the server's running count where known, otherwise estimated; `exact`: scaled to
   * the final count.
   */
  tokensAt(t, exact = this.ended(t)) {
    const estimated = this.#estimatedAt(t);
    const total = this.figures?.tokens_total;
    if (exact && total && this.estimate.total) return (estimated / this.estimate.total) * total;
    const usage = this.usage.findLast?.((row) => row[0] <= t);
    const known = usage ? this.#estimatedAt(usage[0]) : 0;
    return known ? usage[1] + (estimated - known) * (usage[1] / known) : estimated;
  }

  /** Counted tokens of the answer for each estimated one, once it has ended by `t`; 1 before, and where none are known. */
  answerScale(t) {
    const counted = this.ended(t) ? this.figures?.tokens_answer : null;
    return counted && this.answerEstimate ? counted / this.answerEstimate : 1;
  }

  #estimatedAt(t) {
    const n = this.countAt(t);
    return n ? this.tokens[n - 1] : 0;
  }

  /** Tokens per second over the last second before `t`; null when fewer than 0.25 s of text are known. */
  rateAt(t) {
    const first = this.first;
    if (first === null || t - first < RATE_LEAST_MS) return null;
    const from = Math.max(first, t - RATE_WINDOW_MS);
    return ((this.tokensAt(t) - this.tokensAt(from)) * 1000) / (t - from);
  }

  /** Units of the answer (words, or single characters) that have arrived by `t`. */
  unitsAt(t) {
    return countUpTo(this.reading.units.arrivals, t);
  }

  /** When a reader of this pace has read each unit. */
  times(perMin) {
    const units = this.reading.units;
    const key = `${this.reading.unit} ${perMin}`;
    let pace = this.paces.get(key);
    if (!pace) this.paces.set(key, (pace = { times: new ReadingTimes(perMin), length: -1 }));
    if (pace.length !== this.t.length) {
      pace.times.update(units.arrivals);
      pace.length = this.t.length;
    }
    return pace.times.done;
  }

  /** Where a reader is at `t`: {read, reading, arrived, ahead_ms, done_ms}; null before the first unit. */
  readerAt(t, speeds) {
    const { units, unit } = this.reading;
    const perMin = speeds[unit].per_min;
    const done = this.times(perMin);
    const arrived = countUpTo(units.arrivals, t);
    if (!arrived) return null;
    const { read, reading } = readerPosition(units.arrivals, done, t);
    const finished = this.ended(t) && read === units.arrivals.length;
    const ahead = arrived - read;
    return {
      unit,
      perMin,
      read,
      reading,
      arrived,
      ahead,
      finished,
      ahead_ms: Math.max(0, done[arrived - 1] - t),
      done_ms: done[done.length - 1],
    };
  }

  /**
   * Phase at `t`: {name, since, ...}; names: ready connecting waiting retrying thinking answering silent, or
   * the end's status.
   */
  phaseAt(t) {
    const state = { name: "ready", since: null, attempt: 1, warnings: [] };
    for (const event of this.events) if (event.t <= t) STEPS[event.name]?.(state, event, event.values);
    if (state.ended) return { ...state, name: state.ended, since: this.sentAt(t) };
    if (state.name === "retrying") return state;
    const n = this.countAt(t);
    if (!n) return state;
    const last = this.t[n - 1];
    if (t - last > SILENT_AFTER_MS) return { ...state, name: "silent", since: last };
    if (this.firstAnswer !== null && this.firstAnswer <= t)
      return { ...state, name: "answering", since: this.firstAnswer };
    return { ...state, name: "thinking", since: this.firstThinking };
  }

  /** Lengths in ms of [connect, wait, think, answer] up to `t`. */
  spansAt(t) {
    const start = this.events[0]?.t;
    if (start === undefined || start > t) return [0, 0, 0, 0];
    const stop = this.ended(t) ? this.end.t : t;
    const known = (moment) => (moment !== null && moment <= t ? moment : null);
    const answer = known(this.firstAnswer) ?? stop;
    const think = Math.min(answer, known(this.firstThinking) ?? answer);
    const sent = Math.min(think, this.sentAt(t) ?? think);
    return [sent - start, think - sent, answer - think, stop - answer];
  }
}

const STEPS = {
  attempt(state, event, [number]) {
    Object.assign(state, { name: "connecting", since: event.t, attempt: number });
  },
  sent(state, event) {
    Object.assign(state, { name: "waiting", since: event.t });
  },
  wait(state, event, [ms, reason]) {
    Object.assign(state, { name: "retrying", since: event.t, until: event.t + ms, reason });
  },
  warning(state, event, [code]) {
    state.warnings.push(code);
  },
  error(state, event, [failure]) {
    state.failure = failure;
  },
  end(state, event, [status]) {
    state.ended = status;
  },
};

/** One lane: its generations, oldest first; Retry begins a new one. */
export class Lane {
  constructor() {
    this.generations = [new Generation(-Infinity)];
  }

  get latest() {
    return this.generations[this.generations.length - 1];
  }

  at(t) {
    return this.generations.findLast((generation) => generation.from <= t) ?? this.generations[0];
  }
}

/** How the generations of other runs than races are made, by the key of message 0 that announces them. */
export const makers = {};

/** A whole race, as far as its messages have come. */
export class Race {
  constructor(laneCount) {
    this.lanes = Array.from({ length: laneCount }, () => new Lane());
    this.run = null;
    this.results = []; // {t: end of the last stream it speaks of, value}
    this.now = 0;
  }

  /** Take in one message; returns the time of its oldest delta, or null. */
  feed(message) {
    this.now = Math.max(this.now, message.now ?? 0);
    if (message.run) this.#begin(message.run);
    const restarted = (message.e ?? []).filter((row) => row[2] === "restart");
    for (const [lane, t] of restarted) this.#lane(lane).generations.push(new Generation(t));
    let oldest = null;
    for (const [lane, channel, pairs] of message.d ?? []) {
      let t = 0;
      for (let i = 0; i < pairs.length; i += 2) {
        t += pairs[i];
        this.#generation(lane, t).add(t, channel, pairs[i + 1]);
      }
      if (pairs.length && (oldest === null || pairs[0] < oldest)) oldest = pairs[0];
    }
    for (const [lane, t, name, ...values] of message.e ?? [])
      if (name !== "restart") this.#generation(lane, t).event(t, name, values);
    for (const [lane, figures] of message.f ?? []) this.#lane(lane).latest.figures = figures;
    if (message.result) this.results.push({ t: this.endOfText(), value: message.result });
    return oldest;
  }

  #begin(run) {
    this.run = run;
    for (const lane of run.task ? this.lanes : []) lane.generations = [makers.task(-Infinity, run.task)];
  }

  #lane(index) {
    while (this.lanes.length <= index) this.lanes.push(new Lane());
    return this.lanes[index];
  }

  #generation(lane, t) {
    return this.#lane(lane).at(t);
  }

  /** The moment the last known stream ended (ms), -Infinity before any did. */
  endOfText() {
    return Math.max(-Infinity, ...this.lanes.map((lane) => lane.latest.end?.t ?? -Infinity));
  }

  /** The result that stands at `t`: null while any lane is running, also again after a Retry. */
  resultAt(t) {
    const generations = this.lanes.map((lane) => lane.at(t));
    if (!generations.every((generation) => generation.ended(t))) return null;
    const end = Math.max(...generations.map((generation) => generation.end.t));
    return this.results.findLast((result) => result.t <= t && result.t >= end) ?? null;
  }

  /** Index of the lane whose answer text came first by `t`; null before any. */
  firstToAnswer(t) {
    let first = null;
    this.lanes.forEach((lane, index) => {
      const at = lane.at(t).reading.units.arrivals[0] ?? null;
      if (at !== null && at <= t && (first === null || at < first.at)) first = { index, at };
    });
    return first && first.index;
  }
}
