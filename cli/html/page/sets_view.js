// Packages and loaders: sets of classes, the same table twice.
import { restWords } from "./classes_view.js";
import { Table } from "./table.js";

function setTable(report, key, title, rows) {
  const graph = report.graph !== null;
  return new Table({
    caption: title,
    columns: [
      { key, title, kind: "name" },
      { key: "classes", title: "Classes", kind: "count", minor: true },
      { key: "instances", title: "Objects", kind: "count" },
      { key: "shallow_bytes", title: "Shallow", kind: "bytes" },
      ...(graph ? [{ key: "retained_bytes", title: "Retained", kind: "bytes" }] : []),
    ],
    rows,
    sortBy: graph ? "retained_bytes" : "shallow_bytes",
    bar: graph ? "retained_bytes" : "shallow_bytes",
    filter: rows.length > 12 ? [key] : null,
    filterTitle: `Filter ${key}s`,
  }).element;
}

export const packagesView = (report) => [
  setTable(report, "package", "Package", report.packages),
  restWords(report.packages.length, report.packages_total, report.rest_of_packages, "packages"),
];

export const loadersView = (report) => [
  setTable(report, "loader", "Class loader", report.loaders),
  restWords(report.loaders.length, report.loaders_total, report.rest_of_loaders, "loaders"),
];
