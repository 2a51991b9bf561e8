import assert from "node:assert/strict";
import { test } from "node:test";

import { Race } from "../../lib/player/lane_model.js";
import { disguised, failedOnStage } from "../../lib/player/presenting.js";

const LANES = [
  { name: "Sol", model: "sol-1", note: "at 10.1.2.3", origin: "live" },
  { name: "Ultra", model: "ultra", note: "", origin: "simulated" },
];

function raceOf(...messages) {
  const race = new Race(2);
  for (const message of messages) race.feed(message);
  return race;
}

const BEGUN = { now: 10, e: [[0, 0, "attempt", 1], [0, 1, "sent"], [1, 0, "attempt", 1], [1, 1, "sent"]] };

test("an audience sees neither notes nor models, and before the reveal no names", () => {
  const [first, second] = disguised(LANES, ["Lane A", "Lane B"]);
  assert.deepEqual(first, { name: "Lane A", model: "", note: "", origin: "live" });
  assert.equal(second.name, "Lane B");
  assert.equal(disguised(LANES, null)[0].name, "Sol");
});

test("a live lane that has said nothing for eight seconds has failed, a simulated one is slow on purpose", () => {
  const race = raceOf(BEGUN);
  assert.equal(failedOnStage(race, LANES, 7999), null);
  assert.deepEqual(failedOnStage(race, LANES, 8000), { lane: 0, why: "silent" });
  const simulated = LANES.map((lane) => ({ ...lane, origin: "simulated" }));
  assert.equal(failedOnStage(race, simulated, 8000), null);
});

test("an error before the first token has failed, and not before it happened", () => {
  const ends = [[0, 500, "error", { kind: "server_error" }], [0, 500, "end", "error"]];
  const race = raceOf(BEGUN, { now: 510, e: ends });
  assert.equal(failedOnStage(race, LANES, 499), null);
  assert.deepEqual(failedOnStage(race, LANES, 500), { lane: 0, why: "error" });
});

test("a lane that spoke before it broke, or was stopped, has not failed on stage", () => {
  const spoke = raceOf(BEGUN, { now: 400, d: [[0, "a", [300, "Once"]]] }, { now: 510, e: [[0, 500, "end", "error"]] });
  assert.equal(failedOnStage(spoke, LANES, 20_000), null);
  const stopped = raceOf(BEGUN, { now: 510, e: [[0, 500, "end", "stopped"]] });
  assert.equal(failedOnStage(stopped, LANES, 20_000), null);
});

test("a lane whose turn has not come cannot have failed", () => {
  const race = raceOf({ now: 10, e: [[1, 0, "attempt", 1], [1, 1, "sent"]] });
  assert.equal(failedOnStage(race, LANES, 60_000), null);
});
