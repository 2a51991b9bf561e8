import assert from "node:assert/strict";
import { test } from "node:test";
import { Race } from "../../lib/player/lane_model.js";
import { Player } from "../../lib/player/player.js";
import { keyAction, momentFrom, moments, Playhead, REPLAY_SPEEDS, replaySpan } from "../../lib/player/replay.js";
import { FakeDocument } from "./fake_dom.mjs";

const SPEEDS = { word: { per_min: 240, lo: 175, hi: 300 }, char: { per_min: 420, lo: 300, hi: 550 } };
const LANES = [
  { name: "A", origin: "live", note: "" },
  { name: "B", origin: "simulated", note: "" },
];

/** A thinks first and ends at 900; B is sent `later` ms after A, fails at 700 + later. */
function messages(later = 0) {
  return [
    { now: 0, run: { id: "r", lanes: LANES } },
    { now: 300, e: [[0, 5, "attempt", 1], [0, 10, "sent"]], d: [[0, "r", [100, "hm "]], [0, "a", [200, "one ", 50, "two "]]] },
    { now: 900, d: [[0, "a", [800, "three"]]], e: [[0, 900, "end", "complete"]] },
    {
      now: 900 + later,
      e: [
        [1, 8 + later, "attempt", 1],
        [1, 12 + later, "sent"],
        [1, 700 + later, "error", { kind: "stall" }],
        [1, 700 + later, "end", "error"],
      ],
      d: [[1, "a", [400 + later, "word "]]],
    },
  ];
}

function race(later) {
  const made = new Race(2);
  for (const message of messages(later)) made.feed(message);
  return made;
}

test("time passes at the chosen speed, and not at all while paused", () => {
  for (const speed of REPLAY_SPEEDS) {
    const head = new Playhead(100, 1e6);
    head.speed = speed;
    head.play();
    head.at(5000);
    assert.equal(head.at(5400), 100 + 400 * speed);
    head.pause();
    assert.equal(head.at(9000), 100 + 400 * speed);
    head.play();
    head.at(20000);
    assert.equal(head.at(20010), 100 + 410 * speed);
  }
});

test("a change of speed does not move the playhead", () => {
  const head = new Playhead(0, 1000);
  head.play();
  head.at(0);
  head.at(100);
  head.speed = 0.1;
  assert.equal(head.at(100), 100);
  assert.ok(Math.abs(head.at(200) - 110) < 1e-9);
});

test("playing stops at the end and begins anew from there; seeking stays within the race", () => {
  const head = new Playhead(10, 500);
  head.play();
  head.at(0);
  assert.equal(head.at(9999), 500);
  assert.equal(head.playing, false);
  head.play();
  assert.equal(head.at(10000), 10);
  head.seek(9999);
  assert.equal(head.t, 500);
  head.seek(-5);
  assert.equal(head.t, 10);
});

test("speeds step through the list and stay in it", () => {
  const head = new Playhead(0, 1);
  for (let i = 0; i < 20; i += 1) head.shift(1);
  assert.equal(head.speed, 20);
  for (let i = 0; i < 20; i += 1) head.shift(-1);
  assert.equal(head.speed, 0.1);
});

test("the moments are request, first token, first answer after thinking, failure and end, in order", () => {
  assert.deepEqual(
    moments(race()).map(({ t, lane, name }) => [t, lane, name]),
    [
      [10, 0, "sent"],
      [12, 1, "sent"],
      [100, 0, "first"],
      [200, 0, "answer"],
      [400, 1, "first"],
      [700, 1, "error"],
      [900, 0, "end"],
    ],
  );
});

test("a step goes to the moment after or before, never to the one it stands on", () => {
  const list = moments(race());
  assert.equal(momentFrom(list, 100, 1).t, 200);
  assert.equal(momentFrom(list, 100, -1).t, 12);
  assert.equal(momentFrom(list, 900, 1), null);
  assert.equal(momentFrom(list, 10, -1), null);
});

