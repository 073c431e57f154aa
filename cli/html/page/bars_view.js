// Retained against shallow size, class by class, as bars on one scale: a long bar with little in it holds what others weigh.
import { el, replaceChildren } from "./element.js";
import { name } from "./name.js";
import { bytesText } from "./text.js";

export const BAR_ROWS = 16;

// Drawn over each other, the longest first. A measure that no row has is left out: reachable sizes come with reports that have them.
const MEASURES = [
  { key: "reachable_bytes", title: "reachable" },
  { key: "retained_bytes", title: "retained" },
  { key: "shallow_bytes", title: "shallow" },
];

export const measuresOf = (rows) => MEASURES.filter(({ key }) => rows.some((row) => row[key] > 0));

function barRow(row, measures, most) {
  const bar = ({ key }) =>
    el("span", { class: `measure ${key}`, place: { "--share": String((row[key] ?? 0) / most) } });
  const figures = measures.map(({ key }) => bytesText(row[key] ?? 0)).join(" / ");
  return el(
    "li",
    {},
    el("span", { class: "bar-name" }, name(row.class, 30)),
    el("span", { class: "track", "aria-hidden": "true" }, measures.map(bar)),
    el("span", { class: "figure" }, figures),
  );
}

export class Bars {
  constructor(rows) {
    this.measures = measuresOf(rows);
    this.key = el(
      "p",
      { class: "key quiet" },
      this.measures.map(({ key, title }) => el("span", {}, el("span", { class: `swatch ${key}` }), title)),
    );
    this.list = el("ol", { class: "bars" });
    this.element = el("div", {}, this.key, this.list);
  }

  draw(rows) {
    const [first] = this.measures;
    if (!first) return;
    const largest = [...rows].sort((a, b) => b[first.key] - a[first.key]).slice(0, BAR_ROWS);
    const most = Math.max(1, ...largest.map((row) => Math.max(...this.measures.map(({ key }) => row[key] ?? 0))));
    replaceChildren(this.list, largest.map((row) => barRow(row, this.measures, most)));
  }
}
