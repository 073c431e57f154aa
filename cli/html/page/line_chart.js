// Lines over time, in SVG. The pointer or the arrow keys choose a report; its time and values stand below the lines.
// Where a value is not known the line has a gap; a pale bar goes up to the most that it can be.
import { line as path } from "d3-shape";
import { MEASURES } from "./change.js";
import { el, replaceChildren, svg } from "./element.js";
import { name } from "./name.js";
import { OPENED } from "./paper.js";
import { apart, figureTicks, knownText, linear, mostOf, nearest, timeDomain, timeTicks } from "./series.js";

const LEFT = 68;
const RIGHT = 14;
const TOP = 10;
const BOTTOM = 26;
const NARROW = 520;
const TICK_WIDTH = 58; // "05:34:27"
const SHARES = [0, 0.25, 0.5, 0.75, 1];
const BAR = 5;
export const MOST_LINES = 8;

export class LineChart {
  // points: [{ms, title, file}]. lines: [{title, isName, colour, values, bounds}]. key: of MEASURES.
  constructor({ label, points, lines, key }) {
    this.label = label;
    this.points = points;
    this.key = key;
    this.lines = lines;
    this.at = points.length - 1;
    this.own = false;
    // What draw() finds out.
    /** @type {number} */ this.width;
    /** @type {number} */ this.height;
    /** @type {number[]} */ this.times;
    /** @type {(ms: number) => number} */ this.x;
    /** @type {number} */ this.most;
    /** @type {SVGElement} */ this.cursor;
    this.picture = svg("svg", {
      class: "chart",
      role: "application",
      "aria-roledescription": "line chart",
      tabindex: "0",
      on: {
        keydown: (event) => this.onKey(event),
        pointermove: (event) => this.onPointer(event),
        pointerdown: (event) => this.onPointer(event),
      },
    });
    this.ruler = el("div");
    this.readout = el("p", { class: "readout quiet", "aria-live": "polite" });
    this.legend = el("ul", { class: "legend lines" });
    this.element = el("div", { class: "line-chart" }, this.ruler, this.picture, this.readout, this.legend);
    this.drawReadout();
    new ResizeObserver(() => this.draw()).observe(this.ruler);
    addEventListener(OPENED, () => this.draw());
  }

  // Each line from 0 to its own largest value: how it runs, not how large it is.
  setOwn(own) {
    this.own = own;
    this.draw();
  }

  setLines(lines, key = this.key) {
    this.lines = lines;
    this.key = key;
    this.draw();
    this.drawReadout();
  }

  draw() {
    this.width = this.ruler.clientWidth;
    if (this.width === 0 || this.points.length === 0) return; // folded, or its files are gone
    this.height = this.width < NARROW ? 200 : 260;
    this.times = this.points.map(({ ms }) => ms);
    this.x = linear(timeDomain(this.times), [LEFT, this.width - RIGHT]);
    this.most = mostOf(this.lines);
    this.picture.setAttribute("viewBox", `0 0 ${this.width} ${this.height}`);
    this.picture.setAttribute("aria-label", `${this.label}: ${this.lines.length} lines over ${this.points.length} reports; arrow keys go from report to report`);
    this.cursor = svg("g", { class: "cursor" });
    replaceChildren(this.picture, this.axes(), this.lines.map((one, index) => this.drawLine(one, index)), this.cursor);
    this.drawCursor();
  }

  // The height of a value of this line; of the axis without one.
  y(value, line = null) {
    const most = this.own && line ? mostOf([line]) : this.most;
    return linear([0, most], [this.height - BOTTOM, TOP])(value);
  }

  figures() {
    const { kind, figure } = MEASURES[this.key];
    if (this.own) return SHARES.map((share) => [share * this.most, `${share * 100} %`]);
    return figureTicks(this.most, kind, 4).map((value) => [value, figure(value)]);
  }

  axes() {
    const bottom = this.height - BOTTOM;
    const figures = this.figures().map(([value, text]) => [
      svg("line", { class: "grid", x1: LEFT, x2: this.width - RIGHT, y1: this.y(value), y2: this.y(value) }),
      svg("text", { class: "tick", x: LEFT - 8, y: this.y(value) + 4, "text-anchor": "end" }, text),
    ]);
    const times = apart(timeTicks(this.times, this.width < NARROW ? 4 : 8), ({ ms }) => this.x(ms), TICK_WIDTH).map(({ ms, text }) => [
      svg("line", { class: "grid", x1: this.x(ms), x2: this.x(ms), y1: bottom, y2: bottom + 4 }),
      svg("text", { class: "tick", x: this.x(ms), y: bottom + 18, "text-anchor": "middle" }, text),
    ]);
    return [figures, times];
  }

  // Bars of several lines stand beside each other.
  drawLine(line, index) {
    const { colour, values, bounds = [] } = line;
    const bottom = this.height - BOTTOM;
    const y = (value) => this.y(value, line);
    const at = (_, point) => this.x(this.points[point].ms);
    const drawn = path().x(at).y(y).defined((value) => value !== null)(values);
    const bar = (bound, point) =>
      bound === null || bound === undefined
        ? null
        : svg("rect", { class: "bound", x: at(null, point) - BAR / 2 + (index - (this.lines.length - 1) / 2) * BAR, y: y(bound), width: BAR - 1, height: bottom - y(bound) });
    const dots = values.map((value, point) => value !== null && svg("circle", { class: "dot", cx: at(null, point), cy: y(value), r: 2.2 }));
    return svg("g", { class: `line-${colour}` }, bounds.map(bar), svg("path", { class: "course", d: drawn }), dots);
  }

  drawCursor() {
    if (!this.x || this.points.length === 0) return;
    const x = this.x(this.points[this.at].ms);
    const dots = this.lines.map((line) => line.values[this.at] !== null && svg("circle", { class: `dot line-${line.colour}`, cx: x, cy: this.y(line.values[this.at], line), r: 4.5 }));
    replaceChildren(this.cursor, svg("line", { x1: x, x2: x, y1: TOP, y2: this.height - BOTTOM }), dots);
  }

  drawReadout() {
    const point = this.points[this.at];
    if (!point) return;
    replaceChildren(this.readout, `${point.title}, report ${this.at + 1} of ${this.points.length}: `, name(point.file, 48));
    const entry = ({ title, isName, colour, values, bounds }) =>
      el("li", { class: `line-${colour}` }, el("span", { class: "stroke", "aria-hidden": "true" }), isName ? name(title, 48) : title, " ", el("span", { class: "figure" }, knownText(values[this.at], bounds?.[this.at], this.key)));
    replaceChildren(this.legend, this.lines.map(entry));
  }

  select(at) {
    const most = this.points.length - 1;
    const chosen = Math.min(Math.max(at, 0), most);
    if (chosen === this.at) return;
    this.at = chosen;
    this.drawCursor();
    this.drawReadout();
  }

  onPointer(event) {
    if (!this.x) return;
    const box = this.picture.getBoundingClientRect();
    const place = ((event.clientX - box.left) / box.width) * this.width;
    this.select(nearest(this.points.map(({ ms }) => this.x(ms)), place));
  }

  onKey(event) {
    const to = { ArrowLeft: this.at - 1, ArrowRight: this.at + 1, Home: 0, End: this.points.length - 1 }[event.key];
    if (to === undefined) return;
    this.select(to);
    event.preventDefault();
  }
}
