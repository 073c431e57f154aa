// The largest objects, each with a shortest path from a GC root.
import { el } from "./element.js";
import { foldedList } from "./folded_list.js";
import { objectName } from "./name.js";
import { pathView } from "./path_view.js";
import { bytesText } from "./text.js";

export function objectsView(report, tree) {
  if (report.top_objects.length === 0)
    return el("p", { class: "missing" }, "Without an object graph no single object is known.");
  return foldedList(
    report.top_objects.map((object) => ({
      summary: [objectName(object), el("span", { class: "figure" }, bytesText(object.retained_bytes))],
      inside: () => pathView(object.path, tree),
    })),
  );
}
