import assert from "node:assert/strict";
import { test } from "node:test";
import { LineColours, firstLines } from "./growth_view.js";
import { MOST_LINES } from "./line_chart.js";
import { apart, chanceText, figureTicks, heapLines, knownText, linear, mostOf, nearest, seriesOf, timeDomain, timeTicks } from "./series.js";
import { rangeOf } from "./sparkline.js";
import { headlineText } from "./name.js";

const MB = 1024 * 1024;

test("a class that is not listed is bounded, where there is a bound", () => {
  const points = [{ at_most: { shallow_bytes: 7 } }, { at_most: null }, { at_most: { shallow_bytes: 9 } }];
  const { values, bounds } = seriesOf({ points }, { shallow_bytes: [null, 5, 6] }, "shallow_bytes");
  assert.deepEqual(values, [null, 5, 6]);
  assert.deepEqual(bounds, [7, null, null], "what is known needs no bound");
  assert.deepEqual(seriesOf({ points }, { retained_bytes: null }, "retained_bytes").values, [null, null, null]);
  assert.equal(knownText(null, 2048, "shallow_bytes"), "≤2.0 KB");
  assert.equal(knownText(null, null, "shallow_bytes"), "?");
  assert.equal(knownText(0, 5, "instances"), "0");
});

test("the heap: what the VM says, what was counted, what is held unless that is what was counted", () => {
  const points = [{ heap_used_bytes: 9, shallow_bytes: 7, retained_bytes: 5 }];
  assert.deepEqual(heapLines({ points, counted: "reached" }).map(({ title }) => title), ["in use, as the VM says", "counted", "held"]);
  assert.deepEqual(heapLines({ points, counted: "held" }).map(({ title }) => title), ["in use, as the VM says", "counted"]);
  assert.deepEqual(heapLines({ points: [{ heap_used_bytes: null, shallow_bytes: 7, retained_bytes: null }], counted: "all" }).map(({ title }) => title), ["counted"]);
});

test("the axis reaches the largest value; bounds count where there is nothing else", () => {
  assert.equal(mostOf([{ values: [1, null, 5], bounds: [null, 900, null] }]), 5);
  assert.equal(mostOf([{ values: [null], bounds: [900] }]), 900);
  assert.equal(mostOf([]), 1);
});

test("ticks of sizes are round in units of 1,024, ticks of counts are whole", () => {
  assert.deepEqual(figureTicks(4 * MB, "bytes", 4), [0, MB, 2 * MB, 3 * MB, 4 * MB]);
  assert.deepEqual(figureTicks(2, "count", 4), [0, 1, 2]);
});

test("times are those of UTC; a day is named where it begins", () => {
  const at = (text) => Date.parse(`2026-11-${text}:00Z`);
  assert.deepEqual(timeTicks([at("21T22:30"), at("22T01:30")], 3).map(({ text }) => text), ["23:00", "11-22", "01:00"]);
  assert.deepEqual(timeTicks([at("01T00:00"), at("04T00:00")], 3).map(({ text }) => text), ["11-01", "11-02", "11-03", "11-04"]);
  assert.deepEqual(timeTicks([at("21T22:30")], 8).map(({ text }) => text), ["22:30"]);
  const [first, last] = timeDomain([5]);
  assert.ok(first < 5 && last > 5);
});

test("ticks do not cover each other", () => {
  assert.deepEqual(apart([0, 5, 10, 14, 20], (tick) => tick, 10), [0, 10, 20]);
  assert.deepEqual(apart([], (tick) => tick, 10), []);
});

test("places: linear, kept within the picture, the nearest", () => {
  const x = linear([0, 10], [100, 0]);
  assert.deepEqual([x(0), x(5), x(10), x(20)], [100, 50, 0, 0]);
  assert.equal(nearest([0, 10, 20], 14), 1);
  assert.equal(nearest([0, 10, 20], -5), 0);
  assert.equal(nearest([0, 10], 5), 0);
});

test("drawn first is what grows; if nothing does, what changed most", () => {
  const rows = [{ course: "grows" }, { course: "steady" }];
  assert.deepEqual(firstLines(rows), [rows[0]]);
  const many = Array.from({ length: 9 }, (_, id) => ({ course: "grows", platform: id < 8, id }));
  assert.deepEqual(firstLines(many).map(({ id }) => id), [0, 1, 2, 3, 8], "the program's own is among them");
  assert.equal(firstLines(Array.from({ length: 9 }, () => ({ course: "steady" }))).length, 5);
});

test("a line keeps its colour; the first goes when all are taken", () => {
  const lines = new LineColours();
  const rows = Array.from({ length: MOST_LINES + 1 }, (_, id) => ({ id }));
  rows.slice(0, 3).forEach((row) => lines.toggle(row));
  lines.toggle(rows[1]);
  assert.equal(lines.colours.get(rows[2]), 2);
  lines.toggle(rows[1]);
  assert.equal(lines.colours.get(rows[1]), 1);
  rows.slice(3).forEach((row) => lines.toggle(row));
  assert.ok(!lines.colours.has(rows[0]));
  assert.equal(new Set(lines.colours.values()).size, MOST_LINES);
});

test("a chance is told as the verdict tells it", () => {
  assert.deepEqual([0.00001, 0.0005, 0.005, 0.34, 1, null].map(chanceText), ["below 0.0001", "below 0.001", "below 0.01", "0.34", "1.00", "–"]);
});

test("a course that hardly moves is flat", () => {
  assert.deepEqual(rangeOf([1000, null, 1010]), [1000, 101]);
  assert.deepEqual(rangeOf([null]), [0, 1]);
});

test("the headline stays a sentence, whatever a class is called", () => {
  const text = headlineText(`${"w".repeat(10_000)}\u202e grows: +1 KB an hour`);
  assert.ok(text.length < 130, text);
  assert.match(text, /^w+…w+\\u202e grows: \+1 KB an hour$/);
});
