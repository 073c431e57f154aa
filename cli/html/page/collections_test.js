import assert from "node:assert/strict";
import { test } from "node:test";
import { collectionsView, countsText } from "./collections_view.js";

test("what is not known is left out, and so are no cycles", () => {
  assert.equal(countsText({ young: 1041, full: 2, concurrent: 3 }), "1,041 young, 2 full, 3 beside the application");
  assert.equal(countsText({ young: 7, full: null, concurrent: null }), "7 young");
  assert.equal(countsText({ young: 0, full: 0, concurrent: 0 }), "0 young, 0 full");
});

test("a report without collections has no section", () => {
  assert.equal(collectionsView({ collections: null }), null);
  assert.equal(collectionsView(/** @type {any} */ ({})), null);
});
