// The first screen of a comparison: what grew most, what makes that doubtful, the totals, and the two reports side by side.
import { signedText } from "./change.js";
import { el } from "./element.js";
import { fact } from "./fact.js";
import { headline, name, sentence } from "./name.js";
import { bytesText, countText, durationText, shareText, utcText } from "./text.js";

const COUNTED = {
  held: "what is held",
  reached: "what is reached by any reference",
  all: "all objects, garbage included",
};
export const countedWords = (counted) => COUNTED[counted] ?? counted;

// "12.0 MB → 61.0 MB" and "+49.0 MB, +408 %"
export function totalWords({ before, after, change }, key, figure) {
  const share = change[key] !== 0 && before[key] > 0 ? `, ${change[key] < 0 ? "-" : "+"}${shareText(Math.abs(change[key]), before[key])}` : "";
  return [`${figure(before[key])} → ${figure(after[key])}`, `${signedText(change[key], key)}${share}`];
}

function timeWords({ elapsed_ms: elapsed, same_process: same }) {
  const between = elapsed === 0 ? "none" : durationText(Math.abs(elapsed));
  return [elapsed < 0 ? `${between} back` : between, same ? "of the same process" : "not of the same process"];
}

function totals({ totals: all, before, after }) {
  const counted = before.counted === after.counted ? `; ${countedWords(after.counted)}` : "";
  const [heap, heapChange] = totalWords(all, "shallow_bytes", bytesText);
  const [objects, objectsChange] = totalWords(all, "instances", countText);
  return [fact("Heap", [heap, heapChange + counted]), fact("Objects", [objects, objectsChange])];
}

export function diffVerdictView(diff) {
  return el(
    "section",
    { class: "verdict", id: "verdict", "aria-label": "Verdict" },
    el("h1", {}, headline(diff.verdict)),
    el("p", { class: "quiet" }, diff.meaning),
    diff.warnings.length > 0 && el("ul", { class: "warnings", "aria-label": "Warnings" }, diff.warnings.map(({ text }) => el("li", {}, sentence(text)))),
    el("dl", { class: "facts" }, totals(diff), fact("Time between", timeWords(diff))),
  );
}

const yesNo = (value) => (value ? "yes" : "no");

/** @type {[string, (side: any) => any, ((text: any) => any)?][]} */
const ROWS = [
  ["File", (side) => side.file, name],
  ["Program", (side) => side.main_name, name],
  ["Process", (side) => String(side.pid)],
  ["Host", (side) => side.host, name],
  ["Container", (side) => side.container ?? "", name],
  ["VM", (side) => `${side.vm_name} ${side.vm_version}`, name],
  ["VM started", (side) => (side.vm_started_utc ? utcText(side.vm_started_utc) : "not known")],
  ["Dumped", (side) => utcText(side.dumped_utc)],
  ["Number", (side) => countText(side.sequence)],
  ["Dump", (side) => `${side.kind} (${side.trigger}), rung ${side.rung}`],
  ["Counts", (side) => countedWords(side.counted)],
  ["Object graph", (side) => yesNo(side.graph)],
  ["Complete", (side) => yesNo(side.heap_complete)],
];

// What differs is marked, in a word too: colours are not for everybody.
export function sidesView({ before, after }) {
  const row = ([title, of, show = (text) => text]) => {
    const [a, b] = [of(before), of(after)];
    if (a === "" && b === "") return null;
    const cell = (side, text) => el("td", { class: "side", "data-title": side }, show(text));
    return el("tr", { class: a === b ? null : "differs" }, el("th", { scope: "row" }, title, a !== b && el("span", { class: "spoken" }, " (differs)")), cell("Before", a), cell("After", b));
  };
  const heads = ["", "Before", "After"].map((title) => el("th", { scope: "col", class: "plain" }, title));
  return el("table", { class: "sides" }, el("caption", { class: "spoken" }, "The two reports"), el("thead", {}, el("tr", {}, heads)), el("tbody", {}, ROWS.map(row)));
}
