import assert from "node:assert/strict";
import { test } from "node:test";
import { accountChangeRows, accountChangesView, liveChangeText } from "./account_changes_view.js";
import { accountRows, accountTrendView, amountAt } from "./account_trend_view.js";

const mega = 1024 * 1024;

test("a change of what lives is told with its error, as in the terminal", () => {
  const text = (change, error) => liveChangeText({ live_change_bytes: change, live_change_bytes_error: error });
  assert.equal(text(0, 5), "=");
  assert.equal(text(50 * mega, mega), "+50.0 MB ±2\u00a0%");
  assert.equal(text(-2 * mega, 5 * mega), "within ±5.0 MB");
  assert.equal(text(-2048, 0), "-2.0 KB");
});

test("changes of accounts sort by plain figures, also where nobody knows them", () => {
  const [row] = accountChangeRows([{ account: "a", live_before: null, live_after: null, live_change_bytes: null, allocated: { bytes: 7 }, allocated_bytes_per_second: 2 }]);
  assert.deepEqual([row.before, row.after, row.change, row.between, row.rate], [0, 0, 0, 7, 2]);
  assert.equal(accountChangesView({ accounts: null }), null);
  assert.equal(accountChangesView({ accounts: [] }), null);
});

test("an account of a trend has the first and the last amount that is known", () => {
  const live = { bytes: [null, 5, null, 9, null], bytes_error: [null, 1, null, 2, null], objects: [null, 3, null, 4, null], objects_error: [] };
  assert.deepEqual(amountAt(live, false), { bytes: 5, bytes_error: 1, objects: 3 });
  assert.deepEqual(amountAt(live, true), { bytes: 9, bytes_error: 2, objects: 4 });
  assert.equal(amountAt({ bytes: [null] }, true), null);
  const rows = accountRows({ accounts: [{ account: "a", live, allocated_bytes_per_second: 3, chance_of_any: null }, { account: "b", live: null, allocated_bytes_per_second: 1 }] });
  assert.deepEqual(rows.map(({ first_bytes: first, last_bytes: last, rate }) => [first, last, rate]), [[5, 9, 3], [0, 0, 1]]);
  assert.equal(accountTrendView({ accounting: null }), null);
});
