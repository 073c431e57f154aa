// The dominator trees compared: a table whose rows open. Arrows move, Right and Left open and close, as trees do elsewhere.
import { certainChange, changeText, sideText } from "./change.js";
import { divergingBar } from "./change_table.js";
import { FIRST_PATHS, ShownPaths, TREE_MEASURE, changeTree } from "./change_tree.js";
import { el, replaceChildren } from "./element.js";
import { name } from "./name.js";
import { PAPER_ROWS, onPaper, paperWords } from "./paper.js";
import { countText } from "./text.js";

const DEEPEST_INDENT = 16;

// "1,000 → 1,200 × com.acme.Session"
export function countWords({ before, after }) {
  if (Math.max(before.instances, after.instances) <= 1) return "";
  if (after.presence !== "listed") return `${countText(before.instances)} × `;
  if (before.presence !== "listed" || before.instances === after.instances) return `${countText(after.instances)} × `;
  return `${countText(before.instances)} → ${countText(after.instances)} × `;
}

const label = (row) => (row.class_object_of ? ["class ", name(row.class_object_of)] : [countWords(row), name(row.class)]);

class ChangeTreeView {
  constructor(rows) {
    this.tree = changeTree(rows);
    this.shown = new ShownPaths(this.tree.roots);
    this.shown.openLargest(FIRST_PATHS);
    this.largest = this.tree.nodes.reduce((most, { row }) => Math.max(most, Math.abs(certainChange(row, TREE_MEASURE))), 0);
    this.focused = this.tree.roots[0];
    this.body = el("tbody", { on: { keydown: (event) => this.onKey(event) } });
    this.paper = el("p", { class: "quiet paper" });
    this.element = el("div", { class: "table" }, this.table(), this.paper);
    this.draw();
    this.opensOnPaper();
  }

  table() {
    const heads = ["Path", "Before", "After", "Change"];
    const kinds = ["name", "bytes", "bytes", "bytes"];
    const head = el("tr", {}, heads.map((title, index) => el("th", { scope: "col", class: `${kinds[index]} plain` }, title)));
    return el("table", { class: "paths", role: "treegrid", "aria-label": "Dominator tree, compared" }, el("thead", {}, head), this.body);
  }

  opensOnPaper() {
    let before = null;
    onPaper(
      () => {
        before = new Set(this.shown.open);
        this.shown.openLargest(PAPER_ROWS, true);
        this.draw();
        const shown = this.shown.rows().filter((node) => node.row).length;
        this.paper.textContent = paperWords(shown, this.tree.nodes.length);
      },
      () => {
        this.shown.open = before;
        this.draw();
      },
    );
  }

  moreRow(more) {
    const show = () => {
      this.shown.showMore(more.above);
      this.draw();
    };
    const button = el("button", { type: "button", class: "more", on: { click: show } }, `${countText(more.more)} more`);
    return el("tr", { class: "rest" }, el("td", { colspan: "4", class: "name path-name", place: { "--depth": String(Math.min(more.depth, DEEPEST_INDENT)) } }, button));
  }

  row(node) {
    if (!node.row) return this.moreRow(node);
    const { row, depth } = node;
    const inner = node.below.length > 0;
    const open = this.shown.open.has(node);
    const certain = certainChange(row, TREE_MEASURE);
    const figure = (title, shown) => el("td", { role: "gridcell", class: "bytes", "data-title": title }, shown);
    /** @type {HTMLElement} */
    const made = el(
      "tr",
      {
        role: "row", "aria-level": String(depth + 1), "aria-expanded": inner ? String(open) : null, tabindex: node === this.focused ? "0" : "-1",
        class: inner ? "opens" : null, on: { click: () => this.press(node), focus: () => this.focus(node, made) },
      },
      el("td", { role: "gridcell", class: "name path-name", place: { "--depth": String(Math.min(depth, DEEPEST_INDENT)) } }, el("span", { class: "fold", "aria-hidden": "true" }), label(row)),
      figure("Before", sideText(row.before, TREE_MEASURE, "new")),
      figure("After", sideText(row.after, TREE_MEASURE, "gone")),
      figure("Change", [changeText(row, TREE_MEASURE), divergingBar(certain, this.largest)]),
    );
    return Object.assign(made, { node });
  }

  draw() {
    replaceChildren(this.body, this.shown.rows().map((node) => this.row(node)));
  }

  rowsShown() {
    return /** @type {(HTMLElement & {node: any})[]} */ ([...this.body.children]);
  }

  rowOf(node) {
    return this.rowsShown().find((row) => row.node === node);
  }

  focus(node, row) {
    const last = this.rowOf(this.focused);
    if (last) last.tabIndex = -1;
    this.focused = node;
    row.tabIndex = 0;
  }

  press(node, open) {
    this.shown.toggle(node, open);
    this.focused = node;
    this.draw();
    this.rowOf(node)?.focus({ preventScroll: true });
  }

  move(to) {
    if (to) this.rowOf(to)?.focus();
  }

  step(by) {
    const rows = this.rowsShown().filter((row) => row.node);
    const at = rows.findIndex((row) => row.node === this.focused);
    this.move(rows[Math.min(Math.max(at + by, 0), rows.length - 1)]?.node);
  }

  onKey(event) {
    const node = event.target.node;
    if (!node) return;
    const open = this.shown.open.has(node);
    const keys = {
      ArrowDown: () => this.step(1),
      ArrowUp: () => this.step(-1),
      Home: () => this.step(-Infinity),
      End: () => this.step(Infinity),
      Enter: () => this.press(node),
      " ": () => this.press(node),
      ArrowRight: () => (open ? this.move(node.below[0]) : this.press(node, true)),
      ArrowLeft: () => (open ? this.press(node, false) : this.move(node.above)),
    };
    if (!keys[event.key]) return;
    keys[event.key]();
    event.preventDefault();
  }
}

export function changeTreeView(rows) {
  return [
    el("p", { class: "quiet hint" }, "What is retained along each path. Click or Enter opens a row, arrows move."),
    new ChangeTreeView(rows).element,
  ];
}
