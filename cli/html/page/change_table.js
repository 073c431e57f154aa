// What changed in one list, as a table: before, after and change of one measure, the change of the others. The measure can be switched.
import { MEASURES, byChange, certainChange, changeText, measureOf, measuresOf, sideText, sideValue, statusOf } from "./change.js";
import { el } from "./element.js";
import { name } from "./name.js";
import { Table } from "./table.js";
import { countText } from "./text.js";

const STATUSES = ["grown", "shrunk", "new", "gone", "uncertain", "same"];

// To the right of the middle what grew, to the left what shrank.
export const divergingBar = (certain, largest) =>
  certain !== 0 &&
  el("span", { class: `diverging ${certain < 0 ? "shrunk" : "grown"}`, "aria-hidden": "true", place: { "--share": String(Math.abs(certain) / largest) } });

// Classes of one name in several loaders of one name.
function timesWords({ before, after }) {
  if (Math.max(before.definitions, after.definitions) < 2) return null;
  return ` (${countText(before.definitions)} → ${countText(after.definitions)} times)`;
}

// The rows as the table sorts and filters them.
export function changeRows(rows, key, label) {
  const flat = (row) => {
    const made = {
      name: row[label], loader: row.loader, platform: row.platform, row, status: statusOf(row, key),
      before: sideValue(row.before, key), after: sideValue(row.after, key), change: certainChange(row, key),
    };
    for (const other of Object.keys(MEASURES)) made[other] = certainChange(row, other);
    return made;
  };
  return byChange(rows, key).map(flat);
}

class ChangeTable {
  // label: the key of a row's name. filter: with a field and selects.
  constructor({ title, label, noName, rows, measure }) {
    this.title = title;
    this.label = label;
    this.noName = noName;
    this.all = rows;
    this.measures = measuresOf(rows);
    this.measure = this.measures.includes(measure) ? measure : this.measures[0];
    this.place = el("div");
    this.element = el("div", {}, this.measures.length > 1 && this.switch(), this.place);
    this.draw();
  }

  switch() {
    const buttons = this.measures.map((key) => {
      const press = () => {
        this.measure = key;
        buttons.forEach((button) => button.setAttribute("aria-pressed", String(button === pressed)));
        this.draw();
      };
      const pressed = el("button", { type: "button", "aria-pressed": String(key === this.measure), on: { click: press } }, MEASURES[key].title);
      return pressed;
    });
    return el("div", { class: "controls" }, el("span", { class: "quiet" }, "Compare by"), el("div", { class: "segments", role: "group", "aria-label": `Compare ${this.title} by` }, buttons));
  }

  columns(largest) {
    const { measure } = this;
    const { kind } = MEASURES[measure];
    const others = this.measures.filter((key) => key !== measure);
    const nameCell = ({ name: text, row }) => [text ? name(text) : el("span", { class: "unknown" }, this.noName), timesWords(row)];
    return [
      { key: "name", title: this.title, kind: "name", cell: nameCell },
      { key: "before", title: "Before", kind, cell: ({ row }) => sideText(row.before, measure) },
      { key: "after", title: "After", kind, cell: ({ row }) => sideText(row.after, measure) },
      { key: "change", title: "Change", kind, cell: ({ row, change }) => [changeText(row, measure), divergingBar(change, largest)] },
      ...others.map((key) => ({ key, title: MEASURES[key].title, kind: MEASURES[key].kind, minor: key !== "instances", cell: ({ row }) => changeText(row, key) })),
      { key: "status", title: "Status", kind: "text", cell: ({ status }) => el("span", { class: `status ${status}` }, status) },
      ...(this.label === "class" ? [{ key: "loader", title: "Loader", kind: "name", minor: true }] : []),
    ];
  }

  draw() {
    const rows = changeRows(this.all, this.measure, this.label);
    const largest = rows.reduce((most, { change }) => Math.max(most, Math.abs(change)), 0);
    const there = STATUSES.filter((status) => rows.some((row) => row.status === status));
    const long = rows.length > 12;
    this.table = new Table({
      caption: this.title,
      columns: this.columns(largest),
      rows,
      sortBy: null,
      filter: long || this.label === "class" ? ["name", "loader"] : null,
      filterTitle: "Filter",
      choices: [{ title: "Show", options: [{ title: "all" }, ...there.map((status) => ({ title: status, keep: (row) => row.status === status }))] }],
      toggles: this.label === "class" ? [{ title: "hide the platform's", keep: (row) => !row.platform, on: false }] : [],
    });
    this.place.replaceChildren(this.table.element);
  }
}

// What the rows leave out. Retained sizes of several sets share bytes, so there is no sum of them.
function restWords(rest, what) {
  const count = Math.max(rest.before.count, rest.after.count);
  if (count === 0) return null;
  const both = (key) => `${MEASURES[key].figure(rest.before[key])} → ${MEASURES[key].figure(rest.after[key])} (${signed(rest, key)})`;
  const signed = ({ before, after }, key) => changeText({ change: { [key]: after[key] - before[key] }, before: {}, after: {} }, key);
  return el("p", { class: "quiet" }, `${countText(count)} other ${what[count === 1 ? 0 : 1]}: ${both("instances")} objects, ${both("shallow_bytes")} shallow.`);
}

function boundWords(rows, rest) {
  const unlisted = ({ before, after }) => before.presence === "not_listed" || after.presence === "not_listed";
  if (!rows.some(unlisted)) return null;
  const others = countText(Math.max(rest.before.count, rest.after.count));
  return el("p", { class: "quiet" }, `≤ is not listed: a report lists its largest and sums up the others (${others} here); one of those is not gone, but at most so large. ? may have grown or shrunk.`);
}

export function changesView(diff, { list, label, title, noName, what, remark }) {
  const rows = diff[list];
  const rest = diff[`rest_of_${list}`];
  const changed = diff[`changed_${list}`];
  return [
    el("p", { class: "quiet hint" }, `${countText(changed)} changed${remark ? `; ${remark}` : ""}.`),
    rows.length > 0 && new ChangeTable({ title, label, noName, rows, measure: measureOf(diff.sorted_by) }).element,
    boundWords(rows, rest),
    restWords(rest, what),
  ];
}
