// The race track: what each lane had delivered, and what a person had read, against the time since its
// request. Drawn on a canvas 4 times a second; the values come from lane_model.js.

import { make, setText, setAttribute } from "./elements.js";
import { clock, count, tickTime } from "./format.js";
import { drawLimits } from "./track_limits.js";
import { choiceGroup } from "./track_choices.js";
import { delivered, readBy } from "./track_values.js";
import { fillBand, fillDot, sampled, strokeLeader, strokeLine } from "./track_pen.js";
import { decades, placeLabels, scale, ticks } from "./track_scale.js";
import { say } from "./words.js";

const HEIGHT = 128; // of the plot; with its caption the track is 160 px
const EDGE = { left: 52, right: 16, top: 16, bottom: 24 };
const LABEL_PX = 16;
const ROOM_FOR_LABELS = 1.22; // the streams end before the right edge, so that their labels fit
const LEAST_SPAN_MS = 2000;
const DASHES = { live: [], simulated: [7, 4], recorded: [2, 3] };
const LONGEST_NAME = 28;

export class Track {
  constructor(document, colours) {
    this.document = document;
    this.colours = colours;
    this.unit = "tokens";
    this.log = false;
    this.whole = false;
    this.span = null; // of a replay: {race, reading}, the ends of the two axes in ms
    this.playhead = null; // of a replay, on the run's clock
    this.boxes = [];
    this.canvas = make(document, "canvas", "tr-canvas", { role: "img" });
    this.caption = make(document, "span", "tr-caption", { "data-how": "track" });
    const choose = (help, options) =>
      choiceGroup(document, this, help, options, () => {
        this.boxes = [];
        this.onSpan?.();
        this.redraw?.();
      });
    this.head = make(
      document,
      "div",
      "tr-track-head",
      {},
      this.caption,
      choose("axis_help", { race_span: { whole: false }, reading_span: { whole: true } }),
      choose("unit_help", { tokens: { unit: "tokens" }, words: { unit: "words" }, chars: { unit: "chars" } }),
      choose("scale_help", { linear: { log: false }, log: { log: true } }),
    );
    this.root = make(document, "section", "tr-track", {}, this.head, this.canvas);
  }

  /**
   * Draw the race at `t`. `scene`: {lanes: [{generation, info, done}], reader: {generation, speeds}|null,
   * limits}.
   */
  draw(scene, t) {
    setText(this.caption, say("track", { unit: say(this.unit) }));
    const context = this.#prepare();
    if (!context) return;
    const lines = scene.lanes.map((lane) => this.#line(lane, t));
    const axes = this.#axes(scene, lines, t);
    if (scene.limits?.length) drawLimits(context, axes, scene.limits, EDGE.top, this.colours);
    if (scene.lanes.length) this.#grid(context, axes);
    if (this.span && this.playhead !== null) this.#playhead(context, axes);
    const person = scene.reader && this.#person(context, scene.reader, axes, t);
    const drawn = lines.map((line) => this.#stroke(context, line, axes));
    if (!person && !drawn.some(Boolean)) this.#ghost(context, axes);
    this.#labels(context, [...drawn, ...(person ? [person] : [])], axes);
    setAttribute(
      this.canvas,
      "aria-label",
      lines.map((line) => `${line.name} ${count(line.value)}`).join(", "),
    );
  }

  #prepare() {
    const ratio = (this.document.defaultView?.devicePixelRatio ?? 1) * (this.canvas.currentCSSZoom ?? 1);
    this.width = this.canvas.clientWidth;
    if (!this.width) return null;
    const [wide, high] = [Math.round(this.width * ratio), Math.round(HEIGHT * ratio)];
    if (this.canvas.width !== wide) this.canvas.width = wide;
    if (this.canvas.height !== high) this.canvas.height = high;
    const context = this.canvas.getContext("2d");
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, this.width, HEIGHT);
    context.font = `13px ${this.colours.font}`;
    context.textBaseline = "middle";
    return context;
  }

