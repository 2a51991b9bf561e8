// An agent task as one lane: what is shown of it at a moment, with its marks, its turns and its counts.

import assert from "node:assert/strict";
import test from "node:test";

import { Race } from "../../lib/player/lane_model.js";
import { liveFigures, heroOf, phaseWords } from "../../lib/player/lane_words.js";
import "../../lib/player/task_model.js";

function fed(cut = false) {
  const race = new Race(1);
  const messages = [
    { now: 0, run: { lanes: [{ name: "A", origin: "live" }], task: 2 } },
    {
      now: 400,
      d: [[0, "x", [10, "Step 1 of 2\n"]], [0, "r", [110, "Hm, let me see. "]], [0, "a", [210, "I look", 100, " at the log."]]],
      e: [[0, 10, "step", 1], [0, 10, "attempt", 1], [0, 12, "sent"], [0, 320, "usage", 20]],
    },
    { now: 400, d: [[0, "x", [320, "search, 2.0 s\n"]]], e: [[0, 320, "act", "tool", "search", 2000]] },
    {
      now: 2800,
      d: [[0, "x", [2320, "Step 2 of 2\n"]], [0, "a", [2520, "It is the lock", 100, " in the parser."]]],
      e: [[0, 2320, "step", 2], [0, 2320, "attempt", 1], [0, 2321, "sent"], [0, 2700, "usage", 34]],
    },
    { now: 2800, e: [[0, 2800, "end", "complete"]] },
  ];
  for (const message of messages)
    if (cut) for (const key of ["run", "d", "e"]) for (const row of key === "run" ? [0] : (message[key] ?? [])) {
        if (key === "run" && message.run) race.feed({ now: 0, run: message.run });
        if (key !== "run") race.feed({ now: message.now, [key]: [row] });
      }
    else race.feed(message);
  return race.lanes[0].latest;
}

test("a phase is that of the step under way, also between two answers", () => {
  const task = fed();
  const names = [5, 11, 60, 150, 250, 1000, 2320.5, 2400, 2600, 2900].map((t) => task.phaseAt(t).name);
  assert.deepEqual(names, [
    "ready", "connecting", "waiting", "thinking", "answering", "acting", "connecting", "waiting", "answering", "complete",
  ]);
  assert.deepEqual([task.phaseAt(250).step, task.phaseAt(2600).step], [1, 2]);
});

test("while a tool is waited for, its name and its clock are what is said", () => {
  const task = fed();
  const phase = task.phaseAt(1320);
  assert.equal(phaseWords(task, 1320, phase).text, "1/2 · search, 1.0 s of 2.0 s");
  assert.deepEqual(heroOf(task, 1320, phase, null), { text: "1.0 s", unit: "search", waiting: true });
});

test("figures are of the task: its clock from the first request, its tokens over all steps, the last TTFT", () => {
  const task = fed();
  const early = liveFigures(task, 1320);
  const late = liveFigures(task, 2700);
  assert.deepEqual([early.ttft, late.ttft], ["~98 ms", "~199 ms"]);
  assert.deepEqual([early.elapsed, late.elapsed], ["1.3 s", "2.7 s"]);
  assert.deepEqual([early.tokens, late.tokens], ["~20", "~34"]);
  assert.equal(task.rateAt(1320), null);
  assert.ok(task.rateAt(2799) > 0);
});

test("the spans of the bar are all of the task's time, tools included", () => {
  const task = fed();
  assert.deepEqual(task.spansAt(5000), [2 + 1, 98 + 199, 100, 110 + 280, 2000]);
});

test("a mark parts two answers for a reader and counts as no word and no token", () => {
  const task = fed();
  assert.equal(task.unitsAt(5000), "I look at the log. It is the lock in the parser.".split(" ").length);
  assert.equal(task.answer.length, task.channel.reduce((n, c, i) => n + ((c === "a" || (c === "x" && i)) ? task.text[i].length : 0), 0));
});

test("however its messages are cut, the task is the same", () => {
  const [whole, cut] = [fed(), fed(true)];
  for (let t = 0; t < 3000; t += 37)
    assert.deepEqual([whole.phaseAt(t), whole.spansAt(t), whole.tokensAt(t), whole.rateAt(t)],
      [cut.phaseAt(t), cut.spansAt(t), cut.tokensAt(t), cut.rateAt(t)]);
});
