// Memory accounts of a comparison: what of each lives before and after, and what it allocated in between.
import { estimateText } from "./accounts_view.js";
import { el } from "./element.js";
import { Table } from "./table.js";
import { bytesText } from "./text.js";

// As the terminal says it: a change within its error may be none.
export function liveChangeText({ live_change_bytes: change, live_change_bytes_error: error }) {
  if (change === 0) return "=";
  const bytes = Math.abs(change);
  if (error >= bytes) return `within ±${bytesText(error)}`;
  return (change < 0 ? "-" : "+") + estimateText({ bytes, bytes_error: error });
}

// Rows as the table sorts them.
export const accountChangeRows = (rows) =>
  rows.map((row) => ({ ...row, before: row.live_before?.bytes ?? 0, after: row.live_after?.bytes ?? 0, change: row.live_change_bytes ?? 0, between: row.allocated?.bytes ?? 0, rate: row.allocated_bytes_per_second ?? 0 }));

// Null: not both reports have accounts that both list.
export function accountChangesView({ accounts }) {
  if (!accounts || accounts.length === 0) return null;
  const [{ live_change_bytes: live, allocated }] = accounts;
  const liveColumns = [
    { key: "before", title: "Live before", kind: "bytes", minor: true, cell: ({ live_before: amount }) => estimateText(amount) },
    { key: "after", title: "Live after", kind: "bytes", cell: ({ live_after: amount }) => estimateText(amount) },
    { key: "change", title: "Change", kind: "bytes", cell: liveChangeText },
  ];
  const allocatedColumns = [
    { key: "between", title: "Allocated in between", kind: "bytes", cell: ({ allocated: amount }) => estimateText(amount) },
    { key: "rate", title: "A second", kind: "bytes", minor: true },
  ];
  return [
    el("p", { class: "quiet hint" }, "± is one standard error. A change within it may be none."),
    allocated === null && el("p", { class: "missing" }, "What was allocated in between nobody knows: the reports are not of one accounting."),
    new Table({
      caption: "Accounts",
      columns: [{ key: "account", title: "Account", kind: "name" }, ...(live === null ? [] : liveColumns), ...(allocated === null ? [] : allocatedColumns)],
      rows: accountChangeRows(accounts),
      sortBy: null,
      filter: accounts.length > 20 ? ["account"] : null,
      filterTitle: "Filter accounts",
    }).element,
  ];
}
