// Reachable sizes: what retained sizes hide, and how many objects reach how much more than they retain.
import { el } from "./element.js";
import { objectName } from "./name.js";
import { leftOutReason } from "./left_out.js";
import { Table } from "./table.js";
import { bytesText, countText, counted, shareText } from "./text.js";

// An estimate is called so wherever it stands.
export const reachText = (bytes, estimated) => (bytes > 0 ? `${estimated ? "about " : ""}${bytesText(bytes)}` : "–");

// What others hold of it as well; null where that is not told, less than a tenth of what it retains, less than a hundredth of the heap, or where it leads to nearly all of that.
export function sharedWords({ reachable_bytes: reached, retained_bytes: retained, reachable_estimated: estimated }, held) {
  const shared = (reached ?? 0) - retained;
  if (shared <= 0 || shared < Math.max(retained / 10, held / 100) || reached > 0.9 * held) return null;
  return `leads to ${reachText(reached, estimated)}, ${bytesText(shared)} of it held by others, too`;
}

// Limits are whole numbers of their unit.
const limitText = (bytes) => bytesText(bytes).replace(".0 ", " ");

export function rangeText({ from_bytes: from, up_to_bytes: to }) {
  if (to === null) return `${limitText(from)} and more`;
  return from === 0 ? `less than ${limitText(to)}` : `${limitText(from)} to ${limitText(to)}`;
}

export function exactWords({ exact, estimated_objects: objects, reason, standard_error: error }) {
  if (exact) return "All sizes are exact.";
  const why = reason === "time" ? "there was no more time for them" : "there was no memory for them";
  return `Sizes with “about” are estimates, mostly within ± ${Math.round(100 * error)}\u00a0%, as ${why}: of ${counted(objects, "object")}. All others are exact.`;
}

function hidden(report) {
  const rows = report.reachable.hidden;
  if (rows.length === 0)
    return el("p", { class: "quiet" }, "Retained sizes hide nothing here: what objects share is small, or shows in the retained size of what holds them all.");
  return [
    el("p", { class: "quiet" }, "These retain little and lead to much, because others lead there, too."),
    new Table({
      caption: "What retained sizes hide",
      sortBy: "reachable_bytes",
      bar: "reachable_bytes",
      rows,
      columns: [
        { key: "class", title: "Object", kind: "name", cell: (row) => objectName(row) },
        { key: "retained_bytes", title: "Retained", kind: "bytes" },
        { key: "reachable_bytes", title: "Reaches", kind: "bytes", cell: (row) => reachText(row.reachable_bytes, row.reachable_estimated) },
        { key: "share", title: "Of all held", kind: "text", minor: true, cell: (row) => shareText(row.reachable_bytes, report.graph.held_bytes) },
      ],
    }).element,
  ];
}

function differences({ differences: rows }) {
  const last = rows.findLastIndex((row) => row.objects > 0);
  return new Table({
    caption: "Held objects by how much more they reach than they retain",
    sortBy: null,
    bar: "objects",
    rows: rows.slice(0, last + 1),
    columns: [
      { key: "up_to_bytes", title: "Reach more than they retain, by", kind: "text", cell: rangeText },
      { key: "objects", title: "Objects", kind: "count" },
    ],
  }).element;
}

// Null: nothing is to be said, as in reports before 1.4.
export function reachableView(report) {
  if (!report.reachable) return leftOutReason(report, "reachable sizes", "Reachable sizes were");
  return [
    el("p", {}, "What an object leads to, whoever else leads there. References to class objects are left out. ", exactWords(report.reachable)),
    el("h3", {}, "What retained sizes hide"),
    hidden(report),
    el("h3", {}, "Reachable against retained size"),
    differences(report.reachable),
    el("p", { class: "quiet" }, `${countText(report.reachable.shared_components)} of ${countText(report.reachable.components)} objects and groups of objects that reach each other have more than one referrer.`),
  ];
}
