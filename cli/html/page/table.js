// A table that sorts by its heads and, if asked, filters by a name. Long tables show their beginning and a button for the rest.
import { el, replaceChildren } from "./element.js";
import { name } from "./name.js";
import { PAPER_ROWS, onPaper, paperWords } from "./paper.js";
import { bytesText, countText, matcher } from "./text.js";

export const FIRST_ROWS = 20;

/**
 * minor: left out on narrow screens. cell: what is shown instead of the value.
 * @typedef {{key: string, title: string, kind: string, minor?: boolean, cell?: (row: any) => any}} Column
 * @typedef {{title: string, keep: (row: any) => boolean, on?: boolean}} Toggle
 *
 * A select; an option without `keep` keeps all rows.
 * @typedef {{title: string, options: {title: string, keep?: (row: any) => boolean}[], keep?: (row: any) => boolean}} Choice
 *
 * caption: for those who do not see the heading. sortBy null: as the rows come, until a head is pressed. filter: the keys that the
 * filter looks at. bar: the key drawn as a bar.
 * @typedef {{caption: string, columns: Column[], rows: any[], sortBy: string | null, filter?: string[] | null, filterTitle?: string,
 *   toggles?: Toggle[], choices?: Choice[], bar?: string | null, onChange?: ((rows: any[]) => void) | null}} TableOptions
 */

const SHOWN = { bytes: bytesText, count: countText, name: (value) => name(value), text: (value) => value };
const isNumber = (column) => column.kind === "bytes" || column.kind === "count";

// Equal rows stay in the order of the report, whichever way the others go.
export function sorted(rows, column, descending) {
  const of = (row) => row[column.key] ?? (isNumber(column) ? 0 : "");
  const order = isNumber(column) ? (a, b) => of(a) - of(b) : (a, b) => (of(a) < of(b) ? -1 : of(a) > of(b) ? 1 : 0);
  return [...rows].sort(descending ? (a, b) => -order(a, b) : order);
}

export class Table {
  /** @param {TableOptions} options */
  constructor({ caption, columns, rows, sortBy, filter = null, filterTitle = "Filter", toggles = [], choices = [], bar = null, onChange = null }) {
    this.columns = columns;
    this.rows = rows;
    this.filter = filter;
    this.toggles = toggles;
    this.choices = choices;
    this.bar = bar;
    this.onChange = onChange;
    this.column = sortBy === null ? null : (columns.find((column) => column.key === sortBy) ?? columns[0]);
    this.descending = this.column !== null && isNumber(this.column);
    this.words = "";
    this.all = false;
    this.most = FIRST_ROWS;
    this.largest = bar ? Math.max(1, ...rows.map((row) => row[bar])) : 1;
    this.body = el("tbody");
    this.heads = columns.map((column) => this.head(column));
    this.count = el("p", { class: "quiet count", "aria-live": "polite" });
    this.more = el("button", { type: "button", class: "more", on: { click: () => this.showAll() } });
    this.onPaper = el("p", { class: "quiet paper" });
    this.element = el(
      "div",
      { class: "table" },
      this.controls(filterTitle),
      el("table", {}, el("caption", { class: "spoken" }, caption), el("thead", {}, el("tr", {}, this.heads)), this.body),
      this.more,
      this.onPaper,
    );
    this.draw();
    onPaper(() => this.drawMost(PAPER_ROWS), () => this.drawMost(FIRST_ROWS));
  }

  controls(title) {
    if (!this.filter) return null;
    const field = el("input", {
      type: "search",
      placeholder: "words or com.acme.*",
      spellcheck: "false",
      autocomplete: "off",
      on: { input: () => this.setWords(field.value) },
    });
    return el(
      "div",
      { class: "controls" },
      el("label", { class: "field" }, `${title} `, field),
      this.choices.map((choice) => this.choice(choice)),
      this.toggles.map((toggle) => this.toggle(toggle)),
      this.count,
    );
  }

  toggle(toggle) {
    const box = el("input", { type: "checkbox", on: { change: () => this.setToggle(toggle, box.checked) } });
    return el("label", { class: "field" }, box, ` ${toggle.title}`);
  }

  setToggle(toggle, on) {
    toggle.on = on;
    this.draw();
  }

  choice(choice) {
    const select = el(
      "select",
      { on: { change: () => this.setChoice(choice, choice.options[select.selectedIndex].keep) } },
      choice.options.map(({ title }) => el("option", {}, title)),
    );
    return el("label", { class: "field" }, `${choice.title} `, select);
  }

  setChoice(choice, keep) {
    choice.keep = keep;
    this.draw();
  }

  setRows(rows) {
    this.rows = rows;
    this.column = null;
    this.draw();
  }

  setWords(words) {
    this.words = words;
    this.draw();
  }

  showAll() {
    this.all = true;
    this.draw();
  }

  drawMost(rows) {
    this.most = rows;
    this.draw();
  }

  head(column) {
    const sort = el("button", { type: "button", on: { click: () => this.sortBy(column) } }, column.title);
    return Object.assign(el("th", { scope: "col", class: this.classOf(column) }, sort), { column });
  }

  classOf(column) {
    return `${column.kind}${column.minor ? " minor" : ""}`;
  }

  sortBy(column) {
    this.descending = this.column === column ? !this.descending : isNumber(column);
    this.column = column;
    this.draw();
  }

  filtered() {
    return this.words.trim() !== "" || this.toggles.some((toggle) => toggle.on) || this.choices.some((choice) => choice.keep);
  }

  chosen() {
    let rows = this.rows;
    if (this.words.trim() !== "") {
      const matches = matcher(this.words);
      rows = rows.filter((row) => this.filter?.some((key) => matches(row[key] ?? "")));
    }
    for (const toggle of this.toggles) if (toggle.on) rows = rows.filter(toggle.keep);
    for (const { keep } of this.choices) if (keep) rows = rows.filter(keep);
    return this.column === null ? rows : sorted(rows, this.column, this.descending);
  }

  row(values) {
    const cell = (column) => {
      const value = values[column.key];
      const shown = column.cell ? column.cell(values) : SHOWN[column.kind](value);
      const barred = column.key === this.bar;
      const share = barred ? { "--share": String(value / this.largest) } : {};
      return el("td", { class: this.classOf(column) + (barred ? " bar" : ""), "data-title": column.title, place: share }, shown);
    };
    return el("tr", {}, this.columns.map(cell));
  }

  draw() {
    const rows = this.chosen();
    const shown = this.all ? rows : rows.slice(0, this.most);
    replaceChildren(this.body, shown.map((row) => this.row(row)));
    if (rows.length === 0)
      replaceChildren(this.body, el("tr", {}, el("td", { colspan: this.columns.length, class: "text quiet" }, this.filtered() ? "Nothing fits this filter." : "None listed.")));
    for (const head of this.heads) {
      const order = this.descending ? "descending" : "ascending";
      if (head.column === this.column) head.setAttribute("aria-sort", order);
      else head.removeAttribute("aria-sort");
    }
    this.more.hidden = shown.length === rows.length;
    this.more.textContent = `Show all ${countText(rows.length)}`;
    this.onPaper.textContent = paperWords(shown.length, rows.length);
    this.count.textContent = `${countText(rows.length)} of ${countText(this.rows.length)}`;
    this.onChange?.(rows);
  }
}
