import assert from "node:assert/strict";
import { test } from "node:test";
import { byChange, certainChange, changeText, measuresOf, sideText, statusOf } from "./change.js";
import { changeRows } from "./change_table.js";
import { ShownPaths, changeTree } from "./change_tree.js";
import { countWords } from "./change_tree_view.js";

const KEY = "retained_bytes";
const listed = (bytes) => ({ presence: "listed", instances: 1, shallow_bytes: bytes, retained_bytes: bytes, definitions: 1 });
const absent = { presence: "absent", instances: 0, shallow_bytes: 0, retained_bytes: 0, definitions: 0 };
const unlisted = (most) => ({ ...absent, presence: "not_listed", at_most: { instances: most, shallow_bytes: most, retained_bytes: most } });
/** @type {(before: any, after: any, more?: any) => any} */
const row = (before, after, more = {}) => ({ before, after, status: "grown", change: { instances: after.instances - before.instances, shallow_bytes: after.shallow_bytes - before.shallow_bytes, retained_bytes: after.retained_bytes - before.retained_bytes }, ...more });

test("a change between two listed sides is certain", () => {
  const grown = row(listed(1024), listed(3072));
  assert.equal(certainChange(grown, KEY), 2048);
  assert.equal(changeText(grown, KEY), "+2.0 KB");
  assert.equal(changeText(row(listed(3072), listed(1024)), KEY), "-2.0 KB");
  assert.equal(changeText(row(listed(7), listed(7)), KEY), "=");
  assert.equal(statusOf(grown, KEY), "grown");
  assert.equal(statusOf(row(listed(7), listed(7)), KEY), "same");
});

test("what is not listed is bounded, not gone", () => {
  const fallen = row(listed(5120), unlisted(1024));
  assert.equal(certainChange(fallen, KEY), -4096);
  assert.equal(changeText(fallen, KEY), "≤-4.0 KB");
  assert.equal(statusOf(fallen, KEY), "shrunk");
  const risen = row(unlisted(1024), listed(5120));
  assert.equal(changeText(risen, KEY), "≥+4.0 KB");
  const open = row(unlisted(6000), listed(5120));
  assert.equal(changeText(open, KEY), "?");
  assert.equal(statusOf(open, KEY), "uncertain");
  assert.equal(sideText(open.before, KEY), "≤5.9 KB");
});

test("what is absent is new or gone", () => {
  assert.equal(statusOf(row(absent, listed(8)), KEY), "new");
  assert.equal(statusOf(row(listed(8), absent), KEY), "gone");
  assert.equal(sideText(absent, KEY), "–");
  assert.equal(sideText(absent, KEY, "new"), "new");
});

test("rows come by the certain change, then by any, equal ones as they are", () => {
  const rows = [row(listed(1), listed(1), { id: 0 }), row(unlisted(900), listed(800), { id: 1 }), row(listed(10), listed(4), { id: 2 }), row(listed(2), listed(2), { id: 3 })];
  assert.deepEqual(byChange(rows, KEY).map(({ id }) => id), [2, 1, 0, 3]);
});

test("a measure that no row has is none", () => {
  const simple = row({ ...listed(1), retained_bytes: null }, { ...listed(2), retained_bytes: null });
  simple.change.retained_bytes = null;
  assert.deepEqual(measuresOf([simple]), ["shallow_bytes", "instances"]);
  assert.equal(measuresOf([]).length, 3);
});

test("rows of the table sort by what they show", () => {
  const [only] = changeRows([row(unlisted(100), listed(1000), { class: "a.B", loader: "app", platform: false })], KEY, "class");
  assert.deepEqual([only.name, only.before, only.after, only.change, only.status], ["a.B", 100, 1000, 900, "grown"]);
});

const path = (id, parent, before, after) => row(listed(before), listed(after), { id, parent, class: `C${id}` });

test("paths become a tree, the largest change first", () => {
  const { roots, nodes } = changeTree([path(0, null, 5, 5), path(1, null, 5, 50), path(2, 1, 1, 2), path(3, 1, 5, 40)]);
  assert.deepEqual(roots.map((node) => node.row.id), [1, 0]);
  assert.deepEqual(roots[0].below.map((node) => node.row.id), [3, 2]);
  assert.deepEqual(nodes.map((node) => [node.row.id, node.depth]).sort(), [[0, 0], [1, 0], [2, 1], [3, 1]]);
});

test("shown are the largest changes with what is above them", () => {
  const { roots } = changeTree([path(0, null, 5, 5), path(1, null, 5, 50), path(2, 1, 5, 40), path(3, 2, 0, 1), path(4, 0, 1, 1)]);
  const shown = new ShownPaths(roots);
  assert.deepEqual(shown.rows().map((node) => node.row.id), [1, 0]);
  shown.openLargest(20);
  assert.deepEqual(shown.rows().map((node) => node.row.id), [1, 2, 3, 0], "what did not change stays closed");
  shown.toggle(roots[0]);
  assert.deepEqual(shown.rows().map((node) => node.row.id), [1, 0]);
});

test("of many children the first are shown, and how many there are", () => {
  const { roots } = changeTree([path(0, null, 0, 9000), ...Array.from({ length: 100 }, (_, at) => path(at + 1, 0, 0, 1000 - at))]);
  const shown = new ShownPaths(roots);
  shown.toggle(roots[0]);
  const rows = shown.rows();
  assert.equal(rows.length, 27);
  assert.equal(rows.at(-1).more, 75);
  shown.showMore(roots[0]);
  assert.equal(shown.rows().length, 101);
});

test("what did not change is not shown at first", () => {
  const { roots } = changeTree([path(0, null, 5, 9), ...Array.from({ length: 30 }, (_, at) => ({ ...path(at + 1, null, 5, 5), status: "same" }))]);
  const rows = new ShownPaths(roots).rows();
  assert.deepEqual([rows[0].row.id, rows.length, rows.at(-1).more], [0, 4, 28]);
});

test("a chain of 100,000 paths needs no stack", () => {
  const { roots, nodes } = changeTree(Array.from({ length: 100_000 }, (_, id) => path(id, id > 0 ? id - 1 : null, 0, 200_000 - id)));
  assert.equal(roots.length, 1);
  assert.equal(nodes.reduce((most, { depth }) => Math.max(most, depth), 0), 99_999);
});

test("how many objects a path has", () => {
  const of = (before, after) => countWords(row({ ...listed(1), instances: before }, { ...listed(1), instances: after }));
  assert.equal(of(1, 1), "");
  assert.equal(of(831, 4000), "831 → 4,000 × ");
  assert.equal(of(7, 7), "7 × ");
  assert.equal(countWords(row({ ...listed(1), instances: 9 }, absent)), "9 × ");
});
