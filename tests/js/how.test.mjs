import assert from "node:assert/strict";
import { test } from "node:test";
import { HowBox } from "../../lib/player/how_box.js";
import { factsOf } from "../../lib/player/how_words.js";
import { limitNames, limitSentences, limitsOn } from "../../lib/player/track_limits.js";
import { FakeDocument } from "./fake_dom.mjs";

const OWN = [
  ["What it is", "live"],
  ["Token source", "usage of the server"],
];
const START = [["Trials", "one per lane"]];
const END = [...START, ["Clock late by at most", "0.4 ms"]];
const LIMITS = [
  { name: "0.1 s feels instant", time: "0.1 s", lo_ms: 100, hi_ms: null, meaning: "At once.", source: "A" },
  { name: "0.2 to 0.8 s a spoken turn", time: "0.2 to 0.8 s", lo_ms: 200, hi_ms: 800, meaning: "T.", source: "B" },
  { name: "1 s thought unbroken", time: "1 s", lo_ms: 1000, hi_ms: null, meaning: "Noticed.", source: "C" },
  { name: "10 s attention kept", time: "10 s", lo_ms: 10_000, hi_ms: null, meaning: "Longest.", source: "D" },
];

const race = (result) => ({ run: { how: START }, resultAt: () => result });
const lane = (ended) => ({ ended: () => ended, figures: { how: OWN } });
const names = (facts) => facts.map(([name]) => name);

test("a figure that still runs is an estimate; when the stream has ended it says who counted", () => {
  const running = factsOf(race(null), 5, { generation: lane(false), lag: 20 });
  assert.deepEqual(names(running), ["Token source", "Trials", "Display lag (95 %)"]);
  assert.match(running[0][1], /estimated/);
  const ended = factsOf(race({ value: { how: END } }), 5, { generation: lane(true), lag: 20 });
  assert.deepEqual(names(ended), [...names(OWN), ...names(END), "Display lag (95 %)"]);
  assert.equal(ended[1][1], "usage of the server");
});

test("what a lane says of itself stands for what the race says of all, and is said once", () => {
  const own = { ended: () => true, figures: { how: [...OWN, ["Trials", "one task"]] } };
  const facts = factsOf(race(null), 5, { generation: own, lag: 1 });
  assert.deepEqual(
    facts.filter(([name]) => name === "Trials"),
    [["Trials", "one task"]],
  );
});

test("the lag is of this screen, none in a replay, and none where nothing was painted live", () => {
  const last = (lag) => factsOf(race(null), 5, { generation: null, lag }).at(-1)[1];
  assert.match(last(27.6), /^28 ms, measured on this screen/);
  assert.notEqual(last(undefined), last(null));
  assert.doesNotMatch(last(undefined) + last(null), /measured on this screen/);
});

test("a race on stage keeps to itself what a lane is", () => {
  const facts = factsOf(race(null), 5, { generation: lane(true), lag: null, presenting: true });
  assert.ok(!names(facts).includes("What it is"));
  assert.ok(names(facts).includes("Token source"));
});

test("the verdict says of each lane who counted, other figures of the whole race do not", () => {
  const result = { value: { how: END, lanes_how: [["Token source", "lane 1: usage"]] } };
  const verdict = factsOf(race(result), 5, { generation: null, lag: 1, lanes: true });
  const track = factsOf(race(result), 5, { generation: null, lag: 1 });
  assert.deepEqual(names(verdict).slice(0, 1), ["Token source"]);
  assert.deepEqual(names(track), [...names(END), "Display lag (95 %)"]);
});

function box() {
  const document = new FakeDocument();
  const root = document.createElement("div");
  const asked = [];
  const made = new HowBox(document, root, (key, of) => {
    asked.push([key, of]);
    return { help: ["What it means."], facts: OWN };
  });
  const figure = (how, of) => {
    const element = { dataset: { how, ...(of === undefined ? {} : { lane: String(of) }) }, isConnected: true };
    element.closest = () => element;
    return element;
  };
  return { made, root, asked, figure, tell: (name, event) => root.listeners[name](event) };
}

const elsewhere = { closest: () => null };

test("a figure that is focused says its meaning and its facts; leaving it or Escape closes the box", () => {
  const { made, root, asked, figure, tell } = box();
  tell("focusin", { target: figure("ttft", 2) });
  assert.deepEqual(asked, [["ttft", 2]]);
  assert.equal(root.find("tr-how").textContent, "What it means.What it isliveToken sourceusage of the server");
  tell("keydown", { key: "Escape" });
  assert.equal(made.target, null);
  tell("focusin", { target: figure("verdict") });
  assert.deepEqual(asked.at(-1), ["verdict", null]);
  tell("focusout", {});
  assert.equal(made.target, null);
});

test("a finger opens with a tap, closes with the next one, and passing over does nothing", () => {
  const { made, figure, tell } = box();
  const hero = figure("hero", 0);
  tell("pointerover", { target: hero, pointerType: "touch" });
  assert.equal(made.target, null);
  tell("click", { target: hero });
  assert.equal(made.target, hero);
  tell("click", { target: hero });
  assert.equal(made.target, null);
  tell("click", { target: hero });
  tell("click", { target: elsewhere });
  assert.equal(made.target, null);
  tell("focusin", { target: hero });
  tell("click", { target: hero });
  assert.equal(made.target, hero);
});

test("an open box writes only when something has changed, a closed one asks nothing", () => {
  const { made, root, asked, figure, tell } = box();
  made.refresh();
  assert.equal(asked.length, 0);
  tell("focusin", { target: figure("hero", 1) });
  const shown = root.find("tr-how").children_;
  made.refresh();
  assert.equal(root.find("tr-how").children_, shown);
});

const axes = (end, right = 1000) => ({ end, right, x: (ms) => 50 + ((right - 50) * ms) / end });

test("a limit is marked only where the axis reaches, a band is cut at its end", () => {
  const times = (end) => limitsOn(axes(end), LIMITS).map(({ limit }) => limit.time);
  assert.deepEqual(times(2440), ["0.1 s", "0.2 to 0.8 s", "1 s"]);
  assert.deepEqual(times(60_000).at(-1), "10 s");
  assert.deepEqual(times(90), []);
  assert.equal(limitsOn(axes(500), LIMITS)[1].to, 1000);
});

test("names of limits never meet each other nor leave the plot", () => {
  const measure = (text) => text.length * 6;
  for (const end of [150, 900, 2440, 12_000, 61_000]) {
    for (const right of [300, 700, 1400]) {
      const shown = limitNames(limitsOn(axes(end, right), LIMITS), right, measure);
      shown.forEach(({ x, text }, i) => {
        const until = i + 1 < shown.length ? shown[i + 1].x : right;
        assert.ok(x + measure(text) <= until, `${text} at ${end} ms on ${right} px`);
      });
    }
  }
});

test("each limit is a sentence with its source", () => {
  assert.deepEqual(limitSentences(LIMITS.slice(0, 1)), ["0.1 s feels instant: At once. (A)"]);
});
