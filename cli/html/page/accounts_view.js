// Memory accounts: who allocated what, who was called by whom, and the classes, methods, threads and annotations of each account.
import { el } from "./element.js";
import { facts } from "./facts.js";
import { leftOutReason } from "./left_out.js";
import { name } from "./name.js";
import { Table } from "./table.js";
import { bytesText, countText, shareText } from "./text.js";

const UNACCOUNTED = "(unaccounted)";
const UNITS = ["B", "KB", "MB", "GB", "TB", "PB", "EB"];

// As many digits as count.
function rounded(value, digits) {
  const step = 10 ** (Math.floor(Math.log10(value)) + 1 - digits);
  return Math.round(value / step) * step;
}

function roundedBytes(bytes, digits) {
  let unit = 0;
  let value = bytes;
  while (rounded(value, digits) >= 1000 && unit + 1 < UNITS.length) {
    value /= 1024;
    unit += 1;
  }
  value = rounded(value, digits);
  return `${value.toFixed(unit === 0 || value >= 10 || digits === 1 ? 0 : 1)} ${UNITS[unit]}`;
}

const errorText = (share) => (share < 0.01 ? "±<1\u00a0%" : share > 1 ? "±>100\u00a0%" : `±${Math.round(100 * share)}\u00a0%`);

// An estimate has no more digits than its error leaves: of 5 % and more two, of 50 % and more one.
export function estimateText({ bytes, bytes_error: error }) {
  if (error === 0 || bytes === 0) return bytesText(bytes);
  const share = error / bytes;
  return `${share < 0.05 ? bytesText(bytes) : roundedBytes(bytes, share < 0.5 ? 2 : 1)} ${errorText(share)}`;
}

// Tables sort by plain figures.
export function flat(row) {
  return { ...row, allocated_bytes: row.allocated.bytes, since_bytes: row.since_report.bytes, live_bytes: row.live?.bytes ?? 0, in_heap_bytes: row.calibrated?.bytes ?? 0 };
}

// The figures that these accounts have.
function figureColumns(accounts) {
  return [
    { key: "allocated_bytes", title: "Allocated", kind: "bytes", cell: (row) => estimateText(row.allocated) },
    accounts.last_report_utc !== null && { key: "since_bytes", title: "Since the last report", kind: "bytes", minor: true, cell: (row) => estimateText(row.since_report) },
    accounts.live_known && { key: "live_bytes", title: "Live", kind: "bytes", cell: (row) => estimateText(row.live) },
    accounts.calibrated && { key: "in_heap_bytes", title: "In heap", kind: "bytes" },
  ].filter(Boolean);
}

function table(accounts, caption, rows, columns, filter) {
  if (rows.length === 0) return null;
  return [
    el("h3", {}, caption),
    new Table({ caption, sortBy: "allocated_bytes", bar: accounts.calibrated ? "in_heap_bytes" : "allocated_bytes", rows: rows.map(flat), columns: [...columns, ...figureColumns(accounts)], filter, filterTitle: filter && `Filter ${caption.toLowerCase()}` }).element,
  ];
}

const account = { key: "account", title: "Account", kind: "name" };
const className = { key: "class", title: "Class", kind: "name", cell: (row) => (row.class === null ? "not told" : name(row.class, 44)) };

export function modeWords({ mode, sample_interval_bytes: interval }) {
  const each = interval === 0 ? "every object" : `a sample every ${bytesText(interval)}`;
  if (mode === "exact-live") return "Allocated and live amounts are counted.";
  return mode === "exact" ? "Allocated amounts are counted." : `Amounts are estimates, from ${each}: ± is one standard error, two figures of three are within it.`;
}

function lossWords(lost) {
  const told = [
    [lost.rows_full, "samples had no room for a row of their class"],
    [lost.stacks_cut, "stacks had no account in the frames that were looked at"],
    [lost.live_thinned, "live samples were given up for room, the others stand for them"],
    [lost.samples_dropped, "events had no object or no stack"],
    [lost.classes_left_alone, "classes could not be rewritten"],
    [lost.methods_left_alone, "methods could not be rewritten"],
    [lost.threads_shared, "threads shared counters"],
    [lost.annotations_other, "annotations without room, told as (other)"],
  ].filter(([count]) => count > 0);
  return told.length > 0 && el("p", { class: "missing" }, `Lost: ${told.map(([count, what]) => `${countText(count)} ${what}`).join("; ")}.`);
}

function explained(accounts) {
  if (!accounts.live_known) return el("p", { class: "quiet" }, "This VM does not tell which objects died.");
  if (!accounts.calibrated) return null;
  if (accounts.mode === "exact-live")
    return facts([
      ["In heap", "live amounts, at most what the dump counted of each class a moment later"],
      ["Explained so", `${shareText(accounts.explained_bytes, accounts.heap_bytes)} of ${bytesText(accounts.heap_bytes)}; the rest is older than accounting, or made by the VM`],
    ]);
  return facts([
    ["In heap", "live amounts, scaled to what the dump counted of each class: an upper bound where objects are older than accounting"],
    ["Explained so", `${shareText(accounts.explained_bytes, accounts.heap_bytes)} of ${bytesText(accounts.heap_bytes)}`],
  ]);
}

function restWords(accounts) {
  const more = accounts.accounts_total - accounts.accounts.length;
  return more > 0 && el("p", { class: "quiet" }, `${countText(more)} more accounts are not listed: ${estimateText(accounts.rest_of_accounts.allocated)} allocated.`);
}

// Null: accounting was off, or the report is older.
export function accountsView(report) {
  const { accounts } = report;
  if (!accounts) return leftOutReason(report, "accounts", "Accounts were");
  return [
    el("p", {}, "Who allocated what. ", modeWords(accounts)),
    accounts.sample_only && el("p", { class: "quiet" }, `Only samples of ${accounts.sample_only} were taken; ${countText(accounts.passed_over)} others were passed over.`),
    explained(accounts),
    table(accounts, "Accounts", accounts.accounts, [account], accounts.accounts.length > 20 ? ["account"] : undefined),
    restWords(accounts),
    table(accounts, "Called from other accounts", accounts.pairs.filter((row) => row.principal !== UNACCOUNTED), [account, { key: "principal", title: "Called from", kind: "name" }]),
    table(accounts, "Classes of accounts", accounts.classes, [account, className], ["account", "class"]),
    table(accounts, "Methods of accounts", accounts.methods, [account, { key: "method", title: "Method", kind: "name" }, className], ["account", "method", "class"]),
    table(accounts, "Threads of accounts", accounts.threads, [account, { key: "thread", title: "Thread", kind: "name" }], ["account", "thread"]),
    table(accounts, "What threads said", accounts.annotations, [account, { key: "annotation", title: "Annotations", kind: "name" }], ["account", "annotation"]),
    lossWords(accounts.losses),
  ];
}
