import assert from "node:assert/strict";
import { test } from "node:test";
import { objectChangeRows, objectChangesView, signedBytes } from "./object_changes_view.js";
import { hasObjects, objectTrendRows, objectTrendView } from "./object_trend_view.js";
import { knownWords, trackingWords } from "./objects_view.js";

const mega = 1024 * 1024;
const began = Date.UTC(2026, 10, 25, 12, 1, 5);

test("an object that an earlier dump named is told so", () => {
  const object = { identity: 17, first_sequence: 3, first_utc_ms: began };
  assert.equal(knownWords(object, { sequence: 5, started_utc_ms: began + 3_000_000 }), "known since dump 3 of 2026-11-25 12:01:05 UTC, 50 min earlier");
  assert.equal(knownWords(object, /** @type {any} */ ({ sequence: 3 })), null);
  assert.equal(knownWords(object, { sequence: 5, started_utc_ms: began - 1 }), "known since dump 3 of 2026-11-25 12:01:05 UTC", "the clock was set back");
  assert.equal(knownWords(/** @type {any} */ ({}), /** @type {any} */ ({ sequence: 3 })), null);
});

test("what became of objects with numbers is one sentence, where they are tracked", () => {
  const tracking = { known: 44, named: 6, gone: 2, unfollowed: 0, began_utc_ms: began };
  assert.equal(trackingWords({ tracking }), "Objects with a number (#) keep it in later reports: 44 known, 6 new, 2 gone; since 2026-11-25 12:01:05 UTC.");
  assert.match(trackingWords({ tracking: { ...tracking, unfollowed: 1 } }) ?? "", /2 gone; 1 named by the dump before not found again;/);
  assert.equal(trackingWords({ tracking: null }), null);
  assert.equal(trackingWords(/** @type {any} */ ({})), null);
});

test("changes of objects sort by plain figures", () => {
  const [row] = objectChangeRows({ same: [{ identity: 2, before: { retained_bytes: 5 }, after: { retained_bytes: 3 }, retained_change_bytes: -2 }] });
  assert.deepEqual([row.had, row.has, row.change], [5, 3, -2]);
  assert.equal(signedBytes(0), "=");
  assert.equal(signedBytes(2 * mega), "+2.0 MB");
  assert.equal(signedBytes(-2048), "-2.0 KB");
  assert.equal(objectChangesView({ objects: null }), null);
  assert.equal(objectChangesView(/** @type {any} */ ({})), null);
});

test("an object of a trend has the first and the last size that is known", () => {
  const [row] = objectTrendRows({ objects: [{ identity: 2, retained_bytes: [null, 5, null, 9, 8, null], chance_of_any: null }] });
  assert.deepEqual([row.first, row.last, row.change, row.how], [5, 8, 3, 1]);
  assert.equal(hasObjects({ objects: [] }), false);
  assert.equal(objectTrendView({ objects: null }), null);
});
