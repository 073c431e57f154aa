import assert from "node:assert/strict";
import { test } from "node:test";
import { stateRows, statesView } from "./states_view.js";

const rows = [
  { state: "strong", held: true, objects: 3, shallow_bytes: 96, classes: [], groups: [] },
  { state: "soft", held: true, objects: 1, shallow_bytes: 24, classes: [], groups: [] },
  { state: "weak", held: false, objects: 0, shallow_bytes: 0, classes: [], groups: [] },
  { state: "final", held: false, objects: 2, shallow_bytes: 48, classes: [], groups: [] },
];

test("states that have objects, and what was not reached", () => {
  assert.deepEqual(
    stateRows({ rows, not_reached_bytes: 1000 }).map((row) => [row.title, row.shallow_bytes]),
    [["held strongly", 96], ["held softly (counted as held)", 24], ["waiting for finalizers", 48], ["not reached: garbage, room in allocation buffers", 1000]],
  );
  assert.equal(stateRows({ rows, not_reached_bytes: null }).length, 3);
  const unreached = { objects: 7, shallow_bytes: 900, buffer_bytes: 100, unread_bytes: 0, classes: [] };
  assert.deepEqual(
    stateRows({ rows, not_reached_bytes: 1000, unreached }).slice(3).map((row) => [row.title, row.objects, row.shallow_bytes]),
    [["unreachable", 7, 900], ["unused space of allocation buffers", null, 100]],
  );
});

test("an older report has no section", () => {
  assert.equal(statesView({ states: null, passes: [] }), null);
});
