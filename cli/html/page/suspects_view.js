// The suspects: what piles up, the path to what holds it, why it is suspected, and what there is below.
import { el } from "./element.js";
import { sentence } from "./name.js";
import { noGraphWords } from "./no_graph.js";
import { pathView } from "./path_view.js";
import { sharedWords } from "./reachable_view.js";
import { Table } from "./table.js";
import { bytesText, shareText } from "./text.js";
import { holderWords, notLookedFor, suspectWords } from "./verdict_view.js";

function confidence(share) {
  const percent = Math.round(100 * share);
  return el(
    "span",
    { class: "confidence", role: "img", "aria-label": `confidence ${percent} %` },
    `${percent} % sure`,
    el("span", { class: "meter", place: { "--share": String(share) } }),
  );
}

const levels = (suspect) =>
  new Table({
    caption: "Below the accumulation point, class by class",
    sortBy: "retained_bytes",
    bar: "retained_bytes",
    rows: suspect.levels,
    columns: [
      { key: "class", title: "Below it, class by class", kind: "name" },
      { key: "instances", title: "Objects", kind: "count" },
      { key: "shallow_bytes", title: "Shallow", kind: "bytes", minor: true },
      { key: "retained_bytes", title: "Retained", kind: "bytes" },
    ],
  }).element;

function shared({ holder }, held) {
  const words = holder && sharedWords(holder, held);
  return words && el("p", { class: "quiet" }, `The accumulation point ${words}.`);
}

function suspectView(suspect, held, tree) {
  return el(
    "details",
    { class: "suspect", open: suspect.rank === 1 },
    el(
      "summary",
      {},
      el("span", { class: "rank" }, suspect.rank),
      el("span", { class: "what" }, el("b", {}, suspectWords(suspect)), el("span", { class: "holder" }, holderWords(suspect))),
      el("span", { class: "sum" }, el("b", {}, bytesText(suspect.retained_bytes)), ` ${shareText(suspect.retained_bytes, held)}`),
      confidence(suspect.confidence),
    ),
    el(
      "div",
      { class: "columns" },
      el("div", {}, el("h3", {}, "What holds it"), pathView(suspect.path, tree), shared(suspect, held)),
      el("div", {}, el("h3", {}, "Why"), el("ul", { class: "evidence" }, suspect.evidence.map((text) => el("li", {}, sentence(text))))),
    ),
    suspect.levels.length > 0 && levels(suspect),
  );
}

export function suspectsView(report, tree) {
  if (!report.graph)
    return el("p", { class: "missing" }, noGraphWords(report), " So nothing can be suspected.");
  if (report.suspects.length === 0)
    return el("p", { class: "missing" }, notLookedFor(report) ?? "Nothing in this heap is so large and so alike that it is suspected.");
  return report.suspects.map((suspect) => suspectView(suspect, report.graph.held_bytes, tree));
}
