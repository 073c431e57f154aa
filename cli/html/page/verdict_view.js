// The first screen: what leaks, what holds it, since when, how sure, and what the picture cost.
import { el } from "./element.js";
import { fact } from "./fact.js";
import { leftOutWords } from "./left_out.js";
import { headline as shortSentence, name, sentence } from "./name.js";
import { bytesText, countText, durationText, shareText } from "./text.js";

// What is held is known where the dominators are.
const wholeBytes = (report) =>
  report.graph?.held_bytes || report.classes.reduce((sum, row) => sum + row.shallow_bytes, report.rest_of_classes.shallow_bytes);

export const holderWords = (suspect) => ["held by ", shortSentence(suspect.held_by)];

export const suspectWords = (suspect) =>
  suspect.kind === "group" ? [`${countText(suspect.instances)} `, name(suspect.class, 90)] : ["one ", name(suspect.class, 90)];

function headline(report) {
  const [first] = report.suspects;
  if (!first) return el("h1", {}, sentence(report.verdict));
  const verb = first.kind === "group" ? " retain " : " retains ";
  return el(
    "h1",
    {},
    el("strong", {}, suspectWords(first)),
    verb,
    el("strong", {}, bytesText(first.retained_bytes)),
    ` (${shareText(first.retained_bytes, wholeBytes(report))} of the heap), `,
    holderWords(first),
  );
}

export const notLookedFor = (report) => leftOutWords(report, "suspects", "Suspects were");

export function sureWords(report) {
  const [first] = report.suspects;
  const complete = report.losses.heap_complete ? "the picture is complete" : "the picture is not complete, see losses";
  if (!report.graph) return ["No graph", "counts alone cannot say what holds what"];
  if (!first) {
    const reason = notLookedFor(report);
    return reason ? ["Not looked for", reason] : ["No suspect", complete];
  }
  return [`${Math.round(100 * first.confidence)} % confidence`, complete];
}

function pauseWords(dump) {
  if (dump.rung === "imported") return ["No pause", "imported from a dump of another tool"];
  const limit = dump.pause_limit_ms === null ? "no limit" : `limit ${durationText(dump.pause_limit_ms)}`;
  return [`${durationText(dump.pause_ms)} stopped`, `${durationText(dump.predicted_pause_ms)} predicted, ${limit}; rung: ${dump.rung}`];
}

function heapWords(report) {
  if (report.graph?.held_bytes > 0)
    return [`${bytesText(report.graph.held_bytes)} held`, `by ${countText(report.graph.held_objects)} objects; ${heapUse(report.dump)}`];
  return [`${bytesText(wholeBytes(report))} counted`, `${countText(report.classes_total)} classes; ${heapUse(report.dump)}`];
}

const heapUse = (dump) =>
  dump.heap_max_bytes > 0 ? `${bytesText(dump.heap_used_before_bytes)} in use of at most ${bytesText(dump.heap_max_bytes)}` : "";

// One dump is one moment: it cannot know when something began.
function sinceWords(report) {
  const uptime = report.origin.vm_uptime_ms;
  const ran = uptime > 0 ? `within ${durationText(uptime)}` : "not known";
  return [ran, `${uptime > 0 ? "the VM had run for that long; " : ""}one dump shows a moment, a later one shows growth`];
}

export function verdictView(report) {
  return el(
    "section",
    { class: "verdict", id: "verdict", "aria-label": "Verdict" },
    headline(report),
    el(
      "dl",
      { class: "facts" },
      fact("How sure", sureWords(report)),
      fact("Since when", sinceWords(report)),
      fact("Heap", heapWords(report)),
      fact("The application", pauseWords(report.dump)),
    ),
  );
}
