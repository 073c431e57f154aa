// The largest objects, each with a shortest path from a GC root.
import { el } from "./element.js";
import { foldedList } from "./folded_list.js";
import { leftOutWords } from "./left_out.js";
import { objectName } from "./name.js";
import { pathView } from "./path_view.js";
import { sharedWords } from "./reachable_view.js";
import { bytesText, countText, durationText, utcText } from "./text.js";

function noObjectsWords(report) {
  if (!report.graph) return "Without an object graph no single object is known.";
  return leftOutWords(report, "top objects", "The largest objects were") ?? "No object is held.";
}

function sharedLine(object, held) {
  const words = sharedWords(object, held);
  return words && el("p", { class: "quiet" }, `It ${words}.`);
}

const dateText = (ms) => utcText(new Date(ms).toISOString());

// "known since dump 2 of …, 50 min earlier"; null: it has no number, or this report is the first that names it.
export function knownWords({ identity, first_sequence: first, first_utc_ms: ms }, { sequence, started_utc_ms: now }) {
  if (!identity || first === sequence) return null;
  const words = `known since dump ${first} of ${dateText(ms)}`;
  return now > ms ? `${words}, ${durationText(now - ms)} earlier` : words;
}

// What became of the objects with numbers; null: they are not tracked.
export function trackingWords({ tracking }) {
  if (!tracking) return null;
  const { known, named, gone, unfollowed, began_utc_ms: began } = tracking;
  const lost = unfollowed > 0 ? `; ${countText(unfollowed)} named by the dump before not found again` : "";
  return `Objects with a number (#) keep it in later reports: ${countText(known)} known, ${countText(named)} new, ${countText(gone)} gone${lost}; since ${dateText(began)}.`;
}

function knownLine(object, origin) {
  const words = knownWords(object, origin);
  return words && el("p", { class: "quiet" }, `It is ${words}.`);
}

export function objectsView(report, tree) {
  if (report.top_objects.length === 0)
    return el("p", { class: "missing" }, noObjectsWords(report));
  const words = trackingWords(report);
  return [
    words && el("p", { class: "quiet hint" }, words),
    foldedList(
      report.top_objects.map((object) => ({
        summary: [objectName(object), el("span", { class: "figure" }, bytesText(object.retained_bytes))],
        inside: () => [knownLine(object, report.origin), sharedLine(object, report.graph.held_bytes), pathView(object.path, tree)],
      })),
    ),
  ];
}
