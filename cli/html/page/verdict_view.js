// The first screen: what leaks, what holds it, since when, how sure, and what the picture cost.
import { el } from "./element.js";
import { fact } from "./fact.js";
import { leftOutWords } from "./left_out.js";
import { name, sentence } from "./name.js";
import { bytesText, countText, durationText, shareText } from "./text.js";

// What is held is known where the dominators are.
const wholeBytes = (report) =>
  report.graph?.held_bytes || report.classes.reduce((sum, row) => sum + row.shallow_bytes, report.rest_of_classes.shallow_bytes);

// java.lang.Thread keeps them in fields of these names, up to JDK 25 at least.
const isThreadLocal = (path) => path.root_kind === "thread" && ["threadLocals", "inheritableThreadLocals"].includes(path.steps[1]?.field);

const frameWords = (path) => (path.root_kind === "possible_stack_slot" ? "a stack slot that may hold it, of " : "a local variable of ");

function beginningOf(path) {
  const thread = ["thread ", name(path.thread ?? "?", 48)];
  if (path.frame_method) return [frameWords(path), name(`${path.frame_class ? `${path.frame_class}.` : ""}${path.frame_method}()`, 90), " in ", thread];
  if (isThreadLocal(path)) return ["a thread-local variable of ", thread];
  return path.root_kind === "thread" ? thread : "a GC root";
}

// Who holds the object that the path ends at: the step before it, or the root.
function holderOfMember(path) {
  const by = path.steps.at(-2);
  if (!by) return ["a GC root"];
  return by.class_object_of ? ["class ", name(by.class_object_of, 90)] : ["an object of ", name(by.class, 90)];
}

function namedHolder(suspect) {
  const field = suspect.holder_field ?? "?";
  const place = `${suspect.holder_class ?? "?"}.${field}`;
  if (suspect.holder_kind === "static_field") return ["static field ", name(place, 90)];
  if (suspect.holder_kind === "field") return ["field ", name(place, 90), ", from ", beginningOf(suspect.path)];
  if (suspect.holder_kind === "frame" || isThreadLocal(suspect.path)) return beginningOf(suspect.path);
  if (suspect.holder?.class_object_of) return ["class ", name(suspect.holder.class_object_of, 90)];
  return suspect.holder ? ["an object of ", name(suspect.holder_class, 90)] : holderOfMember(suspect.path);
}

export const holderWords = (suspect) => [suspect.holder ? "held by " : "held by no single object; the largest of them by ", namedHolder(suspect)];

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