test("the span reaches past the last end, and over the whole reading when a person needs longer", () => {
  const span = replaySpan(race(), SPEEDS);
  assert.equal(span.start, 10);
  assert.ok(span.race >= 890 && span.reading >= span.race);
  assert.ok(replaySpan(race(60000), SPEEDS).race >= 60690, "lanes one after another are all reached");
});

test("a race without any request still has a span", () => {
  const span = replaySpan(new Race(2), SPEEDS);
  assert.ok(span.race > 0 && span.start === 0);
});

test("keys: digits are tenths, Home and End the ends, letters of a text nothing", () => {
  assert.deepEqual(keyAction("3"), ["share", 0.3]);
  assert.deepEqual(keyAction("End"), ["share", 1]);
  assert.deepEqual(keyAction(" "), ["toggle"]);
  assert.equal(keyAction("x"), null);
  assert.equal(keyAction("constructor"), null);
});

function player() {
  const host = new FakeDocument().createElement("div");
  let now = 0;
  const finished = [];
  const made = new Player(host, {
    lanes: LANES,
    speeds: SPEEDS,
    theme: "light",
    viewerNow: () => now,
    onFinished: (run) => finished.push(run),
  });
  made.reset("r");
  for (const message of messages()) made.feed(message);
  made.feed({ now: 950, result: { verdict: [["A was first", ""]], places: [1, null] } });
  return { player: made, host, finished, at: (ms) => (now = ms) };
}

const stageOf = (host) => [host.find("tr-headline"), host.find("tr-grid")].map((element) => element.print()).join("\n");

for (const t of [50, 150, 260, 705, 1500])
  test(`the replay at ${t} ms is the picture of frame(${t})`, () => {
    const live = player();
    live.player.seek(t);
    const replay = player();
    replay.player.replay.enter({ atEnd: true });
    replay.player.replay.playhead.seek(t);
    replay.player.replay.show();
    assert.equal(stageOf(replay.host), stageOf(live.host));
  });

test("a replay plays to its end at any speed, tells nobody that the race has finished, and gives the live view back", () => {
  const made = player();
  made.player.replay.enter({ playing: true, closable: true });
  made.player.replay.setSpeed(20);
  for (let ms = 0; ms < 3000; ms += 16) {
    made.at(ms);
    made.player.play(ms);
  }
  assert.equal(made.player.replay.playhead.playing, false);
  assert.match(made.host.find("tr-headline").textContent, /A was first/);
  assert.deepEqual(made.finished, []);
  made.player.replay.leave();
  made.player.frame(2000);
  assert.deepEqual(made.finished, ["r"]);
  assert.equal(made.player.stage.track.span, null);
});

test("keys act on the replay only while it is on, and leave texts and other buttons alone", () => {
  const { player: made } = player();
  const press = (key, target = { tagName: "DIV" }, more = {}) => {
    let taken = false;
    made.replay.key({ key, target, ...more, preventDefault: () => (taken = true) });
    return taken;
  };
  assert.equal(press(" "), false);
  made.replay.enter({ closable: true });
  assert.equal(press(" ", { tagName: "TEXTAREA" }), false);
  assert.equal(press(" ", { tagName: "BUTTON" }), false);
  assert.equal(press("f", { tagName: "DIV" }, { ctrlKey: true }), false);
  assert.equal(press("f"), true);
  assert.equal(made.replay.playhead.t, 100);
  assert.equal(press("ArrowRight"), true);
  assert.equal(made.replay.playhead.t, 200);
  assert.equal(made.replay.bar.told.textContent, "A: first answer token");
});

test("lanes of different races are told to be a race that never took place", () => {
  const { player: made, host } = player();
  made.seek(100);
  assert.equal(host.find("tr-notice").hidden, true);
  made.feed({ now: 960, run: { id: "m", lanes: LANES, merged: true } });
  made.seek(100);
  assert.equal(host.find("tr-notice").hidden, false);
  assert.match(host.find("tr-notice").textContent, /never took place/);
});
