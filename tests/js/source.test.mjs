import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { ENGLISH } from "../../lib/player/words.js";
import { channels, luminance } from "../../lib/player/theme.js";

const FOLDER = new URL("../../lib/player/", import.meta.url);
const SOURCES = readdirSync(FOLDER)
  .filter((name) => name.endsWith(".js"))
  .map((name) => [name, readFileSync(new URL(name, FOLDER), "utf8")]);

test("no two modules use the same top-level name: they share one scope when joined", () => {
  const names = SOURCES.flatMap(([, text]) =>
    [...text.matchAll(/^(?:export )?(?:const|let|function|class) (\w+)/gm)].map((match) => match[1]),
  );
  assert.deepEqual(
    names.filter((name, i) => names.indexOf(name) !== i),
    [],
  );
});

test("every module is joined, after those it imports from", () => {
  const init = readFileSync(new URL("__init__.py", FOLDER), "utf8");
  const order = [...init.match(/MODULES = \(([^)]*)\)/)[1].matchAll(/"(\w+)"/g)].map(
    (match) => `${match[1]}.js`,
  );
  assert.deepEqual([...order].sort(), SOURCES.map(([name]) => name).sort());
  for (const [name, text] of SOURCES) {
    for (const [, used] of text.matchAll(/^import [^;]* from "\.\/(\w+\.js)";$/gm))
      assert.ok(order.indexOf(used) < order.indexOf(name), `${name} needs ${used}`);
  }
});

test("nothing writes HTML or loads anything", () => {
  for (const [name, text] of SOURCES)
    assert.doesNotMatch(
      text,
      /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|fetch\(|import\(/,
      name,
    );
});

test("every word that is said exists, and every word that exists is translated by words.py under the same English", () => {
  const said = SOURCES.flatMap(([, text]) => [...text.matchAll(/\bsay\("(\w+)"/g)].map((match) => match[1]));
  assert.deepEqual(
    said.filter((key) => !(key in ENGLISH)),
    [],
  );
  const python = readFileSync(new URL("words.py", FOLDER), "utf8");
  const pairs = Object.fromEntries(
    [...python.matchAll(/^ {8}"(\w+)": _\(\s*"(.*)"\s*\),$/gm)].map((match) => [match[1], match[2]]),
  );
  assert.deepEqual(pairs, { ...ENGLISH });
});

test("every colour of the palette stands out from both surfaces of its theme by at least 3 to 1", () => {
  const palette = JSON.parse(readFileSync(new URL("../data/palette.json", FOLDER), "utf8"));
  const contrast = (a, b) => {
    const [x, y] = [luminance(channels(a)), luminance(channels(b))].sort((p, q) => q - p);
    return (x + 0.05) / (y + 0.05);
  };
  for (const theme of ["light", "dark"]) {
    for (const colour of [...palette.lanes, palette.reader, palette.failed, palette.quiet]) {
      for (const surface of [palette.surface, palette.reader_surface])
        assert.ok(
          contrast(colour[theme], surface[theme]) >= 3,
          `${colour.name ?? colour[theme]} on ${surface[theme]}`,
        );
    }
  }
});