  #line({ generation, info, index }, t) {
    const sent = generation.sentAt(t);
    const stop = sent === null ? null : Math.min(t, generation.last ?? t);
    return {
      generation,
      sent,
      stop,
      index,
      name: info.name,
      origin: info.origin,
      ended: generation.ended(t),
      figures: generation.figures,
      value: sent === null ? 0 : delivered(generation, t, this.unit, generation.ended(t)),
    };
  }

  #axes(scene, lines, t) {
    const lengths = lines.map((line) => (line.sent === null ? 0 : (line.ended ? line.stop : t) - line.sent));
    const race = Math.max(LEAST_SPAN_MS, ...lengths) * ROOM_FOR_LABELS;
    const { reader } = scene;
    const at = this.whole && reader ? reader.generation.readerAt(t, reader.speeds) : null;
    const live = at ? Math.max(race, (at.done_ms - reader.generation.sentAt(t)) * 1.04) : race;
    const end = this.span ? (this.whole ? this.span.reading : this.span.race) : live;
    const most = Math.max(10, ...lines.map((line) => line.value));
    const top = this.log ? most * 1.5 : most * 1.12;
    const [left, right, bottom] = [EDGE.left, this.width - EDGE.right, HEIGHT - EDGE.bottom];
    return {
      end,
      top,
      left,
      right,
      bottom,
      x: scale(end, left, right, false),
      y: scale(top, bottom, EDGE.top, this.log),
    };
  }

  #grid(context, axes) {
    const values = this.log ? decades(axes.top) : ticks(axes.top, 3);
    context.fillStyle = this.colours.quiet;
    context.strokeStyle = this.colours.hairline;
    context.lineWidth = 1;
    context.setLineDash([]);
    context.textAlign = "right";
    for (const value of values) {
      const y = Math.round(axes.y(value)) + 0.5;
      context.beginPath();
      context.moveTo(axes.left, y);
      context.lineTo(axes.right, y);
      context.stroke();
      context.fillText(count(value), axes.left - 8, y);
    }
    context.textAlign = "center";
    const most = Math.max(2, Math.min(10, Math.floor(this.width / 110)));
    for (const ms of ticks(axes.end, most)) this.#tick(context, axes, ms);
  }

  #playhead(context, axes) {
    const x = Math.round(axes.x(Math.min(this.playhead - this.span.start, axes.end))) + 0.5;
    context.strokeStyle = this.colours.quiet;
    context.beginPath();
    context.moveTo(x, EDGE.top);
    context.lineTo(x, axes.bottom);
    context.stroke();
  }

  #ghost(context, axes) {
    context.textAlign = "center";
    context.fillStyle = this.colours.quiet;
    context.fillText(
      say("ghost_track"),
      (axes.left + axes.right) / 2,
      (EDGE.top + axes.bottom) / 2,
      axes.right - axes.left,
    );
  }

  #tick(context, axes, ms) {
    context.fillText(tickTime(ms), Math.min(axes.x(ms), axes.right - 10), HEIGHT - 9);
  }

  #person(context, { generation, speeds }, axes, t) {
    const sent = generation.sentAt(t);
    const at = generation.readerAt(t, speeds);
    if (sent === null || !at) return null;
    const { lo, hi, per_min } = speeds[at.unit];
    const now = Math.min(t - sent, axes.end);
    // once all text is there, the rest is known
    const until = generation.ended(t) ? Math.min(at.done_ms - sent, axes.end) : now;
    const from = generation.firstAnswer - sent;
    const counted = generation.answerScale(t);
    const path = (perMin, begin = from) =>
      sampled(axes, begin, until, (ms) => readBy(generation, ms + sent, perMin, this.unit, counted));
    const line = path(per_min);
    fillBand(context, path(lo), path(hi), this.colours.readerSoft);
    strokeLine(
      context,
      line.filter(([x]) => x <= axes.x(now)),
      this.colours.reader,
      [],
    );
    if (until > now) strokeLine(context, path(per_min, now), this.colours.reader, [], 0.75);
    if (until === at.done_ms - sent) fillDot(context, ...line[line.length - 1], this.colours.reader);
    const label = generation.ended(t)
      ? say("person_line_to", { time: clock(at.done_ms - sent) })
      : say("person_line");
    return { label, colour: this.colours.reader, points: line, anchor: line[line.length - 1] };
  }

  #stroke(context, line, axes) {
    const { generation, sent, stop, ended } = line;
    if (sent === null || generation.first === null || generation.first > stop) return null;
    const from = generation.first - sent;
    const points = sampled(axes, from, stop - sent, (ms) =>
      delivered(generation, ms + sent, this.unit, ended),
    );
    points.unshift([axes.x(from), axes.y(0)]);
    const colour = this.colours.lanes[line.index % 8];
    strokeLine(context, points, colour, DASHES[line.origin]);
    const anchor = points[points.length - 1];
    if (line.ended) fillDot(context, ...anchor, colour);
    return { label: this.#label(line), colour, points, anchor };
  }

  #label(line) {
    const hero = line.ended && line.figures?.hero;
    const name = line.name.length > LONGEST_NAME ? `${line.name.slice(0, LONGEST_NAME - 1)}…` : line.name;
    return hero && hero.text && !hero.reason ? `${name} ${hero.text}` : name;
  }

  #labels(context, drawn, axes) {
    const shown = drawn.filter(Boolean);
    const labels = shown.map(({ label, anchor }) => ({
      x: anchor[0],
      y: anchor[1],
      width: context.measureText(label).width,
    }));
    const points = shown.flatMap((line) => line.points.filter((_, i) => i % 3 === 0));
    const frame = { x: axes.left, y: EDGE.top - 3, width: axes.right - axes.left + 8, height: axes.bottom - EDGE.top };
    this.boxes = placeLabels(
      labels,
      LABEL_PX,
      frame,
      points,
      this.boxes.length === labels.length ? this.boxes : [],
    );
    context.textAlign = "left";
    context.lineJoin = "round";
    shown.forEach(({ label, colour, anchor }, i) => {
      const { x, y, height, width } = this.boxes[i];
      strokeLeader(context, anchor, { x, y: y + height / 2, width }, colour);
      context.strokeStyle = this.colours.surface;
      context.lineWidth = 4;
      context.strokeText(label, x, y + height / 2);
      context.fillStyle = colour;
      context.fillText(label, x, y + height / 2);
    });
  }
}
