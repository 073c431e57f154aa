// Objects that both reports of a comparison know by the same number.
import { el } from "./element.js";
import { objectName } from "./name.js";
import { Table } from "./table.js";
import { bytesText, countText, counted } from "./text.js";

// Rows as the table sorts them.
export const objectChangeRows = ({ same }) =>
  same.map((row) => ({ ...row, had: row.before.retained_bytes, has: row.after.retained_bytes, change: row.retained_change_bytes ?? 0 }));

export const signedBytes = (change) => (change === 0 ? "=" : (change < 0 ? "-" : "+") + bytesText(Math.abs(change)));

function othersWords({ new_total: fresh, not_listed_total: unlisted }) {
  const words = [
    fresh > 0 && `${counted(fresh, "object is", "objects are")} new`,
    unlisted > 0 && `${countText(unlisted)} of the first report are not in the second: collected, or no longer worth naming`,
  ].filter(Boolean);
  return words.length > 0 ? el("p", { class: "quiet hint" }, `${words.join(", ")}.`) : null;
}

// Null: the reports have no numbers in common.
export function objectChangesView({ objects }) {
  if (!objects || objects.same.length === 0) return null;
  return [
    othersWords(objects),
    new Table({
      caption: "Objects",
      columns: [
        { key: "class", title: "Object", kind: "name", cell: (row) => objectName(row) },
        { key: "had", title: "Retained before", kind: "bytes", minor: true },
        { key: "has", title: "After", kind: "bytes" },
        { key: "change", title: "Change", kind: "bytes", cell: ({ change }) => signedBytes(change) },
      ],
      rows: objectChangeRows(objects),
      sortBy: null,
      filter: objects.same.length > 20 ? ["class"] : null,
      filterTitle: "Filter objects",
    }).element,
  ];
}
