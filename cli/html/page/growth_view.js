// The classes of a process: a chart of some, a table of all. A press on a course in the table puts it into the chart or takes it out.
import { MEASURES } from "./change.js";
import { el } from "./element.js";
import { LineChart, MOST_LINES } from "./line_chart.js";
import { name } from "./name.js";
import { chanceText, courseWords, knownText, perHourText, seriesOf } from "./series.js";
import { sparkline } from "./sparkline.js";
import { Table } from "./table.js";
import { counted } from "./text.js";

const FIRST_LINES = 5;
const FIRST_OWN = 3;
const NO_NAME = "objects of unknown class";

// Those that grow, some of the program's own among them; if none does, those that changed most.
export function firstLines(rows) {
  const growing = rows.filter(({ course }) => course === "grows");
  if (growing.length === 0) return rows.slice(0, FIRST_LINES);
  const own = growing.filter(({ platform }) => !platform).slice(0, FIRST_OWN);
  const others = growing.filter((row) => !own.includes(row)).slice(0, FIRST_LINES - own.length);
  return growing.filter((row) => own.includes(row) || others.includes(row));
}

// A line keeps its colour while it is there. When all are taken the one that came first goes.
export class LineColours {
  constructor() {
    this.colours = new Map();
  }

  toggle(row) {
    if (this.colours.delete(row)) return;
    if (this.colours.size >= MOST_LINES) this.colours.delete(this.colours.keys().next().value);
    const taken = new Set(this.colours.values());
    let free = 0;
    while (taken.has(free)) free += 1;
    this.colours.set(row, free);
  }
}

const hint = ({ tests }) =>
  el("p", { class: "quiet" }, `Steady: it moves by less than a thousandth of the heap. By chance: how likely any of ${counted(tests, "class", "classes")} rises so, were its values independent. A press on a course draws it above.`);

export class GrowthView {
  constructor(process, key, points) {
    this.process = process;
    this.key = key;
    this.shownKey = key;
    /** @type {Map<any, number>} */ this.places;
    this.colours = new LineColours();
    firstLines(process.classes).forEach((row) => this.colours.toggle(row));
    this.chart = new LineChart({ label: "Classes", points, lines: this.lines(), key });
    this.table = this.makeTable();
    this.element = el("div", {}, this.switch(), this.chart.element, el("h3", {}, "All classes"), hint(process), this.table.element);
  }

  lines() {
    return [...this.colours.colours].map(([row, colour]) => ({ title: row.class || NO_NAME, isName: true, colour, ...seriesOf(this.process, row, this.shownKey) }));
  }

  switch() {
    const keys = Object.keys(MEASURES).filter((key) => this.process.classes.some((row) => row[key]));
    const buttons = keys.map((key) => {
      const press = () => {
        this.shownKey = key;
    /** @type {Map<any, number>} */ this.places;
        buttons.forEach((button, index) => button.setAttribute("aria-pressed", String(keys[index] === key)));
        this.chart.setLines(this.lines(), key);
      };
      return el("button", { type: "button", "aria-pressed": String(key === this.shownKey), on: { click: press } }, MEASURES[key].title);
    });
    return el("div", { class: "controls" }, el("span", { class: "quiet" }, "Draw"), el("div", { class: "segments", role: "group", "aria-label": "Draw" }, buttons), this.ownScale());
  }

  ownScale() {
    const box = el("input", { type: "checkbox", on: { change: () => this.chart.setOwn(box.checked) } });
    return el("label", { class: "field" }, box, " each on its own scale");
  }

  courseButton(row) {
    const shown = this.colours.colours.get(row);
    const label = `${row.class || NO_NAME}: ${courseWords(row.course)}; in the chart`;
    const toggle = () => {
      this.colours.toggle(row);
      this.chart.setLines(this.lines());
      this.table.draw();
      /** @type {HTMLElement | null} */ (this.table.element.querySelector(`button[data-row="${this.places.get(row)}"]`))?.focus();
    };
    const button = el("button", { type: "button", class: `spark${shown === undefined ? "" : ` line-${shown}`}`, "aria-pressed": String(shown !== undefined), "data-row": String(this.places.get(row)), on: { click: toggle } }, sparkline(row[this.key]));
    button.ariaLabel = label;
    return button;
  }

  makeTable() {
    const { key } = this;
    const { kind } = MEASURES[key];
    const last = this.process.points.length - 1;
    this.places = new Map(this.process.classes.map((row, index) => [row, index]));
    const rows = this.process.classes.map((row) => ({ ...row, row, first: row[key]?.[0] ?? null, last: row[key]?.[last] ?? null, how: row.chance_of_any ?? 1 }));
    const at = (row, index) => {
      const { values, bounds } = seriesOf(this.process, row, key);
      return knownText(values[index], bounds[index], key);
    };
    return new Table({
      caption: "Classes",
      columns: [
        { key: "class", title: "Class", kind: "name", cell: ({ class: text }) => (text ? name(text) : el("span", { class: "unknown" }, NO_NAME)) },
        { key: "change", title: "Course", kind: "text", cell: ({ row }) => this.courseButton(row) },
        { key: "first", title: "First", kind, cell: ({ row }) => at(row, 0) },
        { key: "last", title: "Last", kind, cell: ({ row }) => at(row, last) },
        { key: "per_hour", title: "Per hour", kind, cell: ({ per_hour: speed }) => perHourText(speed, key) },
        { key: "course", title: "Judgement", kind: "text", cell: ({ course }) => el("span", { class: `judgement ${course}` }, courseWords(course)) },
        { key: "how", title: "By chance", kind: "count", cell: ({ chance_of_any: chance }) => chanceText(chance) },
        { key: "loader", title: "Loader", kind: "name", minor: true },
      ],
      rows: rows.map((row) => ({ ...row, change: (row.last ?? 0) - (row.first ?? 0) })),
      sortBy: null,
      filter: ["class", "loader"],
      filterTitle: "Filter classes",
      choices: [{ title: "Show", options: [{ title: "all" }, ...coursesOf(rows).map((course) => ({ title: courseWords(course), keep: (row) => row.course === course }))] }],
      toggles: [{ title: "hide the platform's", keep: (row) => !row.platform, on: false }],
    });
  }
}

const coursesOf = (rows) => [...new Set(rows.map(({ course }) => course))];

export function leftOutClasses({ classes, classes_total: total, rows_dropped: dropped }) {
  return [
    total > classes.length && el("p", { class: "quiet" }, `${counted(total - classes.length, "class with a smaller change is", "classes with smaller changes are")} not listed.`),
    dropped > 0 && el("p", { class: "missing" }, `${counted(dropped, "row of a further class was", "rows of further classes were")} left out, to stay within memory.`),
  ];
}
