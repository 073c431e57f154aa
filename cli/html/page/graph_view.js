// What the graph is like: objects, references, roots by kind, how firmly things are held.
import { el } from "./element.js";
import { facts } from "./facts.js";
import { leftOutWords } from "./left_out.js";
import { objectName } from "./name.js";
import { noGraphWords } from "./no_graph.js";
import { Table } from "./table.js";
import { bytesText, countText } from "./text.js";

const words = (word) => word.replaceAll("_", " ");

function rootKinds(report) {
  const { graph } = report;
  const counted = graph.root_kinds.some((row) => row.roots > 0);
  const reason = counted ? null : leftOutWords(report, "statistics", "The GC roots by kind were");
  if (reason) return el("p", { class: "missing" }, reason);
  return new Table({
    caption: "GC roots by kind",
    sortBy: "retained_bytes",
    bar: "retained_bytes",
    rows: graph.root_kinds,
    columns: [
      { key: "root_kind", title: "GC roots", kind: "text", cell: (row) => words(row.root_kind) },
      { key: "roots", title: "Roots", kind: "count" },
      { key: "objects", title: "Objects", kind: "count", minor: true },
      { key: "retained_bytes", title: "Retained", kind: "bytes" },
    ],
  }).element;
}

function strengths(graph) {
  return new Table({
    caption: "Strength of what holds",
    sortBy: "shallow_bytes",
    rows: graph.strengths,
    columns: [
      { key: "strength", title: "Held at best", kind: "text" },
      { key: "objects", title: "Objects", kind: "count" },
      { key: "shallow_bytes", title: "Shallow", kind: "bytes" },
    ],
  }).element;
}

export function graphView(report) {
  const { graph } = report;
  if (!graph) return el("p", { class: "missing" }, noGraphWords(report));
  const dominated = graph.held_bytes > 0;
  const widest = graph.max_out_degree_object;
  return [
    facts([
      ["Objects", countText(graph.objects)],
      ["References", countText(graph.references)],
      ["GC roots", countText(graph.roots)],
      ["Shallow size of all", bytesText(graph.shallow_bytes)],
      ["Held", dominated ? `${countText(graph.held_objects)} objects, ${bytesText(graph.held_bytes)}` : null],
      ["Depth of the dominator tree", dominated ? countText(graph.dominator_depth) : null],
      ["Most references of one object", graph.max_out_degree > 0 ? [countText(graph.max_out_degree), widest && [" (", objectName(widest, 44), ")"]] : null],
    ]),
    el("div", { class: "columns" }, rootKinds(report), strengths(graph)),
  ];
}
