import assert from "node:assert/strict";
import { test } from "node:test";
import { Player } from "../../lib/player/player.js";
import { FakeDocument } from "./fake_dom.mjs";

const LANES = [
  { name: "A", origin: "live", note: "" },
  { name: "B", origin: "simulated", note: "" },
];
const FIGURES = {
  status: "complete",
  place: 1,
  hero: { text: "40.0", unit: "tok/s" },
  ttft: { text: "50 ms" },
  ttfat: { text: "50 ms" },
  tokens: { text: "40", source: "usage" },
  elapsed: { text: "1.1 s" },
  cost: { text: "$0" },
  tokens_total: 40,
  human_done: { text: "12.0 s", s: 12 },
  warnings: [],
  failure: null,
};

/** A small race: both lanes speak every 25 ms from 100 ms on, A ends at 1,100, B at 2,100. */
function race() {
  const messages = [
    { now: 0, run: { id: "r", lanes: LANES } },
    {
      now: 30,
      e: [
        [0, 5, "attempt", 1],
        [0, 10, "sent"],
        [1, 6, "attempt", 1],
        [1, 11, "sent"],
      ],
    },
  ];
  const say = (lane, i) => [100 + 25 * i, `${i % 10 ? " " : "\n"}word${lane}${i}`];
  for (let from = 100; from <= 2100; from += 50) {
    const within = (lane, last) =>
      Array.from({ length: 81 }, (_, i) => say(lane, i)).filter(
        ([t]) => t >= from && t < from + 50 && t < last,
      );
    const d = [
      [0, 1100],
      [1, 2100],
    ]
      .map(([lane, last]) => [
        lane,
        "a",
        within(lane, last).flatMap(([t, text], k, all) => [k ? t - all[k - 1][0] : t, text]),
      ])
      .filter(([, , pairs]) => pairs.length);
    const e = [
      [0, 1100],
      [1, 2100],
    ]
      .filter(([, last]) => last >= from && last < from + 50)
      .map(([lane, last]) => [lane, last, "end", "complete"]);
    messages.push({ now: from + 50, ...(d.length && { d }), ...(e.length && { e }) });
  }
  messages.push(
    {
      now: 2200,
      f: [
        [0, FIGURES],
        [1, { ...FIGURES, place: 2 }],
      ],
    },
    {
      now: 2250,
      result: {
        verdict: [
          ["A was first; a person needs ", ""],
          ["12.0 s", "reader"],
        ],
        places: [1, 2],
      },
    },
  );
  return messages;
}

function player({ view = null, ...options } = {}) {
  const document = new FakeDocument();
  document.defaultView = view;
  const host = document.createElement("div");
  let now = 0;
  const finished = [];
  const commands = [];
  const made = new Player(host, {
    lanes: LANES,
    theme: "light",
    viewerNow: () => now,
    onFinished: (run) => finished.push(run),
    onCommand: (...values) => commands.push(values),
    ...options,
  });
  made.reset("r");
  return {
    player: made,
    host,
    finished,
    commands,
    at: (ms) => {
      now = ms;
    },
  };
}

function shown(messages, times, feed = (made) => messages.forEach((m) => made.feed(m))) {
  const made = player();
  feed(made.player);
  for (const t of times) made.player.frame(t);
  made.at(1000); // numbers change 10 times a second at most: let the last one come
  made.player.frame(times.at(-1));
  made.host.find("tr-spoken").textContent = ""; // what was announced on the way is not part of the picture
  return made.host.print();
}

const steps = (to, by = 16) => Array.from({ length: Math.ceil(to / by) }, (_, i) => i * by).concat(to);

for (const t of [60, 700, 1500, 2300, 9000]) {
  test(`at ${t} ms the picture is the same however the playhead came there`, () => {
    const direct = shown(race(), [t]);
    assert.equal(shown(race(), steps(t)), direct, "frame by frame");
    assert.equal(shown(race(), [9000, 40, t]), direct, "seeking back and forth");
  });
  test(`at ${t} ms the picture is the same in whatever order and however often messages came`, () => {
    const numbered = race().map((message, index) => [message, index]);
    const shuffled = [...numbered]
      .sort(([, a], [, b]) => ((a * 7) % 11) - ((b * 7) % 11))
      .flatMap((pair) => [pair, pair]);
    assert.equal(
      shown(race(), [t], (made) => shuffled.forEach(([m, i]) => made.feed(m, i))),
      shown(race(), [t]),
    );
  });
}

test("the lane's text is the stream's text, character by character", () => {
  const made = player();
  race().forEach((m) => made.player.feed(m));
  made.player.frame(5000);
  const expected = Array.from({ length: 80 }, (_, i) => `${i % 10 ? " " : "\n"}word1${i}`).join("");
  assert.equal(made.host.findAll("tr-text")[2].textContent, expected);
});

