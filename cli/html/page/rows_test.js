import assert from "node:assert/strict";
import { test } from "node:test";
import { estimateText, flat, modeWords } from "./accounts_view.js";
import { measuresOf } from "./bars_view.js";
import { hasRetained } from "./classes_view.js";
import { leftOutWords } from "./left_out.js";
import { lossWords } from "./origin_view.js";
import { paperWords } from "./paper.js";
import { exactWords, rangeText, reachText, sharedWords } from "./reachable_view.js";
import { sorted } from "./table.js";
import { sureWords } from "./verdict_view.js";

const ROWS = [{ class: "b", bytes: 10 }, { class: "a", bytes: 9 }, { class: null, bytes: 100 }];

test("numbers are sorted as numbers, names as names, unknown ones first", () => {
  const bytes = { key: "bytes", kind: "bytes" };
  assert.deepEqual(sorted(ROWS, bytes, true).map((row) => row.bytes), [100, 10, 9]);
  assert.deepEqual(sorted(ROWS, { key: "class", kind: "name" }, false).map((row) => row.class), [null, "a", "b"]);
  assert.deepEqual(ROWS.map((row) => row.bytes), [10, 9, 100], "the rows themselves stay as they are");
});

test("equal rows stay in the order of the report, upwards and downwards", () => {
  const rows = [{ class: "first", bytes: 5 }, { class: "second", bytes: 5 }, { class: "third", bytes: 7 }];
  const names = (descending) => sorted(rows, { key: "bytes", kind: "bytes" }, descending).map((row) => row.class);
  assert.deepEqual(names(true), ["third", "first", "second"]);
  assert.deepEqual(names(false), ["first", "second", "third"]);
});

test("why a list is empty: not asked for, left out with its reason, or nothing to say", () => {
  const passes = [{ pass: "threads", left_out: null }, { pass: "suspects", left_out: "needs 600 MB\u202e" }];
  assert.equal(leftOutWords({ passes }, "loaders", "The class loaders were"), "The class loaders were not asked for (analyses=).");
  assert.equal(leftOutWords({ passes }, "suspects", "Suspects were"), "Suspects were left out: needs 600 MB\\u202e.");
  assert.equal(leftOutWords({ passes }, "threads", "The threads were"), null);
});

test("retained sizes that are all 0 are none", () => {
  const report = { graph: {} };
  assert.ok(!hasRetained(report, [{ retained_bytes: 0 }]));
  assert.ok(hasRetained(report, [{ retained_bytes: 0 }, { retained_bytes: 1 }]));
  assert.ok(!hasRetained({ graph: null }, [{ retained_bytes: 1 }]));
});

test("paper says where a list ends before its end", () => {
  assert.equal(paperWords(500, 4000), "500 rows of 4,000 are on this paper.");
  assert.equal(paperWords(500, 500), "");
  assert.equal(paperWords(500, 20), "");
});

test("bars show what the rows have", () => {
  assert.deepEqual(measuresOf([{ shallow_bytes: 1, retained_bytes: 0 }]).map((measure) => measure.key), ["shallow_bytes"]);
  const all = { shallow_bytes: 1, retained_bytes: 2, reachable_bytes: 3 };
  assert.deepEqual(measuresOf([all]).map((measure) => measure.key), ["reachable_bytes", "retained_bytes", "shallow_bytes"]);
});

test("reachable sizes: estimates are called so, and what is not told is no zero", () => {
  assert.equal(reachText(43_201_331, false), "41.2 MB");
  assert.equal(reachText(43_201_331, true), "about 41.2 MB");
  assert.equal(reachText(null, false), "–");
  assert.equal(exactWords(/** @type {any} */ ({ exact: true })), "All sizes are exact.");
  const words = exactWords({ exact: false, estimated_objects: 1, reason: "time", standard_error: 0.089 });
  assert.match(words, /mostly within ± 9\u00a0%, as there was no more time for them: of 1 object\./);
  assert.match(exactWords({ exact: false, estimated_objects: 5, reason: "memory", standard_error: 0.089 }), /no memory for them: of 5 objects/);
});

