import assert from "node:assert/strict";
import { test } from "node:test";
import { holdersView, placesOf } from "./holders_view.js";

test("a row a place, and one for the rest of a class", () => {
  const rows = placesOf([
    { class: "shop.Session", instances: 3, places: [{ place: "shop.Cart.session", references: 2 }], places_total: 3, rest_references: 4, rest_bytes: 96 },
    { class: "shop.Row", instances: 1, places: [], places_total: 0, rest_references: 0, rest_bytes: 0 },
  ]);
  assert.deepEqual(rows.map((row) => [row.class, row.place, row.references, row.more]), [["shop.Session", "shop.Cart.session", 2, undefined], ["shop.Session", null, 4, 2]]);
});

test("a report without holders has no section, unless the pass was left out", () => {
  assert.equal(holdersView({ holders: null, passes: [] }), null);
  assert.equal(holdersView({ holders: [], passes: [] }), null);
});
