// The largest objects, each with a shortest path from a GC root.
import { el } from "./element.js";
import { foldedList } from "./folded_list.js";
import { leftOutWords } from "./left_out.js";
import { objectName } from "./name.js";
import { pathView } from "./path_view.js";
import { sharedWords } from "./reachable_view.js";
import { bytesText } from "./text.js";

function noObjectsWords(report) {
  if (!report.graph) return "Without an object graph no single object is known.";
  return leftOutWords(report, "top objects", "The largest objects were") ?? "No object is held.";
}

function sharedLine(object, held) {
  const words = sharedWords(object, held);
  return words && el("p", { class: "quiet" }, `It ${words}.`);
}

export function objectsView(report, tree) {
  if (report.top_objects.length === 0)
    return el("p", { class: "missing" }, noObjectsWords(report));
  return foldedList(
    report.top_objects.map((object) => ({
      summary: [objectName(object), el("span", { class: "figure" }, bytesText(object.retained_bytes))],
      inside: () => [sharedLine(object, report.graph.held_bytes), pathView(object.path, tree)],
    })),
  );
}
