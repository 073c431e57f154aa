// What fills the heap, by how it is held at best: figures, queues that are not drained, classes of the states that matter.
import { el } from "./element.js";
import { leftOutReason } from "./left_out.js";
import { name } from "./name.js";
import { Table } from "./table.js";

const phrases = {
  strong: "held strongly",
  soft: "held softly",
  weak: "held weakly",
  final: "waiting for finalizers",
  phantom: "held by phantom references",
  unreachable: "unreachable",
  possible_slot: "held by possible stack slots alone",
};
const phrase = (row) => (phrases[row.state] ?? row.state) + (row.held && row.state !== "strong" ? " (counted as held)" : "");

// The states that have objects, and what the graph does not have of the heap in use.
export function stateRows(states) {
  const rows = states.rows.filter((row) => row.objects > 0).map((row) => ({ ...row, title: phrase(row) }));
  if (states.not_reached_bytes === null) return rows;
  return [...rows, ...notReached(states)];
}

// What was counted of it, where it was.
function notReached({ unreached, not_reached_bytes: all }) {
  const row = (title, objects, bytes) => ({ title, objects, shallow_bytes: bytes });
  if (!unreached) return [row("not reached: garbage, room in allocation buffers", null, all)];
  return [
    row("unreachable", unreached.objects, unreached.shallow_bytes),
    row("unused space of allocation buffers", null, unreached.buffer_bytes),
    row("not reached and not read", null, unreached.unread_bytes),
  ].filter((one) => one.shallow_bytes > 0);
}

function classTable(row, title, retained) {
  const columns = retained ? [{ key: "retained_bytes", title: "Retained", kind: "bytes", minor: true }] : [];
  return new Table({
    caption: `By class: ${title}`,
    sortBy: "shallow_bytes",
    bar: "shallow_bytes",
    rows: row.classes,
    columns: [
      { key: "class", title: "Class", kind: "name", cell: (one) => name(one.class, 60) },
      { key: "instances", title: "Instances", kind: "count" },
      { key: "shallow_bytes", title: "Shallow", kind: "bytes" },
      ...columns,
    ],
  }).element;
}

// Null: nothing is to be said, as in older reports.
export function statesView(report) {
  const { states } = report;
  if (!states) return leftOutReason(report, "heap states", "The states of the heap were");
  return [
    new Table({
      caption: "What fills the heap",
      sortBy: null,
      rows: stateRows(states),
      columns: [
        { key: "title", title: "State", kind: "text" },
        { key: "objects", title: "Objects", kind: "count" },
        { key: "shallow_bytes", title: "Shallow", kind: "bytes" },
      ],
    }).element,
    ...states.backlogs.map((backlog) => el("p", {}, backlog.sentence)),
    ...states.rows
      .filter((row) => row.classes.length > 0)
      .flatMap((row) => [classTable(row, phrase(row), true), ...row.groups.map((group) => el("p", { class: "quiet" }, group.sentence))]),
    ...(states.unreached?.classes.length > 0 ? [classTable(states.unreached, "unreachable", false)] : []),
  ];
}
