// A row of a comparison: what changed, and how much of that is certain. As cli/compare/comparison.cpp and change_text.cpp have it.
import { bytesText, countText } from "./text.js";

export const MEASURES = {
  retained_bytes: { word: "retained", title: "Retained", figure: bytesText, kind: "bytes" },
  shallow_bytes: { word: "shallow", title: "Shallow", figure: bytesText, kind: "bytes" },
  instances: { word: "instances", title: "Objects", figure: countText, kind: "count" },
};

export const measureOf = (word) => Object.keys(MEASURES).find((key) => MEASURES[key].word === word);

// What the rows have figures of: sums over classes, for example, have no retained sizes.
export const measuresOf = (rows) => Object.keys(MEASURES).filter((key) => rows.length === 0 || rows.some((row) => row.change[key] !== null));

const bound = (side, key) => (side.presence === "not_listed" ? (side.at_most[key] ?? 0) : 0);

// The part of the change that is certain, whatever was not listed.
export function certainChange({ before, after, change }, key) {
  const all = change[key] ?? 0;
  return all > 0 ? Math.max(0, all - bound(before, key)) : Math.min(0, all + bound(after, key));
}

export function signedText(value, key) {
  if (value === 0) return "=";
  return (value < 0 ? "-" : "+") + MEASURES[key].figure(Math.abs(value));
}

export function changeText(row, key) {
  const certain = certainChange(row, key);
  if (certain === (row.change[key] ?? 0)) return signedText(certain, key);
  if (certain === 0) return "?";
  return (certain > 0 ? "≥" : "≤") + signedText(certain, key);
}

// What one report says: a figure, a bound, or that there is none, which `absent` puts in a word.
export function sideText(side, key, absent = "–") {
  if (side.presence === "absent") return absent;
  if (side.presence === "listed") return MEASURES[key].figure(side[key] ?? 0);
  return `≤${MEASURES[key].figure(side.at_most[key] ?? 0)}`;
}

export const sideValue = (side, key) => (side.presence === "not_listed" ? bound(side, key) : (side[key] ?? 0));

export function statusOf(row, key) {
  if (row.before.presence === "absent") return "new";
  if (row.after.presence === "absent") return "gone";
  const certain = certainChange(row, key);
  if (certain !== 0) return certain > 0 ? "grown" : "shrunk";
  return row.before.presence === row.after.presence ? "same" : "uncertain";
}

// The largest certain change first, then the largest at all; equal rows stay as they are.
export function byChange(rows, key) {
  const size = (row) => [Math.abs(certainChange(row, key)), Math.abs(row.change[key] ?? 0)];
  return rows
    .map((row) => ({ row, size: size(row) }))
    .sort((a, b) => b.size[0] - a.size[0] || b.size[1] - a.size[1])
    .map(({ row }) => row);
}
