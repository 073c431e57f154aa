// The page of a trend: what is on it, from top to bottom. One process makes the sections; of several each is an entry that opens.
import { accountTrendView } from "./account_trend_view.js";
import { el } from "./element.js";
import { foldedList } from "./folded_list.js";
import { headline, name, sentence } from "./name.js";
import { hasObjects, objectTrendView } from "./object_trend_view.js";
import { pageShell, startPage } from "./page_shell.js";
import { classesView, grows, heapView, placeWords, pointsView, processFacts, processInside } from "./process_view.js";
import { Table } from "./table.js";
import { countText, counted, printable, shortened, utcText } from "./text.js";

const period = ({ first_utc: first, last_utc: last }) => `${utcText(first)} → ${utcText(last)}`;

function headOf(shown) {
  const [first] = shown;
  if (shown.length > 1) return `${countText(shown.length)} processes`;
  return [name(first.main_name, 48), el("span", { class: "quiet" }, " ", placeWords(first), ` · ${period(first)}`)];
}

const growingWords = (shown) => {
  const growing = shown.filter(grows).length;
  if (growing === 0) return `In none of ${countText(shown.length)} processes a class grows beyond chance`;
  return `In ${countText(growing)} of ${countText(shown.length)} processes a class grows`;
};

function verdictView(shown) {
  const [first] = shown;
  const one = shown.length === 1;
  return el(
    "section",
    { class: "verdict", id: "verdict", "aria-label": "Verdict" },
    el("h1", {}, one ? headline(first.verdict) : growingWords(shown)),
    one && first.caution && el("p", { class: "quiet" }, first.caution),
    one && processFacts(first),
  );
}

function stateWords(process) {
  if (process.points.length < process.reports_needed) return "too few reports";
  return grows(process) ? "a class grows" : "no growth";
}

const processEntry = (process, index) => ({
  summary: [
    el("span", {}, name(process.main_name, 48), " ", el("span", { class: "quiet" }, placeWords(process), `, ${counted(process.reports, "report")}, ${period(process)}`)),
    el("span", { class: `judgement figure ${grows(process) ? "grows" : ""}` }, stateWords(process)),
  ],
  inside: () => processInside(process),
  open: index === 0,
});

function otherProcesses(others) {
  return [
    el("p", { class: "quiet hint" }, "--process PID or --all-processes shows them."),
    new Table({
      caption: "Other processes",
      columns: [
        { key: "main_name", title: "Program", kind: "name" },
        { key: "pid", title: "Process", kind: "text" },
        { key: "host", title: "Host", kind: "name" },
        { key: "reports", title: "Reports", kind: "count" },
        { key: "first_utc", title: "First", kind: "text", cell: ({ first_utc: utc }) => utcText(utc) },
        { key: "last_utc", title: "Last", kind: "text", cell: ({ last_utc: utc }) => utcText(utc) },
      ],
      rows: others,
      sortBy: "reports",
    }).element,
  ];
}

const skippedFiles = (skipped) =>
  new Table({
    caption: "Skipped files",
    columns: [
      { key: "file", title: "File", kind: "name" },
      { key: "reason", title: "Why", kind: "text", cell: ({ reason }) => sentence(reason) },
    ],
    rows: skipped,
    sortBy: "file",
  }).element;

function processSections(shown) {
  const [first] = shown;
  if (shown.length > 1) return [{ id: "processes", title: "Processes", inside: foldedList(shown.map(processEntry)) }];
  return [
    { id: "heap", title: "Heap", inside: heapView(first) },
    { id: "classes", title: "What grows", short: "Classes", inside: classesView(first) },
    ...(hasObjects(first) ? [{ id: "objects", title: "The same objects", short: "Objects", inside: objectTrendView(first) }] : []),
    ...(first.accounting ? [{ id: "accounts", title: "Memory accounts", short: "Accounts", inside: accountTrendView(first) }] : []),
    { id: "reports", title: "Reports", inside: pointsView(first) },
  ];
}

const cutWords = ({ page_rows_limit: limit }) =>
  limit ? el("p", { class: "missing cut" }, `To stay small this page shows at most ${countText(limit)} classes, objects and accounts of each process; the reports have more.`) : null;

startPage((trend) => {
  const shown = trend.processes.filter((process) => process.shown);
  const others = trend.processes.filter((process) => !process.shown);
  const about = shown.length === 1 ? shortened(printable(shown[0].main_name), 60) : `${shown.length} processes`;
  document.title = `${about}, trend · holdfast`;
  return pageShell({
    head: headOf(shown),
    first: [verdictView(shown), cutWords(trend)],
    sections: [
      ...processSections(shown),
      ...(others.length > 0 ? [{ id: "others", title: "Other processes", short: "Others", inside: otherProcesses(others) }] : []),
      ...(trend.skipped.length > 0 ? [{ id: "skipped", title: "Skipped files", short: "Skipped", inside: skippedFiles(trend.skipped) }] : []),
    ],
    foot: "A class grows only where a rise is steadier than chance allows. Where a class is not listed its line has a gap, and a pale bar goes up to the most that it can have. Times are UTC, 1 KB = 1,024 bytes.",
  });
});
