// Strokes of the track: lines, bands, dots and the hairlines to labels, on a 2D canvas context.

const SAMPLE_PX = 2;
const NEAR_PX = 16;

/** Points [x, y] in px of `value(ms)` from `from` to `until` ms, every few px. */
export function sampled(axes, from, until, value) {
  const points = [];
  const step = (SAMPLE_PX * axes.end) / (axes.right - axes.left);
  for (let ms = from; ms < until; ms += step) points.push([axes.x(ms), axes.y(value(ms))]);
  points.push([axes.x(until), axes.y(value(until))]);
  return points;
}

/** The surface between two curves. */
export function fillBand(context, low, high, colour) {
  context.beginPath();
  high.forEach(([x, y]) => context.lineTo(x, y));
  [...low].reverse().forEach(([x, y]) => context.lineTo(x, y));
  context.fillStyle = colour;
  context.fill();
}

export function strokeLine(context, points, colour, dash, width = 2) {
  context.beginPath();
  points.forEach(([x, y]) => context.lineTo(x, y));
  context.strokeStyle = colour;
  context.lineWidth = width;
  context.lineJoin = "round";
  context.setLineDash(dash);
  context.stroke();
  context.setLineDash([]);
}

export function fillDot(context, x, y, colour) {
  context.beginPath();
  context.arc(x, y, 4, 0, 2 * Math.PI);
  context.fillStyle = colour;
  context.fill();
}

/** A hairline from a line's end to its label, where the label had to move away. */
export function strokeLeader(context, [x, y], label, colour) {
  const gap = Math.max(label.x - x, x - label.x - label.width);
  if (Math.abs(label.y - y) < NEAR_PX && gap < 2 * NEAR_PX) return;
  context.beginPath();
  context.moveTo(x, y);
  context.lineTo(label.x > x ? label.x - 2 : label.x + label.width + 2, label.y);
  context.strokeStyle = colour;
  context.lineWidth = 0.75;
  context.stroke();
}
