// Memory accounts of a trend: what of each lives, how that went, and what was allocated meanwhile.
import { estimateText, modeWords } from "./accounts_view.js";
import { el } from "./element.js";
import { chanceText, courseWords, perHourText } from "./series.js";
import { sparkline } from "./sparkline.js";
import { Table } from "./table.js";
import { bytesText, countText, counted } from "./text.js";

// What one account had at the first or the last point where it is known, as {bytes, bytes_error, objects}; null: nowhere.
export function amountAt(amounts, last) {
  const known = [...amounts.bytes.keys()].filter((index) => amounts.bytes[index] !== null);
  const at = known.at(last ? -1 : 0);
  return at === undefined ? null : { bytes: amounts.bytes[at], bytes_error: amounts.bytes_error[at], objects: amounts.objects[at] };
}

// Rows as the table sorts them.
export function accountRows({ accounts }) {
  return accounts.map((row) => {
    const [first, last] = [false, true].map((end) => row.live && amountAt(row.live, end));
    return { ...row, first, last, first_bytes: first?.bytes ?? 0, last_bytes: last?.bytes ?? 0, change: (last?.bytes ?? 0) - (first?.bytes ?? 0), rate: row.allocated_bytes_per_second, how: row.chance_of_any ?? 1 };
  });
}

const amountText = (amount) => (amount ? estimateText(amount) : "?");

const liveColumns = (key) => [
  { key: "change", title: "Course", kind: "text", cell: ({ live }) => sparkline(key === "instances" ? live.objects : live.bytes) },
  { key: "first_bytes", title: "Live first", kind: "bytes", cell: ({ first }) => amountText(first) },
  { key: "last_bytes", title: "Live last", kind: "bytes", cell: ({ last }) => amountText(last) },
  { key: "per_hour", title: "Per hour", kind: "bytes", cell: ({ per_hour: speed }) => perHourText(speed, key) },
  { key: "course", title: "Judgement", kind: "text", cell: ({ course }) => el("span", { class: `judgement ${course}` }, courseWords(course)) },
  { key: "how", title: "By chance", kind: "count", minor: true, cell: ({ chance_of_any: chance }) => chanceText(chance) },
];

function hint({ live_known: known, judged_by: by, tests }) {
  if (!known) return "This VM does not tell which objects died: what accounts allocated is compared, and no account is judged.";
  return `Judged by ${by === "live_objects" ? "objects" : "bytes"} that live; ${counted(tests, "account")} changed enough to be tested. A rise within the standard error of its two ends is none.`;
}

// Null: no report has accounts.
export function accountTrendView(process) {
  const { accounting, accounts, accounts_total: total } = process;
  if (!accounting) return null;
  return [
    el("p", {}, modeWords(accounting)),
    el("p", { class: "quiet" }, hint(accounting)),
    accounting.left_out && el("p", { class: "missing" }, `Not compared: ${accounting.left_out}.`),
    new Table({
      caption: "Accounts",
      columns: [
        { key: "account", title: "Account", kind: "name" },
        ...(accounting.live_known ? liveColumns(accounting.judged_by === "live_objects" ? "instances" : "shallow_bytes") : []),
        { key: "rate", title: "Allocated a second", kind: "bytes", cell: ({ rate }) => bytesText(rate) },
      ],
      rows: accountRows(process),
      sortBy: null,
      filter: accounts.length > 20 ? ["account"] : null,
      filterTitle: "Filter accounts",
    }).element,
    total > accounts.length && el("p", { class: "quiet" }, `${countText(total - accounts.length)} more accounts are not listed.`),
  ];
}
