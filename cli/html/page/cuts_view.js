// The references to cut, the objects with the most references and referrers, and how the graph hangs together.
import { el } from "./element.js";
import { facts } from "./facts.js";
import { leftOutReason } from "./left_out.js";
import { objectName } from "./name.js";
import { rootWords, viaWords } from "./path_view.js";
import { Table } from "./table.js";
import { countText, shareText } from "./text.js";

// Where to cut: a field of an object, or a GC root.
function placeOf({ referrer, reference, references, root }) {
  if (root) return ["GC root: ", reference.via === "static_field" ? viaWords(reference) : rootWords(root)];
  const place = reference.via === "static_field" ? viaWords(reference) : [objectName(referrer, 48), " ", viaWords(reference)];
  return references > 1 ? [place, el("span", { class: "quiet" }, ` all ${countText(references)} references`)] : place;
}

function cutTable(report) {
  const rows = report.cuts.cuts;
  if (rows.length === 0) return el("p", { class: "quiet" }, "No single reference holds much alone.");
  return new Table({
    caption: "References to cut",
    sortBy: "freed_bytes",
    bar: "freed_bytes",
    rows,
    columns: [
      { key: "referrer", title: "The reference to cut, and what it holds", kind: "text", cell: (row) => [placeOf(row), el("br"), "→ ", objectName(row.reference)] },
      { key: "freed_bytes", title: "Freed", kind: "bytes" },
      { key: "share", title: "Of all held", kind: "text", cell: (row) => shareText(row.freed_bytes, report.graph.held_bytes) },
      { key: "freed_objects", title: "Objects", kind: "count", minor: true },
    ],
  }).element;
}

const importantTable = (rows, key, title) =>
  rows.length > 0 &&
  new Table({
    caption: `The most ${title.toLowerCase()}`,
    sortBy: key,
    rows,
    columns: [
      { key: "class", title: "Object", kind: "name", cell: (row) => objectName(row, 44) },
      { key, title, kind: "count" },
      { key: "retained_bytes", title: "Retained", kind: "bytes" },
    ],
  }).element;

// Null: nothing is to be said, as in reports before 1.4.
export function cutsView(report) {
  const { cuts } = report;
  if (!cuts) return leftOutReason(report, "cuts", "Cuts were");
  return [
    el("p", {}, "Cut this reference, and so much is freed."),
    cutTable(report),
    el("h3", {}, "Important objects"),
    el("div", { class: "columns" }, importantTable(cuts.most_references, "references", "References"), importantTable(cuts.most_referrers, "referrers", "Referrers")),
    el("h3", {}, "How the graph hangs together"),
    facts([
      ["Objects that reach each other", cuts.cyclic_components > 0 ? `${countText(cuts.cyclic_objects)} in ${countText(cuts.cyclic_components)} groups, the largest of ${countText(cuts.largest_component_objects)}` : "none"],
      ["Objects and such groups", countText(cuts.components)],
      ["Parts without references between them", countText(cuts.parts)],
      ["Articulation points", `${countText(cuts.articulation_points)}: without one, a part falls apart`],
      ["Lead alone to all that they reach", countText(cuts.dominating_points)],
      ["Biconnected components", `${countText(cuts.biconnected_components)}, the largest of ${countText(cuts.largest_biconnected)}`],
    ]),
  ];
}
