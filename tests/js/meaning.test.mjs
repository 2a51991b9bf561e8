import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

const FOLDER = new URL("../../lib/ui/", import.meta.url);
const source = (name) => readFileSync(new URL(name, FOLDER), "utf8");
const { shown } = await import(`data:text/javascript,${encodeURIComponent(source("meaning_tokens.js"))}`);

test("line breaks and tabulators have signs of their own, and still break and indent", () => {
  assert.equal(shown("a\n\tb\r\n"), "a↵\n⇥\tb␍↵\n");
});

test("nothing else of a token is changed", () => {
  for (const text of ["<img src=x>", " two  blanks ", "灯塔", "&amp; $x$", ""]) assert.equal(shown(text), text);
});

test("tables and tokens write texts only", () => {
  for (const name of ["meaning_make.js", "meaning_tokens.js", "meaning_table.js"])
    assert.doesNotMatch(source(name), /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|fetch\(/, name);
});
