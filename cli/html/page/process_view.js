// The trend of one process: verdict, figures, the heap, the classes, its reports.
import { accountTrendView } from "./account_trend_view.js";
import { measureOf } from "./change.js";
import { countedWords } from "./diff_view.js";
import { el } from "./element.js";
import { fact } from "./fact.js";
import { GrowthView, leftOutClasses } from "./growth_view.js";
import { LineChart } from "./line_chart.js";
import { headline, name } from "./name.js";
import { hasObjects, objectTrendView } from "./object_trend_view.js";
import { chanceText, courseWords, heapLines, perHourText } from "./series.js";
import { Table } from "./table.js";
import { bytesText, countText, counted, durationText, utcText } from "./text.js";

const reportsText = (count) => counted(count, "report");

export function placeWords({ pid, host, container }) {
  const where = container || host;
  return [pid > 0 ? `pid ${pid}` : "heap dump", where && [" on ", name(where, 32)]];
}

export const grows = (process) => process.classes.some(({ course }) => course === "grows");

function sureWords(process) {
  const growing = process.classes.find(({ course }) => course === "grows");
  const points = process.points.length;
  if (points < process.reports_needed) return ["Not decided", `${reportsText(points)} that can be compared; the test needs ${countText(process.reports_needed)}`];
  const tested = `${counted(process.tests, "class", "classes")} changed enough to be tested`;
  if (!growing) return ["No growth", tested];
  return [`Chance ${chanceText(growing.chance_of_any)}`, `that any rises so, were its values independent; ${tested}`];
}

const JUDGED = { retained: "retained size", shallow: "shallow size", instances: "instances" };

function seriesWords(process) {
  const points = process.points.length;
  const more = [`${countedWords(process.counted)}, class by class, judged by ${JUDGED[process.judged_by]}`];
  if (process.comparable_reports < process.reports) more.push(`${reportsText(process.reports - process.comparable_reports)} left out that count otherwise or have no retained sizes`);
  if (points < process.comparable_reports) more.push(`${countText(points)} of ${countText(process.comparable_reports)} make the series, evenly`);
  if (process.copies > 0) more.push(`${counted(process.copies, "copy", "copies")} of the same dumps`);
  return [points < 2 ? reportsText(points) : `${reportsText(points)} over ${durationText(process.window_ms)}`, more.join("; ")];
}

function heapWords(process) {
  const key = measureOf(process.judged_by);
  const sum = key === "instances" ? "objects" : "bytes";
  return [courseWords(process.heap.course), process.points.length > 1 ? `${perHourText(process.heap.per_hour, key)} an hour, all ${sum} together` : ""];
}

const minuteText = (iso) => utcText(iso).replace(/:\d\d UTC$/, " UTC");

export const processFacts = (process) =>
  el(
    "dl",
    { class: "facts" },
    fact("How sure", sureWords(process)),
    fact("Since when", [minuteText(process.points[0]?.dumped_utc ?? process.first_utc), `to ${minuteText(process.points.at(-1)?.dumped_utc ?? process.last_utc)}`]),
    fact("The series", seriesWords(process)),
    fact("The heap", heapWords(process)),
  );

const chartPoints = (process) => process.points.map(({ dumped_utc, dumped_utc_ms, file }) => ({ ms: dumped_utc_ms, title: utcText(dumped_utc), file }));

export function heapView(process) {
  const lines = heapLines(process).map((line, colour) => ({ ...line, colour, title: line.title === "counted" ? `counted: ${countedWords(process.counted)}` : line.title }));
  return new LineChart({ label: "Heap", points: chartPoints(process), lines, key: "shallow_bytes" }).element;
}

export const classesView = (process) => [
  process.classes.length > 0 ? new GrowthView(process, measureOf(process.judged_by), chartPoints(process)).element : el("p", { class: "missing" }, "No class of this process was chosen."),
  leftOutClasses(process),
];

export function pointsView(process) {
  const used = process.points.some((point) => point.heap_used_bytes);
  return new Table({
    caption: "Reports",
    columns: [
      { key: "dumped_utc", title: "Dumped", kind: "text", cell: ({ dumped_utc: utc }) => utcText(utc) },
      { key: "kind", title: "Dump", kind: "text" },
      { key: "instances", title: "Objects", kind: "count" },
      { key: "shallow_bytes", title: "Counted", kind: "bytes" },
      ...(used ? [{ key: "heap_used_bytes", title: "In use", kind: "bytes", cell: ({ heap_used_bytes: bytes }) => (bytes === null ? "?" : bytesText(bytes)) }] : []),
      { key: "file", title: "File", kind: "name" },
    ],
    rows: process.points,
    sortBy: "dumped_utc",
  }).element;
}

// All of it below one heading, where there are several.
export const processInside = (process) => [
  el("p", { class: "process-verdict" }, headline(process.verdict)),
  process.caution && el("p", { class: "quiet" }, process.caution),
  processFacts(process),
  el("h3", {}, "Heap"),
  heapView(process),
  el("h3", {}, "What grows"),
  classesView(process),
  hasObjects(process) && el("h3", {}, "The same objects"),
  objectTrendView(process),
  process.accounting && el("h3", {}, "Memory accounts"),
  accountTrendView(process),
  el("h3", {}, "Reports"),
  pointsView(process),
];
