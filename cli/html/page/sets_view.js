// Packages and loaders: sets of classes, the same table twice.
import { hasRetained, restWords } from "./classes_view.js";
import { el } from "./element.js";
import { leftOutWords } from "./left_out.js";
import { Table } from "./table.js";

function setTable(report, key, title, rows) {
  const retained = hasRetained(report, rows);
  return new Table({
    caption: title,
    columns: [
      { key, title, kind: "name" },
      { key: "classes", title: "Classes", kind: "count", minor: true },
      { key: "instances", title: "Objects", kind: "count" },
      { key: "shallow_bytes", title: "Shallow", kind: "bytes" },
      ...(retained ? [{ key: "retained_bytes", title: "Retained", kind: "bytes" }] : []),
    ],
    rows,
    sortBy: retained ? "retained_bytes" : "shallow_bytes",
    bar: retained ? "retained_bytes" : "shallow_bytes",
    filter: rows.length > 12 ? [key] : null,
    filterTitle: `Filter ${key}s`,
  }).element;
}

function setView(report, key, title, list) {
  const rows = report[list];
  const reason = rows.length === 0 ? leftOutWords(report, list, `The ${title.toLowerCase()}s were`) : null;
  if (reason) return el("p", { class: "missing" }, reason);
  return [setTable(report, key, title, rows), restWords(rows.length, report[`${list}_total`], report[`rest_of_${list}`], list)];
}

export const packagesView = (report) => setView(report, "package", "Package", "packages");

export const loadersView = (report) => setView(report, "loader", "Class loader", "loaders");
