import assert from "node:assert/strict";
import { test } from "node:test";
import { Player } from "../../lib/player/player.js";
import { TextPane } from "../../lib/player/text_pane.js";
import { FakeDocument } from "./fake_dom.mjs";
import { vectors } from "./vectors.mjs";

const LANES = [{ name: "A", origin: "live", note: "" }];
const CASES = vectors("view_cuts");

/** The whole stage at each moment, after all messages have come. */
function pictures(messages, moments) {
  const host = new FakeDocument().createElement("div");
  const player = new Player(host, { lanes: LANES, theme: "light", viewerNow: () => 0 });
  player.reset("r");
  player.feed({ now: 0, run: { id: "r", lanes: LANES } });
  for (const message of messages) player.feed(structuredClone(message));
  return moments.map((t) => {
    player.seek(t);
    return host.print();
  });
}

test("a race cut into messages anywhere is the same picture at every moment", () => {
  for (const { gap_ms, cuts } of CASES) {
    const end = cuts[0][0].now;
    const moments = Array.from({ length: 120 }, (_, i) => Math.round((i * (end + 20)) / 120));
    const whole = pictures(cuts[0], moments);
    assert.ok(new Set(whole).size > 30, `the moments differ at ${gap_ms} ms`);
    for (const parts of cuts.slice(1)) {
      assert.ok(parts.length > 5);
      pictures(parts, moments).forEach((picture, i) => assert.equal(picture, whole[i], `at ${moments[i]} ms`));
    }
  }
});

test("a text makes the same blocks however it is cut, and long lines are broken before a word", () => {
  const words = Array.from({ length: 1500 }, (_, i) => (i % 97 ? `word${i}` : `${"x".repeat(i)}`)).join(" ");
  const text = `First line.\n\`\`\`\ncode here\n\`\`\`\n${words}\n${"灯塔🗼".repeat(900)}\nlast`;
  const blocks = (sizes) => {
    const document = new FakeDocument();
    const pane = new TextPane(document.createElement("div"));
    const characters = [...text];
    for (let at = 0, n = 0; at < characters.length; n += 1) {
      const size = sizes[n % sizes.length];
      pane.append(characters.slice(at, at + size).join(""));
      if (n % 3 === 0) pane.flush();
      at += size;
    }
    pane.flush();
    return pane.blocks.map(({ node }) => node.textContent);
  };
  const whole = blocks([text.length]);
  assert.equal(whole.join(""), text);
  assert.ok(whole.length > 8);
  assert.ok(Math.max(...whole.map((block) => block.length)) <= 2600);
  assert.ok(whole.slice(4).some((block) => block.startsWith(" word")));
  for (const sizes of [[1], [7, 1, 300], [1999, 3], [2600], [5000, 1]]) assert.deepEqual(blocks(sizes), whole);
});
