// Figures over time: what charts and tables of a trend show, as values.
import { ticks } from "d3-array";
import { scaleUtc } from "d3-scale";
import { MEASURES, signedText } from "./change.js";

// A class at each point: what is known, and where it is not listed the most that it can have. Both null: nobody knows.
export function seriesOf(process, row, key) {
  return {
    values: row[key] ?? process.points.map(() => null),
    bounds: process.points.map((point, index) => (row[key]?.[index] === null && point.at_most ? (point.at_most[key] ?? null) : null)),
  };
}

// The totals of the points: what the VM had in use, what was counted, what of that is held.
export function heapLines({ points, counted: what }) {
  const of = (key) => points.map((point) => point[key] ?? null);
  const known = (values) => values.some((value) => value !== null);
  const [used, counted, held] = [of("heap_used_bytes"), of("shallow_bytes"), of("retained_bytes")];
  const lines = [{ title: "counted", values: counted }];
  if (known(used)) lines.unshift({ title: "in use, as the VM says", values: used });
  if (what !== "held" && known(held)) lines.push({ title: "held", values: held });
  return lines;
}

// The top of the axis: the largest value; bounds only where nothing is known, as they are often far off.
export function mostOf(lines) {
  const largest = (key) => lines.reduce((most, line) => (line[key] ?? []).reduce((so_far, value) => Math.max(so_far, value ?? 0), most), 0);
  return largest("values") || largest("bounds") || 1;
}

// Sizes are round in units of 1,024 bytes.
export function figureTicks(most, kind, count) {
  let unit = 1;
  while (kind === "bytes" && most / unit >= 1024) unit *= 1024;
  return ticks(0, most / unit, count).map((value) => value * unit).filter((value) => kind === "bytes" || Number.isInteger(value));
}

/**
 * From one range to another; what lies beyond an end is put there.
 * @param {[number, number]} range
 * @param {[number, number]} onto
 * @returns {(value: number) => number}
 */
export function linear([from, to], [start, end]) {
  return (value) => start + Math.min(1, Math.max(0, (value - from) / (to - from))) * (end - start);
}

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** @returns {[number, number]} */
export function timeDomain(times) {
  const [first, last] = [times[0], times[times.length - 1]];
  return last > first ? [first, last] : [first - MINUTE, first + MINUTE];
}

// The day where it begins, or where there are only days; else the time of day.
export function timeTicks(times, count) {
  const [first, last] = [times[0], times[times.length - 1]];
  const made = first === last ? [new Date(first)] : scaleUtc([new Date(first), new Date(last)], [0, 1]).ticks(count);
  const step = made.length > 1 ? Number(made[1]) - Number(made[0]) : MINUTE;
  const text = (date) => {
    const iso = date.toISOString();
    if (step >= DAY || date % DAY === 0) return iso.slice(5, 10);
    return step < MINUTE ? iso.slice(11, 19) : iso.slice(11, 16);
  };
  return made.map((date) => ({ ms: date.getTime(), text: text(date) }));
}

// So many of them that none covers the one before.
export function apart(ticks, place, least) {
  const kept = [];
  for (const tick of ticks) if (kept.length === 0 || place(tick) - place(kept[kept.length - 1]) >= least) kept.push(tick);
  return kept;
}

// The point that is nearest to a place; of two as near the earlier.
export function nearest(places, place) {
  let best = 0;
  places.forEach((one, index) => {
    if (Math.abs(one - place) < Math.abs(places[best] - place)) best = index;
  });
  return best;
}

export const perHourText = (perHour, key) => `${signedText(perHour, key)}`;

export function knownText(value, bound, key) {
  if (value !== null && value !== undefined) return MEASURES[key].figure(value);
  return bound === null || bound === undefined ? "?" : `≤${MEASURES[key].figure(bound)}`;
}

const COURSES = {
  grows: "grows",
  rises: "rises, not sure",
  flattens: "flattens or steps",
  fell_again: "fell again",
  falls: "falls",
  steady: "steady",
  too_few_reports: "too few reports",
};
export const courseWords = (course) => COURSES[course] ?? course;

// As the verdict says it.
export function chanceText(chance) {
  if (chance === null || chance === undefined) return "–";
  if (chance < 0.0001) return "below 0.0001";
  if (chance < 0.001) return "below 0.001";
  return chance < 0.01 ? "below 0.01" : chance.toFixed(2);
}
