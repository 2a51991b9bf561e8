// The clock of playback: maps the run's clock to the viewer's by a minimum filter, and holds text back just
// long enough that every delta can be painted at its own time. Works with any offset between the two clocks.

import { countUpTo } from "./reader.js";

const SPARE_MS = 6;
const LEAST_MS = 24;
const MOST_MS = 400;
const NEW_MINIMUM_MS = 15;
const MEMORY = 128;
const GROW_PER_MS = 0.5;
const SHRINK_PER_MS = 0.02;

/** The p-quantile (0..1) of a list of numbers, by rank. */
export function quantile(values, p) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(p * sorted.length))];
}

export class PlaybackClock {
  constructor(offset = Infinity) {
    this.offset = offset; // viewer's ms at the run's 0, by the fastest message so far
    this.needs = []; // how late the oldest delta of each recent message was
    this.buffer_ms = LEAST_MS;
    this.wanted_ms = LEAST_MS; // what the buffer moves to
    this.last = null; // {at, playhead}
    this.since = -Infinity; // what is older (run's ms) came as a backlog and says nothing about the display
  }

  /**
   * A message made at `now` (run's ms), whose oldest delta is from `oldest`, came at `arrival` (viewer's
   * ms).
   */
  heard(arrival, now, oldest) {
    const offset = arrival - now;
    if (offset < this.offset - NEW_MINIMUM_MS) {
      this.needs = []; // what came before was a backlog, not jitter
      this.since = now;
    }
    this.offset = Math.min(this.offset, offset);
    const backlog = offset - this.offset > MOST_MS;
    if (backlog) this.since = Math.max(this.since, now);
    if (oldest === null || backlog) return;
    this.needs.push(arrival - this.offset - oldest);
    if (this.needs.length > MEMORY) this.needs.shift();
    this.wanted_ms = Math.min(MOST_MS, Math.max(LEAST_MS, quantile(this.needs, 0.95) + SPARE_MS));
  }

  /** The run's ms to show at the viewer's `at`; never goes back. */
  playhead(at) {
    if (this.offset === Infinity) return null;
    const passed = this.last ? at - this.last.at : 0;
    this.#adjust(passed, this.last === null);
    const target = at - this.offset - this.buffer_ms;
    const playhead = this.last ? Math.max(target, this.last.playhead) : target;
    this.last = { at, playhead };
    return playhead;
  }

  #adjust(passed, first) {
    const change = this.wanted_ms - this.buffer_ms;
    if (first) this.buffer_ms = this.wanted_ms;
    else
      this.buffer_ms +=
        change > 0 ? Math.min(change, GROW_PER_MS * passed) : Math.max(change, -SHRINK_PER_MS * passed);
  }
}

/** The last `size` numbers, for quantiles of the display's own health. */
export class Recent {
  constructor(size) {
    this.size = size;
    this.values = [];
    this.next = 0;
  }

  add(value) {
    this.values[this.next] = value;
    this.next = (this.next + 1) % this.size;
  }

  quantile(p) {
    return this.values.length ? quantile(this.values, p) : null;
  }
}

/** Frames in the second before `at`, from ascending frame times. */
export function framesPerSecond(times, at) {
  return times.length - countUpTo(times, at - 1000);
}
