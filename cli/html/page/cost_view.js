// What the dump cost: the pause, the time and memory of each pass, what was reserved.
import { el } from "./element.js";
import { facts } from "./facts.js";
import { sentence } from "./name.js";
import { Table } from "./table.js";
import { bytesText, countText, durationText } from "./text.js";

const time = { kind: "count" };

function passes(report) {
  const shown = (key) => (row) => (row.left_out ? "–" : durationText(row[key]));
  return new Table({
    caption: "Passes of the analysis",
    sortBy: "wall_ms",
    bar: "wall_ms",
    rows: report.passes,
    columns: [
      { key: "pass", title: "Pass", kind: "text", cell: (row) => [row.pass, row.left_out && [el("br"), "left out: ", sentence(row.left_out)]] },
      { key: "wall_ms", title: "Time", ...time, cell: shown("wall_ms") },
      { key: "cpu_ms", title: "CPU", ...time, minor: true, cell: shown("cpu_ms") },
      { key: "scratch_peak_bytes", title: "Memory", kind: "bytes" },
    ],
  }).element;
}

function ledger(memory) {
  return new Table({
    caption: "Memory by category",
    sortBy: "peak_bytes",
    bar: "peak_bytes",
    rows: memory.categories,
    columns: [
      { key: "category", title: "Memory of the agent", kind: "text" },
      { key: "peak_bytes", title: "At most", kind: "bytes" },
    ],
  }).element;
}

function times(dump) {
  if (dump.rung === "imported") return [["Read in", durationText(dump.capture_ms)], ["Analysis", durationText(dump.analysis_ms)]];
  return [
    ["Application stopped", durationText(dump.pause_ms)],
    ["Predicted", durationText(dump.predicted_pause_ms)],
    ["Limit", dump.pause_limit_ms === null ? "none: a person asked" : durationText(dump.pause_limit_ms)],
    ["Capture rung", dump.rung],
    ["Clone", dump.clone_ms > 0 ? durationText(dump.clone_ms) : null],
    ["Request to picture", durationText(dump.capture_ms)],
    ["Analysis", durationText(dump.analysis_ms)],
  ];
}

export function costView(report) {
  const { dump, memory } = report;
  return [
    facts([
      ...times(dump),
      ["Memory at the peak", `${bytesText(memory.peak_bytes)} of ${bytesText(memory.limit_bytes)}`],
      ["The VM's own for tags", memory.vm_tag_bytes_estimate > 0 ? `about ${bytesText(memory.vm_tag_bytes_estimate)}` : null],
      ["Size of the report", bytesText(report.report_bytes)],
      ["Merged requests", dump.merged_requests > 0 ? countText(dump.merged_requests) : null],
      ["Refused requests", dump.refused_requests > 0 ? countText(dump.refused_requests) : null],
    ]),
    el("div", { class: "columns" }, passes(report), ledger(memory)),
  ];
}
