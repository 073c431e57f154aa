import assert from "node:assert/strict";
import { test } from "node:test";
import { agingView, diedYoung, loiteringWords, sinceText } from "./aging_view.js";

test("who died young is a share of those that died", () => {
  assert.equal(diedYoung({ died_ages: [6, 1, 1, 2] }), 0.8);
  assert.equal(diedYoung({ died_ages: [0, 0] }), null);
});

test("what loiters is told apart from what does not", () => {
  const plain = { collections: 5, suspects: [], classes: [], loitering: [] };
  const row = { class: "shop.Row", old_bytes: 5, old_objects: 1, silent_collections: 9, silent_ms: 1e5, at_start_alone: false };
  assert.deepEqual([loiteringWords(plain), loiteringWords({ ...plain, loitering: [row] })], [null, "Loitering: old, and no longer allocated. Were these still allocated as before, there would be such a silence of any class in less than 1 of 100 reports."]);
  assert.equal(sinceText({ ...row, at_start_alone: true }), "since the start");
  assert.equal(sinceText(row), "");
});

test("a report without aging has no section", () => {
  assert.equal(agingView({ aging: null }), null);
  assert.equal(agingView(/** @type {any} */ ({})), null);
});