test("exact figures replace the live ones when the stream has ended, not before", () => {
  const made = player();
  race().forEach((m) => made.player.feed(m));
  made.player.frame(1000);
  assert.match(made.host.findAll("tr-number")[1].textContent, /^~\d/);
  made.player.frame(1200);
  assert.equal(made.host.findAll("tr-number")[1].textContent, "40.0");
  assert.match(made.host.findAll("tr-number")[2].textContent, /^~/);
});

test("the end is told once, when the last stream has been played to its end", () => {
  const made = player();
  race().forEach((m) => made.player.feed(m));
  made.player.frame(2000);
  assert.deepEqual(made.finished, []);
  for (const t of [2150, 2200, 9000]) made.player.frame(t);
  assert.deepEqual(made.finished, ["r"]);
  assert.deepEqual(
    made.host.findAll("tr-place").map((element) => element.textContent),
    ["1st", "2nd"],
  );
  assert.match(made.host.find("tr-headline").textContent, /^A was first; a person needs 12\.0 s$/);
});

test("Retry begins the lane anew; before its moment the old text is there again", () => {
  const made = player();
  race().forEach((m) => made.player.feed(m));
  made.player.feed({
    now: 5100,
    e: [
      [1, 5000, "restart"],
      [1, 5001, "attempt", 1],
      [1, 5002, "sent"],
    ],
    d: [[1, "a", [5060, "second try"]]],
  });
  made.player.frame(5070);
  assert.equal(made.host.findAll("tr-text")[2].textContent, "second try");
  assert.equal(made.host.findAll("tr-lane")[2].dataset.phase, "answering");
  made.player.frame(4000);
  assert.match(made.host.findAll("tr-text")[2].textContent, /word179$/);
  assert.equal(made.host.findAll("tr-lane")[2].dataset.phase, "done");
});

test("a failed lane keeps its text and says what to do", () => {
  const made = player();
  const failure = {
    kind: "connection_lost",
    title: "Connection cut",
    sentence: "It broke.",
    advice: "Retry.",
    retry_helps: true,
    message: "reset",
  };
  made.player.feed({ now: 0, run: {} });
  made.player.feed({
    now: 200,
    e: [
      [0, 1, "attempt", 1],
      [0, 2, "sent"],
      [0, 150, "error", failure],
      [0, 150, "end", "error"],
    ],
    d: [[0, "a", [100, "half a"]]],
  });
  made.player.frame(300);
  assert.equal(made.host.findAll("tr-text")[1].textContent, "half a");
  assert.deepEqual(
    ["title", "sentence", "advice", "message"].map(
      (name) => made.host.find(`tr-failure-${name}`).textContent,
    ),
    ["Connection cut", "It broke.", "Retry.", "reset"],
  );
  assert.equal(made.host.find("tr-failure").hidden, false);
  made.host.find("tr-again").click();
  assert.deepEqual(made.commands, [["retry", 0]]);
});

test("Stop, Retry and Focus speak of their lane", () => {
  const made = player();
  made.host.findAll("tr-stop")[1].click();
  made.host.findAll("tr-retry")[0].click();
  assert.deepEqual(made.commands, [
    ["stop", 1],
    ["retry", 0],
  ]);
  made.host.findAll("tr-focus")[1].click();
  assert.equal(made.player.stage.focused, 1);
  assert.ok(made.host.find("tr").classList.contains("tr-focused"));
  made.host.findAll("tr-focus")[1].click();
  assert.equal(made.player.stage.focused, null);
});

const HOSTILE = [
  "<script>alert(1)</script><img src=x onerror=alert(1)>",
  "\u202Eright to left\u202C \u0000 NUL",
  "lone \ud800 half",
  "x".repeat(1_000_000),
  "${a}{b}$&",
];

for (const text of HOSTILE) {
  test(`hostile text stays text: ${JSON.stringify(text.slice(0, 24))}`, () => {
    const made = player();
    made.player.feed({ now: 0, run: {} });
    made.player.feed({
      now: 100,
      e: [
        [0, 1, "attempt", 1],
        [0, 2, "sent"],
      ],
      d: [[0, "a", [10, text.slice(0, 7), 5, text.slice(7)]]],
    });
    made.player.frame(90);
    made.player.frame(60_000);
    assert.equal(made.host.findAll("tr-text")[1].textContent, text);
    const tags = new Set(
      made.host
        .findAll("tr-block")
        .flatMap((block) => block.children_.map((child) => child.constructor.name)),
    );
    assert.deepEqual([...tags], ["FakeText"]);
  });
}

