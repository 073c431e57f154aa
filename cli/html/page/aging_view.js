// Aging: the classes that piled up before the dump, and how old sampled objects are and became.
import { el } from "./element.js";
import { name } from "./name.js";
import { Table } from "./table.js";
import { countText, durationText } from "./text.js";

const kOldDoubling = 3; // 4-7 collections

const sum = (list) => list.reduce((all, one) => all + one, 0);

// Of those that have died, how many did so before they had survived four collections; null: none has died.
export function diedYoung({ died_ages: died }) {
  const all = sum(died);
  return all > 0 ? sum(died.slice(0, kOldDoubling)) / all : null;
}

function suspectTable(suspects) {
  return new Table({
    caption: "Classes that piled up",
    columns: [
      { key: "class", title: "Class", kind: "name", cell: (row) => name(row.class, 44) },
      { key: "instances", title: "Instances", kind: "count" },
      { key: "more_instances", title: "More", kind: "count" },
      { key: "collections", title: "In collections", kind: "count" },
      { key: "ages_at_least", title: "Ages", kind: "count" },
      { key: "old_percent", title: "Old, %", kind: "count" },
      { key: "confidence_percent", title: "Sure, %", kind: "count" },
    ],
    rows: suspects,
    sortBy: null,
  }).element;
}

function classTable(classes) {
  const rows = classes.map((row) => ({ ...row, died_young: Math.round(100 * (diedYoung(row) ?? 0)) }));
  return new Table({
    caption: "Ages of sampled objects",
    columns: [
      { key: "class", title: "Class", kind: "name", cell: (row) => name(row.class, 44) },
      { key: "old_bytes", title: "Old", kind: "bytes" },
      { key: "live_bytes", title: "Live", kind: "bytes" },
      { key: "old_objects", title: "Old objects", kind: "count" },
      { key: "died_young", title: "Died before 4 collections, %", kind: "count", minor: true },
      { key: "born_before_collections", title: "Collections since the last was born", kind: "count", minor: true },
      { key: "samples", title: "Samples", kind: "count", minor: true },
    ],
    rows,
    sortBy: "old_bytes",
    filter: classes.length > 12 ? ["class"] : null,
    filterTitle: "Filter ages of sampled objects",
  }).element;
}

// Null: nothing loiters.
export function loiteringWords({ loitering }) {
  if (loitering.length === 0) return null;
  return "Loitering: old, and no longer allocated. Were these still allocated as before, there would be such a silence of any class in less than 1 of 100 reports.";
}

export const sinceText = ({ at_start_alone: atStart }) => (atStart ? "since the start" : "");

// What lies there and is allocated no more.
function loiteringTable(loitering) {
  return new Table({
    caption: "Loitering",
    columns: [
      { key: "class", title: "Class", kind: "name", cell: (row) => name(row.class, 44) },
      { key: "old_bytes", title: "Old", kind: "bytes" },
      { key: "old_objects", title: "Old objects", kind: "count" },
      { key: "silent_collections", title: "Collections since one was sampled", kind: "count" },
      { key: "silent_ms", title: "For", kind: "text", cell: (row) => durationText(row.silent_ms) },
      { key: "at_start_alone", title: "", kind: "text", cell: sinceText, minor: true },
    ],
    rows: loitering,
    sortBy: "old_bytes",
  }).element;
}

// Null: ages were off, or the report is older.
export function agingView({ aging }) {
  if (!aging) return null;
  const { suspects, classes, loitering } = aging;
  return [
    el("p", {}, suspects.length > 0 ? `Before this dump, in ${countText(aging.collections)} collections, more and more of these was reached, of many ages:` : `No class piled up in ${countText(aging.collections)} collections.`),
    suspects.length > 0 && suspectTable(suspects),
    classes.length > 0 && el("p", { class: "quiet" }, "Sampled objects, estimated. Old: survived 4 collections or more, garbage that no collection has looked for included."),
    classes.length > 0 && classTable(classes),
    loitering.length > 0 && el("p", { class: "quiet" }, loiteringWords(aging)),
    loitering.length > 0 && loiteringTable(loitering),
  ];
}
