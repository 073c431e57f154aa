// The classes: bars, and a table that sorts and filters; the bars show what the filter leaves.
import { Bars } from "./bars_view.js";
import { el } from "./element.js";
import { leftOutWords } from "./left_out.js";
import { reachText } from "./reachable_view.js";
import { Table } from "./table.js";
import { bytesText, countText } from "./text.js";

const COLUMNS = [
  { key: "class", title: "Class", kind: "name" },
  { key: "instances", title: "Objects", kind: "count" },
  { key: "shallow_bytes", title: "Shallow", kind: "bytes" },
  { key: "retained_bytes", title: "Retained", kind: "bytes", retained: true },
  { key: "largest_retained_bytes", title: "Largest one", kind: "bytes", minor: true, retained: true },
  { key: "largest_reachable_bytes", title: "One reaches", kind: "bytes", minor: true, reachable: true, cell: (row) => reachText(row.largest_reachable_bytes, row.reachable_estimated) },
  { key: "unheld_bytes", title: "Not held", kind: "bytes", minor: true, graph: true },
  { key: "loader", title: "Loader", kind: "name", minor: true },
];

export function restWords(listed, total, rest, what) {
  if (!(total > listed)) return null;
  return el(
    "p",
    { class: "quiet" },
    `${countText(total - listed)} smaller ${what} are not listed: ${countText(rest.instances)} objects, ${bytesText(rest.shallow_bytes)} shallow.`,
  );
}

// Retained sizes come with the dominators; where there are none every row says 0.
export const hasRetained = (report, rows) => report.graph !== null && rows.some((row) => row.retained_bytes > 0);

function noRetainedWords(report) {
  if (!report.graph) return "Without an object graph only shallow sizes are known.";
  return leftOutWords(report, "dominators", "Retained sizes were") ?? "No class retains anything.";
}

export function classesView(report) {
  const graph = report.graph !== null;
  const retained = hasRetained(report, report.classes);
  const reachable = report.classes.some((row) => row.largest_reachable_bytes > 0);
  const bars = new Bars(report.classes);
  const table = new Table({
    caption: "Classes",
    columns: COLUMNS.filter((column) => (graph || !column.graph) && (retained || !column.retained) && (reachable || !column.reachable)),
    rows: report.classes,
    sortBy: retained ? "retained_bytes" : "shallow_bytes",
    bar: retained ? "retained_bytes" : "shallow_bytes",
    filter: ["class", "loader"],
    filterTitle: "Filter classes",
    toggles: [{ title: "hide the platform's", keep: (row) => !row.platform, on: false }],
    onChange: (rows) => bars.draw(rows),
  });
  return [
    retained
      ? el("h3", {}, "Retained against shallow size")
      : el("h3", {}, "Shallow size"),
    !retained && el("p", { class: "missing" }, noRetainedWords(report)),
    bars.element,
    el("h3", {}, "All classes"),
    table.element,
    restWords(report.classes.length, report.classes_total, report.rest_of_classes, "classes"),
  ];
}