test("a text without any line end still comes in blocks of bounded size", () => {
  const made = player();
  made.player.feed({ now: 0, run: {} });
  for (let i = 0; i < 300; i += 1)
    made.player.feed({ now: 10 * i + 20, d: [[0, "a", [10 * i, "y".repeat(100)]]] });
  made.player.frame(4000);
  const sizes = made.host.findAll("tr-block").map((block) => block.textContent.length);
  assert.ok(Math.max(...sizes) <= 12_000, `${Math.max(...sizes)}`);
});

test("thinking folds when the answer begins and its text is still there", () => {
  const made = player();
  made.player.feed({ now: 0, run: {} });
  made.player.feed({
    now: 300,
    d: [
      [0, "r", [100, "let me see"]],
      [0, "a", [200, "Answer"]],
    ],
    e: [
      [0, 1, "attempt", 1],
      [0, 2, "sent"],
    ],
  });
  made.player.frame(150);
  const lane = made.host.findAll("tr-lane")[1];
  assert.equal(lane.find("tr-body").hidden, false);
  made.player.frame(250);
  assert.deepEqual(
    lane.findAll("tr-body").map((body) => [body.textContent, body.hidden]),
    [
      ["let me see", true],
      ["Answer", false],
    ],
  );
});

test("the person is told in the counted tokens of the answer once it has ended", () => {
  const speedWith = (tokens_answer) => {
    const made = player();
    made.player.feed({ now: 0, run: {} });
    made.player.feed({
      now: 300,
      d: [[0, "a", [100, "one two three four"]]],
      e: [
        [0, 2, "sent"],
        [0, 120, "end", "complete"],
      ],
      f: [[0, { ...FIGURES, tokens_answer }]],
    });
    made.player.frame(200);
    const { latest } = made.player.race.lanes[0];
    return [made.host.find("tr-person").find("tr-number").textContent, latest.answerScale(200), latest.answerScale(110)];
  };
  assert.deepEqual(speedWith(400)[0], "~397"); // 100 tokens a word, 238 words a minute
  assert.equal(speedWith(400)[2], 1);
  assert.equal(speedWith(null)[1], 1);
});

test("the server's running count is used where it is known", () => {
  const made = player();
  made.player.feed({ now: 0, run: {} });
  made.player.feed({
    now: 300,
    d: [[0, "a", [100, "one two three four"]]],
    e: [
      [0, 2, "sent"],
      [0, 150, "usage", 400],
    ],
  });
  assert.equal(made.player.race.lanes[0].latest.tokensAt(200), 400);
  assert.ok(made.player.race.lanes[0].latest.tokensAt(120) < 10);
});

test("a text that stood at its tail stands there again when the stage has got another size", () => {
  const sized = [];
  const ResizeObserver = class {
    constructor(measure) {
      sized.push(measure);
    }
    observe() {}
    disconnect() {}
  };
  const made = player({ view: { ResizeObserver, setTimeout, clearTimeout } });
  race().forEach((m) => made.player.feed(m));
  made.player.frame(740);
  const texts = made.host.findAll("tr-text");
  for (const text of texts) text.scrollTop = 17;
  made.player.frame(740);
  assert.deepEqual(new Set(texts.map((text) => text.scrollTop)), new Set([17]));
  sized.forEach((measure) => measure());
  made.player.frame(740);
  assert.deepEqual(new Set(texts.map((text) => text.scrollTop)), new Set([1e9]));
});

test("with reduced motion text moves in steps of a quarter second", () => {
  const made = player({ still: true });
  race().forEach((m) => made.player.feed(m));
  made.player.frame(740);
  const before = made.host.findAll("tr-text")[1].textContent;
  made.player.frame(749);
  assert.equal(made.host.findAll("tr-text")[1].textContent, before);
  made.player.frame(760);
  assert.notEqual(made.host.findAll("tr-text")[1].textContent, before);
});

test("for a room the track has no limits, whose small names would meet its title", () => {
  const limits = [{ name: "1 s thought unbroken", time: "1 s", lo_ms: 1000, hi_ms: null }];
  const drawn = (presenting) => {
    const { player: made } = player({ presenting });
    const [first, ...rest] = race();
    made.feed({ ...first, run: { ...first.run, limits } });
    rest.forEach((message) => made.feed(message));
    const scenes = [];
    made.stage.track.draw = (scene) => scenes.push(scene);
    made.frame(1500);
    return scenes.at(-1).limits.length;
  };
  assert.equal(drawn(undefined), 1);
  assert.equal(drawn({ names: null, verdict: null, cue: 0, play: false, speed: 1 }), 0);
});
