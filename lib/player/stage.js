// The stage: headline, reader, lanes and track, laid out for 2 to 8 lanes. `render(t)` shows the race at a
// moment.

import { make, setText } from "./elements.js";
import { Headline } from "./headline.js";
import { HowBox } from "./how_box.js";
import { factsOf } from "./how_words.js";
import { LaneView } from "./lane_view.js";
import { ReaderView } from "./reader_view.js";
import { limitSentences } from "./track_limits.js";
import { Track } from "./track.js";
import { themeOf, trackColours } from "./theme.js";
import { roundUp } from "./track_scale.js";
import { say } from "./words.js";

const COUNT_EVERY_MS = 100;
const TRACK_EVERY_MS = 250;
const STILL_STEP_MS = 250;
const LEAST_SCALE_MS = 2000;
/** [class, from, to]: widths of the stage in px. */
const WIDTHS = [
  ["tr-narrow", 0, 700],
  ["tr-large", 1880, 2300],
  ["tr-huge", 2300, Infinity],
];
const LEAST_LANE_PX = 226;
const GAP_PX = 12;
const READER_SHARE = 0.82; // of a lane's width
const MOST_COLUMNS = 4;
const LEAST_ROOM_PX = 1440; // a room sees two rows at most: its lanes are laid out as on this width

export class Stage {
  constructor(host, { lanes, speeds, theme, still, onCommand, health, lag, lost }) {
    const document = host.ownerDocument;
    Object.assign(this, {
      host,
      document,
      lanes,
      speeds,
      theme,
      still,
      onCommand,
      health,
      lag,
      lost,
      focused: null,
      counted: -Infinity,
      tracked: -Infinity,
      last: -Infinity,
      jump: 1, // how much faster than life a replay runs
      exact: false, // a replay at rest: nothing is held back
    });
    this.#build();
    this.#listen();
    this.applyTheme(theme);
  }

  #build() {
    const { document, lanes } = this;
    const actions = {
      stop: (lane) => this.onCommand("stop", lane),
      retry: (lane) => this.onCommand("retry", lane),
      focus: (lane) => this.focus(this.focused === lane ? null : lane),
    };
    this.views = lanes.map((info, index) => new LaneView(document, index, info, actions));
    this.reader = new ReaderView(document);
    this.headline = new Headline(document);
    this.spoken = make(document, "div", "tr-spoken", { "aria-live": "polite" });
    this.strip = make(document, "div", "tr-strip", { "aria-hidden": "true" });
    this.stripNumbers = lanes.map((info, index) => this.#stripItem(info, index));
    this.grid = make(
      document,
      "div",
      "tr-grid",
      {},
      this.reader.root,
      ...this.views.map((view) => view.root),
    );
    this.track = new Track(document, {});
    this.track.redraw = () => {
      this.tracked = -Infinity;
      this.onRedraw?.();
    };
    this.root = make(
      document,
      "div",
      "tr",
      { "data-lanes": lanes.length, "data-rows": Math.ceil(lanes.length / MOST_COLUMNS) },
      this.headline.root,
      this.headline.notice,
      this.strip,
      this.grid,
      this.track.root,
      this.spoken,
    );
    this.how = new HowBox(document, this.root, (key, lane) => this.#tell(key, lane));
    this.host.replaceChildren(this.root);
  }

  /** What is to be said of a figure: its meaning, what to know about it, how it came about. */
  #tell(key, lane) {
    if (!this.race) return null;
    const { help, generation } = lane === null ? this.#ofRace(key) : this.views[lane].help(key);
    const presenting = Boolean(this.presenting);
    const about = { generation, lag: this.lag(), presenting, lanes: key === "verdict" };
    return { help, facts: factsOf(this.race, this.last, about) };
  }

