// Ages: how many collections the objects of each class have survived, as figures and as a bar of their parts.
import { el } from "./element.js";
import { leftOutReason } from "./left_out.js";
import { name } from "./name.js";
import { Table } from "./table.js";
import { bytesText, countText, shareText } from "./text.js";

// Parts of one row, young to old; a range without objects has none.
export function partsOf(ranges, row) {
  return ranges
    .map(({ range }, i) => ({ range, i, objects: row.range_objects[i], share: row.objects > 0 ? row.range_objects[i] / row.objects : 0 }))
    .filter(({ objects }) => objects > 0);
}

const wordsOf = (parts) => parts.map(({ range, objects }) => `${range}: ${countText(objects)}`).join(", ");

// Young is pale and old is dark, whatever ranges there are.
function bar(ranges, row) {
  const parts = partsOf(ranges, row);
  const shade = (i) => (ranges.length > 1 ? i / (ranges.length - 1) : 1);
  const part = ({ i, share }) => el("span", { class: "age", place: { "--share": String(share), "--shade": String(shade(i)) } });
  return el("span", { class: "ages", role: "img", title: wordsOf(parts), "aria-label": wordsOf(parts) }, parts.map(part));
}

function classTable({ ranges, classes }) {
  return new Table({
    caption: "Ages of classes",
    columns: [
      { key: "class", title: "Class", kind: "name", cell: (row) => name(row.class, 44) },
      { key: "old_bytes", title: "Old", kind: "bytes" },
      { key: "bytes", title: "All", kind: "bytes", minor: true },
      { key: "old_objects", title: "Old objects", kind: "count" },
      { key: "objects", title: "Objects", kind: "count" },
      { key: "distinct_ages", title: "Ages", kind: "count" },
      { key: "shares", title: "Young to old", kind: "text", cell: (row) => bar(ranges, row) },
    ],
    rows: classes,
    sortBy: "old_bytes",
    filter: classes.length > 12 ? ["class"] : null,
    filterTitle: "Filter ages of classes",
  }).element;
}

function keyOf(ranges, total) {
  const shown = ranges.map(({ range }, i) => `${range}: ${countText(total.range_objects[i])}`).join(" · ");
  return el("p", { class: "quiet" }, `Objects by collections survived: ${shown}`);
}

// Null: ages were off, or the report is older.
export function agesView(report) {
  const { ages } = report;
  if (!ages || ages.ranges.length === 0) return leftOutReason(report, "ages", "Ages were");
  const { total } = ages;
  const more = ages.classes_total - ages.classes.length;
  return [
    el("p", {}, `${bytesText(total.old_bytes)} of ${bytesText(total.bytes)} (${shareText(total.old_bytes, total.bytes)}) are old: they have survived 8 collections or more, or are tenured.`),
    keyOf(ages.ranges, total),
    classTable(ages),
    more > 0 && el("p", { class: "quiet" }, `${countText(more)} more classes are not listed: ${bytesText(ages.rest_of_classes.old_bytes)} old.`),
    ages.source === "header" && el("p", { class: "quiet" }, "Tenured: the VM keeps no age of what it has moved to its old generation."),
  ];
}