test("estimates of accounts have no more digits than their error leaves, as in the terminal", () => {
  const mega = 1024 * 1024;
  assert.equal(estimateText({ bytes: 512, bytes_error: 0 }), "512 B");
  assert.equal(estimateText({ bytes: 1229 * mega, bytes_error: 37 * mega }), "1.2 GB ±3\u00a0%");
  assert.equal(estimateText({ bytes: 61 * mega + 300_000, bytes_error: 6 * mega }), "61 MB ±10\u00a0%");
  assert.equal(estimateText({ bytes: 618 * mega, bytes_error: 400 * mega }), "600 MB ±65\u00a0%");
  assert.equal(estimateText({ bytes: 1500, bytes_error: 100 }), "1.5 KB ±7\u00a0%");
  assert.equal(estimateText({ bytes: 100, bytes_error: 900 }), "100 B ±>100\u00a0%");
  assert.match(modeWords({ mode: "sampled", sample_interval_bytes: 524_288 }), /a sample every 512.0 KB: ± is one standard error/);
  assert.equal(modeWords({ mode: "exact", sample_interval_bytes: 0 }), "Allocated amounts are counted.");
  assert.equal(modeWords({ mode: "exact-live", sample_interval_bytes: 0 }), "Allocated and live amounts are counted.");
});

test("accounts sort by plain figures, also where nobody knows what lives", () => {
  const row = flat({ account: "a", allocated: { bytes: 5 }, since_report: { bytes: 3 }, live: null, calibrated: null });
  assert.equal(row.allocated_bytes, 5);
  assert.equal(row.live_bytes, 0);
  assert.equal(row.in_heap_bytes, 0);
});

test("what others hold as well is told where it is much", () => {
  const object = { retained_bytes: 1024, reachable_bytes: 10_240, reachable_estimated: false };
  assert.equal(sharedWords(object, 100_000), "leads to 10.0 KB, 9.0 KB of it held by others, too");
  assert.equal(sharedWords({ ...object, reachable_bytes: 1100 }, 1000), null);
  assert.equal(sharedWords(object, 10_000_000), null, "next to nothing of the heap");
  assert.equal(sharedWords(/** @type {any} */ ({ retained_bytes: 1024 }), 0), null, "an older report");
});

test("ranges of differences have limits in whole units", () => {
  assert.equal(rangeText({ from_bytes: 0, up_to_bytes: 1024 }), "less than 1 KB");
  assert.equal(rangeText({ from_bytes: 1024, up_to_bytes: 10_240 }), "1 KB to 10 KB");
  assert.equal(rangeText({ from_bytes: 104_857_600, up_to_bytes: null }), "100 MB and more");
});

test("losses are named and counted", () => {
  assert.deepEqual(lossWords({ roots_dropped: 0, names_cut: 3, input_damaged: false }), ["3 names shortened in the report"]);
  assert.equal(lossWords({ input_damaged: true }).length, 1);
});

test("how sure: no graph, not looked for, no suspect, a suspect", () => {
  const losses = { heap_complete: true };
  const passes = [{ pass: "suspects", left_out: null }];
  assert.equal(sureWords({ graph: null, suspects: [], losses })[0], "No graph");
  assert.equal(sureWords({ graph: {}, suspects: [], losses, passes })[0], "No suspect");
  assert.deepEqual(sureWords({ graph: {}, suspects: [], losses, passes: [] }), ["Not looked for", "Suspects were not asked for (analyses=)."]);
  assert.deepEqual(sureWords({ graph: {}, suspects: [{ confidence: 0.52 }], losses: { heap_complete: false } }),
    ["52 % confidence", "the picture is not complete, see losses"]);
});
