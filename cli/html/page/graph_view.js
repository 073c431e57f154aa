// What the graph is like: objects, references, roots by kind, how firmly things are held.
import { el } from "./element.js";
import { facts } from "./facts.js";
import { objectName } from "./name.js";
import { noGraphWords } from "./no_graph.js";
import { Table } from "./table.js";
import { bytesText, countText } from "./text.js";

const words = (word) => word.replaceAll("_", " ");

function rootKinds(graph) {
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
  const widest = graph.max_out_degree_object;
  return [
    facts([
      ["Objects", countText(graph.objects)],
      ["References", countText(graph.references)],
      ["GC roots", countText(graph.roots)],
      ["Shallow size of all", bytesText(graph.shallow_bytes)],
      ["Held", `${countText(graph.held_objects)} objects, ${bytesText(graph.held_bytes)}`],
      ["Depth of the dominator tree", countText(graph.dominator_depth)],
      ["Most references of one object", [countText(graph.max_out_degree), widest && [" (", objectName(widest, 44), ")"]]],
    ]),
    el("div", { class: "columns" }, rootKinds(graph), strengths(graph)),
  ];
}
