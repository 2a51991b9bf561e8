// A text that grows very fast: appended in blocks, so that the cost of a token does not depend on how much
// stands above it. The same text makes the same blocks, however it was cut. Text nodes only; whatever a model
// writes stays text.

const BLOCK_CHARS = 1200;
const LONG_BLOCK_CHARS = 2000; // of one line: from here on a block may end before a word,
const LONGEST_BLOCK_CHARS = 2600; // and here it ends, since every frame lays out the last block anew
const BLANK = /[^\S\n]/g; // where a long line may be broken
const FENCE = /^ {0,3}(```|~~~)/;

/** `at`, or one less where that would cut a character in halves. */
function whole(text, at) {
  const code = text.charCodeAt(at - 1);
  return code >= 0xd800 && code < 0xdc00 ? at - 1 : at;
}

export class TextPane {
  constructor(host) {
    this.host = host;
    this.document = host.ownerDocument;
    this.clear();
  }

  clear() {
    this.host.textContent = "";
    this.blocks = []; // {node, start}
    this.length = 0;
    this.line = "";
    this.code = false;
  }

  /** Append text; whole lines first, so that blocks end at line ends and code fences are noticed. */
  append(text) {
    let from = 0;
    while (from < text.length) {
      const block = this.#open();
      const stop = this.#stop(text, from, this.length - block.start);
      if (stop > from) this.#put(block, text.slice(from, stop));
      else block.full = true;
      from = stop;
    }
  }

  #open() {
    const block = this.blocks[this.blocks.length - 1];
    return !block || block.full ? this.#block() : block;
  }

  /** How far this block of `length` takes the text: to the line's end, or where a long line is broken. */
  #stop(text, from, length) {
    const line = text.indexOf("\n", from) + 1 || text.length;
    if (length + line - from <= LONG_BLOCK_CHARS) return line;
    BLANK.lastIndex = from + Math.max(0, LONG_BLOCK_CHARS - length);
    const blank = BLANK.exec(text)?.index ?? line;
    const longest = from + LONGEST_BLOCK_CHARS - length;
    return Math.min(line, blank, longest < text.length ? whole(text, longest) : longest);
  }

  #put(block, piece) {
    block.pending += piece;
    this.length += piece.length;
    if (this.line.length < 8) this.line += piece;
    if (piece.endsWith("\n")) this.#endLine(block);
  }

  #endLine(block) {
    const fence = FENCE.test(this.line);
    if (fence) this.code = !this.code;
    this.line = "";
    block.full = fence || this.length - block.start >= BLOCK_CHARS;
  }

  #block() {
    const element = this.document.createElement("div");
    element.className = this.code ? "tr-block tr-code" : "tr-block";
    element.dir = "auto";
    const block = { node: this.document.createTextNode(""), start: this.length, pending: "", full: false };
    element.append(block.node);
    this.host.append(element);
    this.blocks.push(block);
    return block;
  }

  /** Write what was appended since the last flush: at most one DOM write per block. */
  flush() {
    for (let i = this.blocks.length - 1; i >= 0 && this.blocks[i].pending; i -= 1) {
      this.blocks[i].node.appendData(this.blocks[i].pending);
      this.blocks[i].pending = "";
    }
  }

  /** The DOM range of text offsets [start, end); null when it is not all there yet. */
  range(start, end) {
    if (end > this.length || start >= end) return null;
    const range = this.document.createRange();
    const [first, last] = [this.#find(start), this.#find(end - 1)];
    range.setStart(first.node, start - first.start);
    range.setEnd(last.node, end - last.start);
    return range;
  }

  #find(offset) {
    let low = 0;
    let high = this.blocks.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.blocks[middle].start <= offset) low = middle;
      else high = middle - 1;
    }
    return this.blocks[low];
  }
}
