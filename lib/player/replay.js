// Replay: where the playhead of a kept race stands, how far it can go and which moments are worth a step. Pure
// data; replay_bar.js draws it.

export const REPLAY_SPEEDS = [0.1, 0.25, 0.5, 1, 2, 5, 10, 20];
const ROOM_FOR_ENDS = 1.22; // the track keeps this room right of the longest stream
const ROOM_FOR_READING = 1.04;
const SHORTEST_MS = 2000;
const TOGETHER_MS = 500; // requests closer than this share one axis
export const SAME_MOMENT_MS = 0.5;

/** The run's ms to show, moved by the viewer's clock at a speed (0.1 to 20), between `start` and `end`. */
export class Playhead {
  constructor(start = 0, end = 0) {
    Object.assign(this, { start, end, t: start, speed: 1, playing: false, last: null });
  }

  /** Learn how far the race goes (run's ms). */
  reach({ start, end }) {
    Object.assign(this, { start, end });
  }

  /** Where it stands at the viewer's `now`; stops by itself at the end. */
  at(now) {
    if (this.playing && this.last !== null)
      this.t = Math.max(this.start, this.t + Math.max(0, now - this.last) * this.speed);
    this.last = now;
    if (this.playing && this.t >= this.end) {
      this.t = this.end;
      this.playing = false;
    }
    return this.t;
  }

  /** Play on; from the end, play again from the start. */
  play() {
    if (this.t >= this.end) this.t = this.start;
    this.last = null;
    this.playing = true;
  }

  pause() {
    this.playing = false;
  }

  /** Go to `t`, as far as the race reaches. */
  seek(t) {
    this.t = Math.min(this.end, Math.max(this.start, t));
    this.last = null;
  }

  /** One speed faster (1) or slower (-1). */
  shift(step) {
    const place = REPLAY_SPEEDS.indexOf(this.speed) + step;
    this.speed = REPLAY_SPEEDS[Math.min(REPLAY_SPEEDS.length - 1, Math.max(0, place))];
  }
}

/**
 * How far a race reaches, in ms: {start: first request on the run's clock, race, reading: lengths of the
 * track's two axes}.
 */
export function replaySpan(race, speeds) {
  const generations = race.lanes.map((lane) => lane.latest);
  const known = generations.filter((generation) => generation.sent !== null);
  const begun = generations.map((g) => g.sent ?? g.events[0]?.t ?? null).filter((t) => t !== null);
  if (!begun.length) return { start: 0, race: SHORTEST_MS, reading: SHORTEST_MS };
  const start = Math.min(...begun);
  const stop = (generation) => Math.max(generation.last ?? 0, generation.end?.t ?? 0);
  const together = Math.max(...begun) - start < TOGETHER_MS;
  const lengths = known.map((g) => (g.last === null ? stop(g) : g.last) - (together ? g.sent : start));
  const end = Math.max(...generations.map(stop)) - start;
  const length = Math.max(SHORTEST_MS, end, ...lengths) * ROOM_FOR_ENDS;
  const source = race.firstToAnswer(Infinity);
  const reader = source === null ? null : generations[source].readerAt(Infinity, speeds);
  const reading = reader ? Math.max(length, (reader.done_ms - start) * ROOM_FOR_READING) : length;
  return { start, race: length, reading };
}

/** The moments of a race in order: [{t, lane, name}], name: sent, first, answer, error or end. */
export function moments(race) {
  const found = race.lanes.flatMap((lane, index) =>
    lane.generations.flatMap((generation) => momentsOf(generation).map(([t, name]) => ({ t, name, lane: index }))),
  );
  return found.filter(({ t }) => t !== null).sort((a, b) => a.t - b.t || a.lane - b.lane);
}

function momentsOf(generation) {
  if (generation.isTask) return generation.moments();
  const { first, firstThinking, firstAnswer, end, events } = generation;
  const failed = events.findLast((event) => event.name === "error");
  const thought = firstThinking !== null && firstAnswer !== null && firstAnswer > firstThinking;
  return [
    [generation.sent, "sent"],
    [first, "first"],
    [thought ? firstAnswer : null, "answer"],
    [failed ? failed.t : (end?.t ?? null), failed ? "error" : "end"],
  ];
}

/** The next moment after `t` (`step` 1) or the last one before it (-1); null when there is none. */
export function momentFrom(list, t, step) {
  if (step > 0) return list.find((moment) => moment.t > t + SAME_MOMENT_MS) ?? null;
  return list.findLast((moment) => moment.t < t - SAME_MOMENT_MS) ?? null;
}

/** What a key asks of a replay: [action, value]; null when it is none of ours. */
export function keyAction(key) {
  if (/^[0-9]$/.test(key)) return ["share", Number(key) / 10];
  const known = {
    __proto__: null,
    " ": ["toggle"],
    k: ["toggle"],
    ArrowRight: ["step", 1],
    ArrowLeft: ["step", -1],
    ArrowUp: ["speed", 1],
    ArrowDown: ["speed", -1],
    Home: ["share", 0],
    End: ["share", 1],
    f: ["first"],
  };
  return known[key] ?? null;
}
