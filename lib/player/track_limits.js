// Response-time limits on the track: a hairline where a wait of that length ends, a light band for a spoken turn, a
// small name above the plot. Context, drawn before everything else and only where the axis already reaches.

const LIMIT_FONT_PX = 11;
const LIMIT_ROW_PX = 7; // where the names stand, above the plot
const LIMIT_APART_PX = 10;
const LINE_ALPHA = 0.45;
const BAND_ALPHA = 0.09;

/** The limits within the axis: {x, to (of a band), limit}, in px. */
export function limitsOn(axes, limits) {
  const most = axes.end;
  return limits
    .filter((limit) => limit.lo_ms < most)
    .map((limit) => ({
      limit,
      x: axes.x(limit.lo_ms),
      to: limit.hi_ms === null ? null : axes.x(Math.min(limit.hi_ms, most)),
    }));
}

/** The names that have room, whole or the time alone: [{x, text}]; `measure(text)` gives px. */
export function limitNames(marks, right, measure) {
  const names = [];
  let free = -Infinity;
  marks.forEach(({ x, limit }, i) => {
    const end = i + 1 < marks.length ? marks[i + 1].x - LIMIT_APART_PX : right;
    const text = [limit.name, limit.time].find((one) => x >= free && x + measure(one) <= end);
    if (text === undefined) return;
    names.push({ x, text });
    free = x + measure(text) + LIMIT_APART_PX;
  });
  return names;
}

export function drawLimits(context, axes, limits, top, { quiet, font }) {
  const marks = limitsOn(axes, limits);
  context.save();
  context.fillStyle = quiet;
  context.strokeStyle = quiet;
  context.lineWidth = 1;
  for (const { x, to } of marks) {
    if (to === null) {
      context.globalAlpha = LINE_ALPHA;
      context.setLineDash([1, 3]);
      context.beginPath();
      context.moveTo(Math.round(x) + 0.5, top);
      context.lineTo(Math.round(x) + 0.5, axes.bottom);
      context.stroke();
    } else {
      context.globalAlpha = BAND_ALPHA;
      context.fillRect(x, top, to - x, axes.bottom - top);
    }
  }
  context.globalAlpha = 1;
  context.setLineDash([]);
  context.font = `${LIMIT_FONT_PX}px ${font}`;
  context.textAlign = "left";
  const measure = (text) => context.measureText(text).width;
  for (const { x, text } of limitNames(marks, axes.right, measure)) context.fillText(text, x, LIMIT_ROW_PX);
  context.restore();
}

/** The limits as sentences with their sources, for whoever asks what the marks are. */
export function limitSentences(limits) {
  return limits.map(({ name, meaning, source }) => `${name}: ${meaning} (${source})`);
}
