// How many tokens a text probably is, while it streams: one pass, no vocabulary, the same for every split of
// the text. Not a tokenizer: exact counts come from the server's usage or from lib/tokens.py when the stream
// ends. Calibrated against o200k_base; tests/js/estimate.test.mjs holds the error.

const HAN = /[\u3400-\u9fff\uf900-\ufaff]|[\u{20000}-\u{3ffff}]/u;
const KANA = /[\u3040-\u30ff\uff66-\uff9d]/;
const ANY_LETTER = /\p{L}/u;
const MARK = /\p{M}/u;

/** Tokens that the n-th letter of a Latin word adds. */
function latin(n, before) {
  if (n === 1) return before === "mark" ? 0.6 : 1; // ".name" and "(x" are often one token
  return n <= 7 ? 0.015 : 0.1;
}

function kind(char) {
  const code = char.codePointAt(0);
  if (code < 128) {
    if ((code >= 97 && code <= 122) || (code >= 65 && code <= 90)) return "latin";
    if (code >= 48 && code <= 57) return "digit";
    if (code === 10 || code === 13) return "newline";
    return code <= 32 ? "space" : "mark";
  }
  if (HAN.test(char)) return "han";
  if (KANA.test(char)) return "kana";
  if (code >= 0xac00 && code <= 0xd7af) return "hangul";
  if (code >= 0xc0 && code <= 0x24f) return "accented";
  if (MARK.test(char)) return "foreign";
  return ANY_LETTER.test(char)
    ? "foreign"
    : (code > 0x3000 && code < 0x3020) || code > 0xff00
      ? "wide"
      : "symbol";
}

/** The running estimate; `push` returns the total so far. */
export class TokenEstimate {
  constructor() {
    this.total = 0;
    this.kind = "";
    this.run = 0;
    this.upper = false;
  }

  push(text) {
    for (const char of text) this.total += this.#cost(char);
    return this.total;
  }

  #cost(char) {
    const now = kind(char);
    const upper = now === "latin" && char < "a";
    const word = now === "accented" ? "latin" : now;
    const same = word === this.kind && !(upper && !this.upper);
    const before = this.kind;
    this.run = same ? this.run + 1 : 1;
    this.kind = word;
    this.upper = upper;
    return COST[now](this.run, before);
  }
}

const COST = {
  latin,
  accented: (n) => (n === 1 ? 1.2 : 0.55),
  digit: (n) => (n % 3 === 1 ? 1 : 0),
  newline: (n, before) => (n === 1 && before !== "mark" && before !== "wide" ? 1 : 0),
  space: (n, before) => (n === 2 ? 1 : n === 1 && before === "newline" ? 0.4 : 0),
  mark: (n) => (n === 1 ? 0.95 : 0.35),
  wide: (n) => (n === 1 ? 0.9 : 0.7),
  han: () => 0.85,
  kana: () => 0.72,
  hangul: () => 0.8,
  foreign: (n) => (n === 1 ? 0.8 : 0.2),
  symbol: () => 1,
};
