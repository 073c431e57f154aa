// Notes, losses, and where the report comes from.
import { el } from "./element.js";
import { facts } from "./facts.js";
import { name, sentence } from "./name.js";
import { countText, durationText } from "./text.js";

const LOSSES = {
  objects_unknown_class: "objects of an unknown class",
  roots_dropped: "GC roots dropped",
  references_to_unknown: "references to unknown objects",
  names_dropped: "names dropped",
  names_cut: "names shortened in the report",
  notes_dropped: "notes dropped",
  passes_left_out: "passes of the analysis left out",
};

export function lossWords(losses) {
  const words = Object.entries(LOSSES)
    .filter(([key]) => losses[key] > 0)
    .map(([key, what]) => `${countText(losses[key])} ${what}`);
  if (losses.input_damaged) words.unshift("a part of the imported dump could not be read");
  return words;
}

export function notesView(report) {
  const losses = lossWords(report.losses);
  const cut = report.page_rows_limit
    ? el("p", { class: "missing" }, `To stay small this page shows at most ${countText(report.page_rows_limit)} rows of each list; the report has more.`)
    : null;
  return [
    cut,
    el("p", {}, losses.length === 0 ? "Nothing was dropped." : `Lost: ${losses.join(", ")}.`),
    report.notes.length > 0 && el("ul", { class: "evidence" }, report.notes.map((note) => el("li", {}, sentence(note)))),
  ];
}

export function originView(report) {
  const { origin } = report;
  const options = Object.entries(report.options);
  return [
    facts([
      ["Program", name(origin.main_name)],
      ["Process", `${origin.pid}`],
      ["Host", name(origin.host)],
      ["Container", origin.container && name(origin.container)],
      ["VM", name(`${origin.vm_name} ${origin.vm_version}`)],
      ["Vendor", name(origin.vm_vendor)],
      ["Collector", name(origin.collector)],
      ["Taken", origin.started_utc],
      ["The VM had run for", origin.vm_uptime_ms > 0 ? durationText(origin.vm_uptime_ms) : null],
      ["Trigger", report.dump.trigger],
      ["Number", countText(origin.sequence)],
      ["Command line (hash)", origin.command_line_hash],
      ["holdfast", origin.tool_version],
    ]),
    options.length > 0 && el("h3", {}, "Options in force"),
    options.length > 0 && facts(options.map(([key, value]) => [key, name(value, 80)])),
  ];
}
