// Light or dark, by the page's own background; and the colours a canvas needs as plain strings.

/** [r, g, b] of "#rgb", "#rrggbb" or "rgb(...)"; null for anything else. */
export function channels(colour) {
  const text = colour.trim();
  const short = /^#([0-9a-f])([0-9a-f])([0-9a-f])$/i.exec(text);
  if (short) return short.slice(1).map((digit) => parseInt(digit + digit, 16));
  const long = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})/i.exec(text);
  if (long) return long.slice(1).map((pair) => parseInt(pair, 16));
  const rgb = /^rgba?\(\s*([\d.]+)[\s,]+([\d.]+)[\s,]+([\d.]+)(?:[\s,/]+([\d.]+))?/.exec(text);
  return rgb && rgb[4] !== "0" ? rgb.slice(1, 4).map(Number) : null;
}

/** Relative luminance 0..1 (WCAG 2). */
export function luminance(rgb) {
  const [r, g, b] = rgb.map((value) =>
    value / 255 <= 0.04045 ? value / 3294.6 : ((value / 255 + 0.055) / 1.055) ** 2.4,
  );
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/**
 * "light" or "dark" for an element: as asked, or by the background it stands on, or as the system prefers.
 */
export function themeOf(element, asked) {
  if (asked === "light" || asked === "dark") return asked;
  const view = element.ownerDocument.defaultView;
  const style = view.getComputedStyle(element);
  const body = view.getComputedStyle(element.ownerDocument.body);
  const rgb = channels(style.getPropertyValue("--st-background-color")) ?? channels(body.backgroundColor);
  if (rgb) return luminance(rgb) < 0.4 ? "dark" : "light";
  return view.matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

/** The colours of the track, read from the style sheet's variables. */
export function trackColours(element) {
  const style = element.ownerDocument.defaultView.getComputedStyle(element);
  const read = (name) => style.getPropertyValue(name).trim();
  return {
    lanes: Array.from({ length: 8 }, (_, i) => read(`--tr-lane-${i}`)),
    reader: read("--tr-reader"),
    readerSoft: read("--tr-reader-band"),
    quiet: read("--tr-quiet-solid"),
    hairline: read("--tr-hairline-solid"),
    surface: read("--tr-surface-solid"),
    font: style.fontFamily,
  };
}
