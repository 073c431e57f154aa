// Single objects of a trend, known by their numbers: what each retains, and how that went.
import { el } from "./element.js";
import { objectName } from "./name.js";
import { chanceText, courseWords, perHourText } from "./series.js";
import { sparkline } from "./sparkline.js";
import { Table } from "./table.js";
import { bytesText, countText, counted } from "./text.js";

export const hasObjects = ({ objects }) => Boolean(objects) && objects.length > 0;

// Rows as the table sorts them. An object of a row is known at three points at least.
export function objectTrendRows({ objects }) {
  return objects.map((row) => {
    const known = row.retained_bytes.filter((value) => value !== null);
    const [first, last] = [known[0] ?? 0, known.at(-1) ?? 0];
    return { ...row, first, last, change: last - first, how: row.chance_of_any ?? 1 };
  });
}

const hint = ({ tracking }) =>
  `By what they retain, where a report tells of them: where none does, an object may be too small to be named, or gone. ${counted(tracking.tests, "object")} changed enough to be tested.`;

// Null: no object is known in three reports.
export function objectTrendView(process) {
  if (!hasObjects(process)) return null;
  const { objects, objects_total: total } = process;
  return [
    el("p", { class: "quiet" }, hint(process)),
    new Table({
      caption: "Objects",
      columns: [
        { key: "class", title: "Object", kind: "name", cell: (row) => objectName(row) },
        { key: "change", title: "Course", kind: "text", cell: ({ retained_bytes: values }) => sparkline(values) },
        { key: "first", title: "First", kind: "bytes", cell: ({ first }) => bytesText(first) },
        { key: "last", title: "Last", kind: "bytes", cell: ({ last }) => bytesText(last) },
        { key: "per_hour", title: "Per hour", kind: "bytes", cell: ({ per_hour: speed }) => perHourText(speed, "retained_bytes") },
        { key: "course", title: "Judgement", kind: "text", cell: ({ course }) => el("span", { class: `judgement ${course}` }, courseWords(course)) },
        { key: "how", title: "By chance", kind: "count", minor: true, cell: ({ chance_of_any: chance }) => chanceText(chance) },
      ],
      rows: objectTrendRows(process),
      sortBy: null,
      filter: objects.length > 20 ? ["class"] : null,
      filterTitle: "Filter objects",
    }).element,
    total > objects.length && el("p", { class: "quiet" }, `${countText(total - objects.length)} more objects are not listed.`),
  ];
}
