// The threads by what their local variables hold, with the frames that hold it.
import { el } from "./element.js";
import { foldedList } from "./folded_list.js";
import { leftOutWords } from "./left_out.js";
import { name, objectName } from "./name.js";
import { bytesText, countText } from "./text.js";

function frameLine(frame) {
  return el(
    "li",
    {},
    name(`${frame.class}.${frame.method}()`, 76),
    el("span", { class: "figure" }, frame.retained_bytes > 0 ? bytesText(frame.retained_bytes) : ""),
    frame.largest && frame.locals > 0 &&
      el("span", { class: "quiet under" }, `${countText(frame.locals)} local references, the largest: `, objectName(frame.largest), ` ${bytesText(frame.largest.retained_bytes)}`),
  );
}

const framesOf = (thread, counted) =>
  thread.frames.length > 0
    ? el("ol", { class: "frames" }, thread.frames.map(frameLine))
    : el("p", { class: "quiet" }, counted ? "No frame of this thread holds anything by itself." : "What this thread holds is not known.");

const threadEntry = (thread, counted) => ({
  summary: [
    name(thread.thread, 60),
    thread.daemon && el("span", { class: "tag" }, "daemon"),
    counted && el("span", { class: "figure" }, bytesText(thread.retained_bytes)),
  ],
  inside: () => framesOf(thread, counted),
});

// Threads and their frames are listed even when nobody summed up what they hold.
function noThreadsWords(report) {
  const reason = report.graph ? leftOutWords(report, "threads", "The threads were") : null;
  return reason ?? (report.threads.length === 0 ? "This report lists no threads." : null);
}

export function threadsView(report) {
  const counted = report.threads.some((thread) => thread.retained_bytes > 0);
  const reason = counted ? null : noThreadsWords(report);
  const hidden = report.threads_total - report.threads.length;
  const rows = [...report.threads].sort((a, b) => b.retained_bytes - a.retained_bytes);
  return [
    reason && el("p", { class: "missing" }, reason),
    foldedList(rows.map((thread) => threadEntry(thread, counted))),
    hidden > 0 && el("p", { class: "quiet" }, `${countText(hidden)} threads that hold less are not listed.`),
  ];
}