  #ofRace(key) {
    if (key === "reader") return this.reader.help();
    if (key !== "track") return { help: [], generation: null };
    const limits = limitSentences(this.race.run?.limits ?? []);
    return { help: [say("track_help"), ...limits, this.health()].filter(Boolean), generation: null };
  }

  #stripItem(info, index) {
    const number = make(this.document, "b");
    this.strip.append(
      make(
        this.document,
        "span",
        `tr-strip-item tr-c${index % 8}`,
        {},
        make(this.document, "i", "tr-dot"),
        make(this.document, "bdi", "", {}, info.name),
        number,
      ),
    );
    return number;
  }

  #listen() {
    const view = this.document.defaultView;
    this.onKey = (event) => {
      if (event.key === "Escape" && this.focused !== null) this.focus(null);
    };
    this.document.addEventListener("keydown", this.onKey);
    if (!view?.ResizeObserver) return;
    this.sizes = new view.ResizeObserver(() => this.#measure());
    this.sizes.observe(this.host);
  }

  #measure() {
    const width = this.host.clientWidth;
    for (const [name, from, to] of WIDTHS) this.root.classList.toggle(name, width >= from && width < to);
    const columns = columnsFor(this.lanes.length, this.presenting ? Math.max(width, LEAST_ROOM_PX) : width);
    this.root.style.setProperty("--tr-columns", columns);
    this.root.style.setProperty("--tr-rows", Math.ceil(this.lanes.length / columns));
    this.root.dataset.rows = Math.ceil(this.lanes.length / columns);
    for (const view of this.views) view.resize(view.root.clientWidth);
    this.reader.resize(this.reader.root.clientWidth);
    for (const view of [...this.views, this.reader]) view.text.relaid();
    this.counted = -Infinity;
    this.tracked = -Infinity;
    this.onRedraw?.();
  }

  applyTheme(asked) {
    this.root.dataset.theme = themeOf(this.root, asked);
    if (this.document.defaultView?.getComputedStyle) this.track.colours = trackColours(this.root);
    this.tracked = -Infinity;
  }

  /** Whether the style sheet had arrived when the colours were read. */
  isStyled() {
    return Boolean(this.track.colours?.quiet);
  }

  /** Read the colours again and draw what was drawn without them. */
  restyle() {
    this.applyTheme(this.root.dataset.theme);
    if (this.isStyled()) this.onRedraw?.();
  }

  destroy() {
    this.document.removeEventListener("keydown", this.onKey);
    this.sizes?.disconnect();
    this.how.destroy();
    for (const { cursor } of [...this.views.map((view) => view.foot), this.reader]) cursor.put(null);
  }

  /** Show one lane large (null: all). */
  focus(lane) {
    this.focused = lane;
    this.root.classList.toggle("tr-focused", lane !== null);
    this.views.forEach((view, index) => {
      view.root.classList.toggle("tr-in-focus", index === lane);
      setText(view.focus, say(index === lane ? "back" : "focus"));
    });
    this.#measure();
  }

  /** Dress it for a room (null: for one person); until the reveal the verdict speaks of blind names. */
  present(presenting) {
    this.presenting = presenting !== null;
    this.root.classList.toggle("tr-presenting", this.presenting);
    this.blind = presenting?.names ? { verdict: presenting.verdict } : null;
    this.counted = -Infinity;
  }

  /** The stage before the first race. */
  renderIdle() {
    this.race = null;
    this.how.close();
    this.headline.idle(this.lanes.length);
    for (const view of this.views) view.idle();
    this.reader.follow(null);
    this.reader.count(0, this.speeds);
    this.drawIdleTrack();
  }

  /**
   * Show the race at `t`: text every frame, numbers 10 and the track 4 times a second; all writes, then one
   * scroll per lane.
   */
  render(race, t, at) {
    this.race = race;
    if (t < this.last) this.counted = this.tracked = -Infinity;
    this.last = t;
    const textTime = this.still && !this.exact ? Math.floor(t / STILL_STEP_MS) * STILL_STEP_MS : t;
    const fresh = this.views.map((view, index) => view.write(race.lanes[index], textTime));
    const due =
      at - this.counted >= COUNT_EVERY_MS ||
      at < this.counted ||
      Math.abs(t - this.countedTime) >= COUNT_EVERY_MS * this.jump;
    if (due) this.#count(race, t, at);
    if (due) for (const view of this.views) view.aim(t);
    for (const view of this.views) view.text.scroll(this.still);
    this.reader.text.scroll(this.still);
    if (
      at - this.tracked >= TRACK_EVERY_MS ||
      at < this.tracked ||
      Math.abs(t - this.trackedTime) >= TRACK_EVERY_MS * this.jump
    )
      this.#drawTrack(race, t, at);
    return fresh;
  }

  #count(race, t, at) {
    this.counted = at;
    this.countedTime = t;
    const scale_ms = barScale(race, t);
    const result = race.resultAt(t);
    this.views.forEach((view, index) => {
      const phase = view.count(t, this.speeds, scale_ms, result?.value.places?.[index]);
      setText(this.stripNumbers[index], view.number.textContent);
      const said = say({ silent: "answering", retrying: "waiting" }[phase] ?? phase);
      if (view.saidPhase !== phase) setText(this.spoken, `${view.info.name}: ${said}`);
      view.saidPhase = phase;
    });
    const source = this.focused ?? race.firstToAnswer(t);
    this.reader.follow(
      source === null ? null : this.views[source].generation,
      source === null ? "" : this.lanes[source].name,
    );
    this.reader.count(t, this.speeds);
    const told = result && this.blind ? (this.blind.verdict ? this.blind : null) : (result?.value ?? null);
    const { generation } = this.reader;
    this.headline.show(race, t, told, { generation, speeds: this.speeds, lost: this.lost() });
    this.how.refresh();
  }

  drawIdleTrack() {
    this.track.draw({ lanes: [], reader: null }, 0);
  }

  #drawTrack(race, t, at) {
    this.tracked = at;
    this.trackedTime = t;
    const lanes = this.views.map((view, index) => ({
      generation: race.lanes[index].at(t),
      info: view.info,
      index,
    }));
    const { generation } = this.reader;
    const reader = generation && { generation, speeds: this.speeds };
    this.track.draw({ lanes, reader, limits: this.presenting ? [] : (race.run?.limits ?? []) }, t);
  }
}

/** How many lanes stand side by side: as many as fit, in rows of equal length, at most four. */
export function columnsFor(lanes, width) {
  const fit = Math.floor((width - GAP_PX) / (LEAST_LANE_PX + GAP_PX) - READER_SHARE);
  const most = Math.max(1, Math.min(lanes, MOST_COLUMNS, fit));
  return Math.ceil(lanes / Math.ceil(lanes / most));
}

/** The span of time that a full phase bar stands for: the longest lane, rounded up while any is running. */
export function barScale(race, t) {
  const generations = race.lanes.map((lane) => lane.at(t));
  const longest = Math.max(
    1,
    ...generations.map((generation) => generation.spansAt(t).reduce((sum, span) => sum + span, 0)),
  );
  if (generations.every((generation) => generation.ended(t))) return longest;
  return Math.max(LEAST_SCALE_MS, roundUp(longest));
}
