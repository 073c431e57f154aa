import assert from "node:assert/strict";
import { test } from "node:test";
import { agingView, diedYoung } from "./aging_view.js";

test("who died young is a share of those that died", () => {
  assert.equal(diedYoung({ died_ages: [6, 1, 1, 2] }), 0.8);
  assert.equal(diedYoung({ died_ages: [0, 0] }), null);
});

test("a report without aging has no section", () => {
  assert.equal(agingView({ aging: null }), null);
  assert.equal(agingView({}), null);
});
