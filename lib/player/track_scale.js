// The arithmetic of the track: round axis ends, ticks, and where labels go. Pure; track.js draws.

const ROUND_STEPS = [1, 2, 5, 10];

/** The smallest 1, 2 or 5 times a power of ten that is >= value. */
export function roundUp(value) {
  const power = 10 ** Math.floor(Math.log10(value));
  return ROUND_STEPS.map((step) => step * power).find((candidate) => candidate >= value * (1 - 1e-9));
}

/** Ticks from 0 to `end` in round steps, at most `most` of them besides 0. */
export function ticks(end, most) {
  const step = roundUp(end / most);
  return Array.from({ length: Math.floor(end / step + 1e-9) + 1 }, (_, i) =>
    Number((i * step).toPrecision(12)),
  );
}

/** Powers of ten from 1 to `end`. */
export function decades(end) {
  const found = [];
  for (let value = 1; value <= end * (1 + 1e-9); value *= 10) found.push(value);
  return found;
}

/** Maps 0..end (or 1..end when logarithmic) to low..high px; below 1 stays at `low`. */
export function scale(end, low, high, log) {
  if (!log) return (value) => low + ((high - low) * value) / end;
  const top = Math.log10(Math.max(10, end));
  return (value) => low + ((high - low) * Math.log10(Math.max(1, value))) / top;
}

function overlap(a, b) {
  const wide = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x);
  const high = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
  return wide > 0 && high > 0 ? wide * high : 0;
}

function hits(box, points) {
  return points.reduce(
    (n, [x, y]) => n + (x > box.x && x < box.x + box.width && y > box.y && y < box.y + box.height),
    0,
  );
}

function outside(box, frame) {
  return (
    Math.max(0, frame.x - box.x, box.x + box.width - frame.x - frame.width) +
    Math.max(0, frame.y - box.y, box.y + box.height - frame.y - frame.height)
  );
}

/** [px beside the line's end, how much less welcome]. */
const ASIDE = [
  [8, 0],
  [-8, 12],
  [64, 20],
  [160, 40],
  [280, 60],
];

function candidates(anchor, width, height) {
  const boxes = [];
  for (const step of [0, -1, 1, -2, 2, -3, 3, -4, 4, -5, 5, -6, 6, -7, 7]) {
    for (const [away, dislike] of ASIDE) {
      const x = away > 0 ? anchor.x + away : anchor.x + away - width;
      boxes.push({
        x,
        y: anchor.y - height / 2 + step * height * 0.5,
        width,
        height,
        far: Math.abs(step) * 6 + dislike,
      });
    }
  }
  return boxes;
}

/**
 * Boxes for labels at line ends that do not cover each other, and lines as little as possible.
 * `labels`: [{x, y, width}], `points`: [x, y] samples of all lines; `before`: boxes of the last drawing,
 * kept if good.
 */
export function placeLabels(labels, height, frame, points, before = []) {
  const placed = [];
  // low lines keep low labels
  const order = labels.map((_, index) => index).sort((a, b) => labels[b].y - labels[a].y);
  for (const index of order) {
    const label = labels[index];
    let best = null;
    candidates(label, label.width, height).forEach((box, which) => {
      const kept = before[index]?.which === which ? -6 : 0;
      const covered = placed.reduce((sum, other) => sum + (other ? overlap(box, other) : 0), 0);
      const place = box.far + kept + covered * 100 + outside(box, frame) * 1e6;
      if (best && place >= best.cost) return; // no need to look at the lines
      const cost = place + hits(box, points) * 0.8;
      if (!best || cost < best.cost) best = { ...box, which, cost };
    });
    placed[index] = best;
  }
  return placed;
}
