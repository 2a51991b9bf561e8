// The amber underline below the word that a person would be reading now. Uses the CSS highlight registry, so
// no node is split or moved; where a browser lacks it, the line at the lane's foot still shows the word.

const NAME = "tr-reader";

function registry(view) {
  const { CSS, Highlight } = view ?? {};
  if (!CSS?.highlights || !Highlight) return null;
  if (!CSS.highlights.has(NAME)) CSS.highlights.set(NAME, new Highlight());
  return CSS.highlights.get(NAME);
}

export class Cursor {
  constructor(view) {
    this.highlight = registry(view);
    this.range = null;
  }

  /** Underline this range; null takes the underline away. */
  put(range) {
    if (!this.highlight) return;
    if (this.range) this.highlight.delete(this.range);
    this.range = range;
    if (range) this.highlight.add(range);
  }
}

/** Splits a text's units into lines of at most `width` characters, always the same way from the start. */
export class ReadingLines {
  constructor(width) {
    this.width = width;
    this.firsts = [0];
    this.checked = 0;
  }

  /** {first, end}: the units of the line that unit `k` is in, among the `arrived` first units. */
  lineOf(units, k, arrived) {
    const width = units.single ? this.width / 2 : this.width; // a single character is as wide as two letters
    for (let i = Math.max(1, this.checked); i < arrived; i += 1) {
      const first = this.firsts[this.firsts.length - 1];
      if (units.ends[i] - units.starts[first] > width) this.firsts.push(i);
      this.checked = i + 1;
    }
    let line = this.firsts.length - 1;
    while (line > 0 && this.firsts[line] > k) line -= 1;
    return { first: this.firsts[line], end: Math.min(arrived, this.firsts[line + 1] ?? Infinity) };
  }
}
