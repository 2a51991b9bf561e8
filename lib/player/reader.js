// Where a person is in a text at a given moment. Pure: times in, positions out; the Python twin is
// lib/reading.py and tests/vectors/reader.json holds both. Not a model of eyes: one constant pace that never
// runs ahead of the text.

/** Characters that are read one by one: Han, kana, Thai letters. Marks and punctuation are free. */
const SINGLE = new RegExp(
  "[\\u3005-\\u3007\\u3041-\\u3096\\u309d-\\u309f\\u30a1-\\u30fa\\u30fc-\\u30ff\\u31f0-\\u31ff" +
    "\\u3400-\\u4dbf\\u4e00-\\u9fff\\uf900-\\ufaff\\uff66-\\uff9d\\u0e01-\\u0e30\\u0e32\\u0e33\\u0e40-\\u0e46\\u{20000}-\\u{3ffff}]",
  "u",
);
const LETTER = /[\p{L}\p{N}]/u;
const IN_WORD = /[\p{L}\p{N}\p{M}'’._-]/u;
const SPACE = /\s/;
const SAMPLE_LETTERS = 400;
const TOLERANCE_MS = 1e-6;

function blank(char) {
  const code = char.charCodeAt(0);
  return code < 128 ? code <= 32 : SPACE.test(char);
}

/** The units of a growing text: `starts`, `ends` (offsets in it) and `arrivals` (ms), one item per unit. */
export class Units {
  constructor(unit) {
    this.single = unit === "char";
    this.starts = [];
    this.ends = [];
    this.arrivals = [];
    this.open = false;
    this.length = 0;
  }

  push(text, t) {
    for (const char of text) {
      this.#take(char, t);
      this.length += char.length;
    }
  }

  #take(char, t) {
    if (this.single && SINGLE.test(char)) return this.#begin(char, t, false);
    if (this.single ? !(this.open ? IN_WORD : LETTER).test(char) : blank(char)) this.open = false;
    else if (this.open) this.#extend(char, t);
    else this.#begin(char, t, true);
  }

  #begin(char, t, open) {
    this.starts.push(this.length);
    this.ends.push(this.length + char.length);
    this.arrivals.push(t);
    this.open = open;
  }

  #extend(char, t) {
    this.ends[this.ends.length - 1] = this.length + char.length;
    this.arrivals[this.arrivals.length - 1] = t;
  }
}

/**
 * Both countings of one text, and which of them suits its script ("char" when 3 in 10 letters are single
 * ones).
 */
export class Reading {
  constructor() {
    this.word = new Units("word");
    this.char = new Units("char");
    this.letters = 0;
    this.singles = 0;
  }

  push(text, t) {
    this.word.push(text, t);
    this.char.push(text, t);
    for (const char of text) {
      if (this.letters >= SAMPLE_LETTERS) break;
      if (LETTER.test(char)) this.letters += 1;
      if (SINGLE.test(char)) this.singles += 1;
    }
  }

  get unit() {
    return this.singles > 0 && this.singles >= 0.3 * this.letters ? "char" : "word";
  }

  get units() {
    return this[this.unit];
  }
}

/**
 * When each unit has been read: max(end of the one before, its own arrival) + 60 s / per_min. Grows with the
 * text.
 */
export class ReadingTimes {
  constructor(perMin) {
    this.each = 60000 / perMin;
    this.done = [];
    this.runs = []; // [first unit, its start]: no float error piles up while the reader never waits
  }

  update(arrivals) {
    this.done.length = Math.max(0, this.done.length - 1); // the last unit may have grown since
    while (this.runs.length && this.runs.at(-1)[0] >= this.done.length) this.runs.pop();
    for (let k = this.done.length; k < arrivals.length; k += 1) {
      const free = k ? this.done[k - 1] : -Infinity;
      if (arrivals[k] > free) this.runs.push([k, arrivals[k]]);
      const [first, start] = this.runs.at(-1);
      this.done.push(start + (k - first + 1) * this.each);
    }
    return this.done;
  }
}

/** When a reader of `perMin` has read each unit (ms), given when each arrived. */
export function readerDone(arrivals, perMin) {
  return new ReadingTimes(perMin).update(arrivals);
}

/** How many items of an ascending list are <= value. */
export function countUpTo(list, value) {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle] <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Units read at `t`, and the one being read (null while the reader waits or is done). */
export function readerPosition(arrivals, done, t) {
  const read = countUpTo(done, t + TOLERANCE_MS);
  return { read, reading: read < arrivals.length && arrivals[read] <= t ? read : null };
}
