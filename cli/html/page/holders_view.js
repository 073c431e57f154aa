// Who holds the instances of a class: the fields, arrays and GC roots that refer to them, as one table to filter.
import { el } from "./element.js";
import { leftOutReason } from "./left_out.js";
import { name } from "./name.js";
import { Table } from "./table.js";
import { countText } from "./text.js";

// A row a place, and one for what is not listed of a class.
export function placesOf(holders) {
  return holders.flatMap(({ class: of, instances, places, places_total, rest_references, rest_bytes }) => [
    ...places.map((place) => ({ ...place, class: of, instances })),
    ...(rest_references > 0
      ? [{ class: of, instances, place: null, more: places_total - places.length, references: rest_references, referrers: null, bytes: rest_bytes }]
      : []),
  ]);
}

const placeCell = ({ place, more }) => (place === null ? el("span", { class: "quiet" }, `${countText(more)} other places`) : name(place, 60));

// Null: nothing is to be said, as in older reports.
export function holdersView(report) {
  const { holders } = report;
  if (!holders) return leftOutReason(report, "holders", "Holders were");
  if (holders.length === 0) return null;
  return [
    el("p", {}, "What refers to the instances of a class: fields, arrays, static fields and GC roots, those with the most references first."),
    new Table({
      caption: "Holders",
      columns: [
        { key: "class", title: "Instances of", kind: "name", cell: (row) => name(row.class, 44) },
        { key: "place", title: "Referred to by", kind: "text", cell: placeCell },
        { key: "references", title: "References", kind: "count" },
        { key: "referrers", title: "Referrers", kind: "count", cell: (row) => (row.referrers === null ? "–" : countText(row.referrers)) },
        { key: "bytes", title: "Bytes", kind: "bytes", minor: true },
      ],
      rows: placesOf(holders),
      sortBy: null,
      filter: ["class", "place"],
      filterTitle: "Filter holders",
    }).element,
  ];
}
