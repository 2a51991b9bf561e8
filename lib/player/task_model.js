// One backend's task in an agent loop as one lane: its answers step after step, and between them tools and people.
// Pure data, like lane_model.js; a mark (channel "x") is text that no model wrote and no count holds.

import { countUpTo } from "./reader.js";
import { Generation, makers, RATE_LEAST_MS, RATE_WINDOW_MS, SILENT_AFTER_MS } from "./lane_model.js";

const TURNS = { attempt: "connect", sent: "wait", act: "act", end: "over" };
const NAMES = { connect: "connecting", wait: "waiting", think: "thinking", answer: "answering", act: "acting" };
const SPANS = ["connect", "wait", "think", "answer", "act"];
const MOMENTS = { wait: "sent", think: "first", answer: "answer", over: "end" };

export class TaskGeneration extends Generation {
  constructor(from, steps) {
    super(from);
    this.steps = steps;
    this.isTask = true;
    this.changes = []; // [{t, kind}]: where thinking or an answer begins
    this.known = null;
  }

  get first() {
    return this.changes[0]?.t ?? null;
  }

  add(t, channel, text) {
    if (channel === "x") return this.#mark(t, text);
    const kind = channel === "r" ? "think" : "answer";
    if (this.latest !== kind) this.changes.push({ t, kind });
    this.latest = kind;
    return super.add(t, channel, text);
  }

  #mark(t, text) {
    this.latest = null; // what comes next begins anew
    this.t.push(t);
    this.channel.push("x");
    this.text.push(text);
    this.tokens.push(this.estimate.total);
    this.answerTokens.push(this.answerEstimate);
    this.chars.push(this.answerChars);
    if (!this.answer) return;
    const blank = "\n".padStart(text.length); // it parts two answers
    this.answer += blank;
    this.reading.push(blank, t);
  }

  /** What the time is spent on, and since when: [{t, kind, step, label, total_ms}] in order. */
  get turns() {
    const length = this.events.length + this.changes.length;
    if (this.known?.length !== length) this.known = { length, turns: this.#merged() };
    return this.known.turns;
  }

  #merged() {
    let step = 0;
    const begun = this.events.flatMap(({ t, name, values }) => {
      if (name === "step") [step] = values;
      const kind = TURNS[name];
      const [, label, total_ms] = kind === "act" ? values : [];
      return kind ? [{ t, kind, step, label, total_ms }] : [];
    });
    const all = [...begun, ...this.changes].sort((a, b) => a.t - b.t);
    all.forEach((turn, i) => {
      turn.step ??= all[i - 1]?.step ?? 1;
    });
    return all;
  }

  /** The turn at `t`; null before the first. */
  turnAt(t) {
    return this.turns[countUpTo(this.turns.map((turn) => turn.t), t) - 1] ?? null;
  }

  /** When the task's first request was sent. */
  sentAt(t) {
    return this.events.find((event) => event.name === "sent" && event.t <= t)?.t ?? null;
  }

  /** The time to first token of the last request that has answered by `t`, ms; null before. */
  ttftAt(t) {
    const turns = this.turns.filter((turn) => turn.t <= t);
    const at = turns.findLastIndex((turn, i) => turn.kind in { think: 1, answer: 1 } && turns[i - 1]?.kind === "wait");
    return at < 0 ? null : turns[at].t - turns[at - 1].t;
  }

  /** Tokens per second of the answer under way; null when none is. */
  rateAt(t) {
    const turns = this.turns.filter((turn) => turn.t <= t);
    if (!(turns.at(-1)?.kind in { think: 1, answer: 1 })) return null;
    const begun = turns[turns.findLastIndex((turn) => turn.kind === "wait") + 1]?.t ?? t;
    if (t - begun < RATE_LEAST_MS) return null;
    const from = Math.max(begun, t - RATE_WINDOW_MS);
    return ((this.tokensAt(t) - this.tokensAt(from)) * 1000) / (t - from);
  }

  phaseAt(t) {
    const state = super.phaseAt(t);
    const turn = this.turnAt(t);
    if (state.ended || state.name === "retrying" || !turn) return state;
    const { kind, step, label, total_ms } = turn;
    const at = { ...state, step, steps: this.steps, label, total_ms };
    const last = this.t[this.countAt(t) - 1];
    const silent = kind in { think: 1, answer: 1 } && t - last > SILENT_AFTER_MS;
    return silent ? { ...at, name: "silent", since: last } : { ...at, name: NAMES[kind], since: turn.t };
  }

  /** Lengths in ms of [connect, wait, think, answer, act] up to `t`, over all steps. */
  spansAt(t) {
    const spans = SPANS.map(() => 0);
    this.turns.forEach((turn, i) => {
      const stop = Math.min(this.turns[i + 1]?.t ?? t, this.ended(t) ? this.end.t : t);
      const place = SPANS.indexOf(turn.kind);
      if (place >= 0 && stop > turn.t) spans[place] += stop - turn.t;
    });
    return spans;
  }

  /** What a replay steps to. */
  moments() {
    return this.turns.flatMap(({ t, kind }) => (MOMENTS[kind] ? [[t, MOMENTS[kind]]] : []));
  }
}

makers.task = (from, steps) => new TaskGeneration(from, steps);
