import assert from "node:assert/strict";
import { test } from "node:test";
import { agesView, partsOf } from "./ages_view.js";

const ranges = [{ range: "0" }, { range: "1" }, { range: "tenured" }];

test("the parts of a class are its ranges that have objects, and come to one", () => {
  const parts = partsOf(ranges, { objects: 8, range_objects: [2, 0, 6] });
  assert.deepEqual(parts.map(({ range, objects, share }) => [range, objects, share]), [["0", 2, 0.25], ["tenured", 6, 0.75]]);
  assert.deepEqual(partsOf(ranges, { objects: 0, range_objects: [0, 0, 0] }), []);
});

test("a report without ages has no section, unless the pass was left out", () => {
  assert.equal(agesView({ ages: null, passes: [] }), null);
  assert.equal(agesView({ passes: [] }), null);
});
