// A course as small as a word: from the least to the largest value, unless it hardly moves. Gaps where it is not known.
import { line as path } from "d3-shape";
import { svg } from "./element.js";

const WIDTH = 96;
const HEIGHT = 20;
const EDGE = 2;
const LEAST_RANGE = 0.1; // of the largest value, as in the text

// [low, range] of what is known.
export function rangeOf(values) {
  const known = values.filter((value) => value !== null);
  const low = known.reduce((least, value) => Math.min(least, value), Infinity);
  const high = known.reduce((most, value) => Math.max(most, value), 0);
  return known.length === 0 ? [0, 1] : [low, Math.max(high - low, high * LEAST_RANGE, 1)];
}

export function sparkline(values) {
  const [low, range] = rangeOf(values);
  const x = (_, index) => EDGE + (values.length > 1 ? index / (values.length - 1) : 0.5) * (WIDTH - 2 * EDGE);
  const y = (value) => HEIGHT - EDGE - ((value - low) / range) * (HEIGHT - 2 * EDGE);
  const alone = (index) => values[index] !== null && (values[index - 1] ?? null) === null && (values[index + 1] ?? null) === null;
  return svg(
    "svg",
    { class: "sparkline", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, width: WIDTH, height: HEIGHT, "aria-hidden": "true" },
    svg("path", { class: "course", d: path().x(x).y(y).defined((value) => value !== null)(values) }),
    values.map((value, index) => alone(index) && svg("circle", { class: "dot", cx: x(null, index), cy: y(value), r: 1.5 })),
  );
}
