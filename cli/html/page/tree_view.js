// The dominator tree as treemap or icicle: zoom by click or Enter, breadcrumb, colours by class, package or loader.
// Keyboard: one stop for Tab; arrows go to the next, the previous, the first below, the one above; Enter zooms in, Escape out.
import { COLOUR_KEYS, GROUP_COLOURS, colouring } from "./colour.js";
import { el, replaceChildren } from "./element.js";
import { name, objectName } from "./name.js";
import { bytesText, countText, printable, shareText, shortened } from "./text.js";
import { icicleBoxes, treemapBoxes } from "./tree_layout.js";
import { pathTo } from "./tree_model.js";

const ROW_PIXELS = 26;
const LABEL_PIXELS = 36;
const LABEL_HEIGHT = 15;
const LABEL_LETTERS = 90;

// What the report sums up because it is small.
const restWords = (node) => (node.instances === null ? "everything smaller" : `${countText(node.instances)} smaller`);

export function nodeWords(node) {
  if (node.kind === "root") return "All held objects";
  if (node.kind === "rest") return restWords(node);
  const shown = node.class_object_of ? `class ${node.class_object_of}` : node.class;
  return node.kind === "group" ? `${countText(node.instances)} × ${shown}` : shown;
}

function fullName(node) {
  if (node.kind === "rest" && node.above.kind !== "root") return [nodeWords(node), " below ", fullName(node.above)];
  if (node.kind === "root" || node.kind === "rest") return nodeWords(node);
  const shown = objectName(node, 200);
  return node.kind === "group" ? [`${countText(node.instances)} × `, shown] : shown;
}

function shortName(node) {
  const simple = (text) => shortened(printable(text.slice(text.lastIndexOf(".") + 1)), LABEL_LETTERS);
  if (node.kind === "root" || node.kind === "rest") return nodeWords(node);
  const shown = node.class_object_of ? `class ${simple(node.class_object_of)}` : simple(node.class);
  return node.kind === "group" ? `${countText(node.instances)} × ${shown}` : shown;
}

export class TreeView {
  constructor(model) {
    this.model = model;
    this.focus = model.root;
    this.selected = model.root;
    this.shape = "treemap";
    this.key = "class";
    this.lit = null;
    this.boxes = [];
    /** @type {Map<any, HTMLElement>} */
    this.cells = new Map();
    /** @type {HTMLElement} */ this.ruler;
    /** @type {HTMLElement} */ this.picture;
    /** @type {HTMLElement} */ this.crumbs;
    /** @type {HTMLElement} */ this.legend;
    /** @type {HTMLElement} */ this.element;
    this.makeParts();
    this.colours = colouring(model.nodes, this.key);
    this.drawLegend();
    new ResizeObserver(() => this.onResize()).observe(this.ruler);
  }

  makeParts() {
    this.ruler = el("div"); // as wide as the picture; drawing does not change its height
    this.crumbs = el("ol", { class: "crumbs" });
    this.picture = el("div", {
      class: "tree-picture",
      role: "tree",
      "aria-label": "Dominator tree",
      on: {
        click: (event) => this.onClick(event),
        keydown: (event) => this.onKey(event),
        pointerover: (event) => this.onPointer(event),
        pointerleave: () => this.describe(this.selected),
        focusin: (event) => this.onFocus(event),
      },
    });
    this.details = el("div", { class: "tree-details", "aria-live": "polite" });
    this.legend = el("div", { class: "legend", role: "group", "aria-label": "Colours" });
    this.element = el(
      "div",
      { class: "tree" },
      this.ruler,
      el("div", { class: "controls" }, this.shapeSwitch(), this.keySwitch()),
      el("nav", { "aria-label": "Place in the dominator tree" }, this.crumbs),
      this.picture,
      this.details,
      this.legend,
    );
  }

  shapeSwitch() {
    const shapes = ["treemap", "icicle"].map((shape) =>
      el(
        "button",
        { type: "button", "aria-pressed": String(shape === this.shape), on: { click: () => this.setShape(shape, shapes) } },
        shape === "treemap" ? "Treemap" : "Icicle",
      ),
    );
    return el("div", { class: "segments", role: "group", "aria-label": "Picture" }, shapes);
  }

  keySwitch() {
    const select = el(
      "select",
      { on: { change: () => this.setKey(select.value) } },
      COLOUR_KEYS.map((key) => el("option", { value: key }, key)),
    );
    return el("label", { class: "field" }, "Colour by ", select);
  }

  setShape(shape, buttons) {
    this.shape = shape;
    for (const button of buttons)
      button.setAttribute("aria-pressed", String(button.textContent.toLowerCase() === shape));
    this.draw();
  }

  setKey(key) {
    this.key = key;
    this.lit = null;
    this.colours = colouring(this.model.nodes, key);
    this.drawLegend();
    this.draw();
  }

  drawLegend() {
    const chip = ({ group, colour, bytes }) =>
      el(
        "button",
        {
          type: "button",
          class: `chip colour-${colour}`,
          "aria-pressed": "false",
          on: { click: (event) => this.light(group, event.currentTarget) },
        },
        el("span", { class: "swatch" }),
        name(group, 40),
        bytes !== null && el("span", { class: "quiet" }, bytesText(bytes)),
      );
    replaceChildren(this.legend, this.colours.groups.map(chip));
  }

  // One group of colours, the others pale.
  light(group, chip) {
    this.lit = this.lit === group ? null : group;
    for (const other of this.legend.children) other.setAttribute("aria-pressed", String(other === chip && this.lit !== null));
    this.draw();
  }

  // ---- drawing

  onResize() {
    if (this.picture.clientWidth !== this.drawnWidth) this.draw();
  }

  draw() {
    const width = this.picture.clientWidth;
    if (width === 0) return;
    this.drawnWidth = width;
    const treemap = this.shape === "treemap";
    this.picture.classList.toggle("icicle", !treemap);
    this.boxes = treemap
      ? treemapBoxes(this.focus, width, width < 560 ? 340 : 460)
      : icicleBoxes(this.focus, width, ROW_PIXELS);
    const bottom = Math.max(...this.boxes.map((box) => box.y + box.height));
    this.picture.style.setProperty("height", `${bottom}px`);
    const hadFocus = this.picture.contains(document.activeElement);
    this.cells = new Map(this.boxes.map((box) => [box.node, this.cell(box)]));
    replaceChildren(this.picture, [...this.cells.values()]);
    this.drawCrumbs();
    this.select(this.cells.has(this.selected) ? this.selected : this.focus, hadFocus);
  }

  cell({ node, depth, x, y, width, height }) {
    const { group, colour } = this.paint(node);
    const labelled = width >= LABEL_PIXELS && height >= LABEL_HEIGHT;
    const pale = this.lit !== null && this.lit !== group;
    const made = el(
      "div",
      {
        class: `cell colour-${colour} ${node.kind}${pale ? " pale" : ""}${node.below.length > 0 ? " zooms" : ""}`,
        role: "treeitem",
        tabindex: "-1",
        "aria-level": depth + 1,
        "aria-selected": "false",
        "aria-label": this.spoken(node),
        place: { left: `${x}px`, top: `${y}px`, width: `${width}px`, height: `${height}px` },
      },
      labelled && el("bdi", { class: "label" }, shortName(node)),
      labelled && width > 190 && el("span", { class: "figure" }, bytesText(node.retained_bytes)),
    );
    return Object.assign(made, { node });
  }

  paint(node) {
    if (node.kind === "root" || node.kind === "rest") return { group: null, colour: GROUP_COLOURS };
    return this.colours.of(node);
  }

  spoken(node) {
    const whole = shareText(node.retained_bytes, this.model.root.retained_bytes);
    return `${shortened(printable(nodeWords(node)), 120)}, ${bytesText(node.retained_bytes)}, ${whole}`;
  }

  drawCrumbs() {
    const path = pathTo(this.focus);
    const crumb = (node, index) =>
      el(
        "li",
        {},
        el(
          "button",
          {
            type: "button",
            "aria-current": index + 1 === path.length ? "location" : null,
            on: { click: () => this.zoom(node) },
          },
          el("bdi", {}, shortened(shortName(node), 32)),
        ),
      );
    replaceChildren(this.crumbs, path.map(crumb));
  }

  // ---- selection and zoom

  select(node, withFocus = false) {
    const cell = this.cells.get(node);
    if (!cell) return this.describe(node); // too small to be drawn
    this.cells.get(this.selected)?.setAttribute("tabindex", "-1");
    this.cells.get(this.selected)?.setAttribute("aria-selected", "false");
    this.selected = node;
    cell.setAttribute("tabindex", "0");
    cell.setAttribute("aria-selected", "true");
    if (withFocus) cell.focus({ preventScroll: true });
    this.describe(node);
  }

  describe(node) {
    const figure = (term, text) => el("div", {}, el("dt", {}, term), el("dd", {}, text));
    const counted = node.kind === "group" || node.kind === "root" ? countText(node.instances) : null;
    replaceChildren(
      this.details,
      el("p", { class: "tree-name" }, fullName(node)),
      el(
        "dl",
        { class: "figures" },
        figure("Retained", `${bytesText(node.retained_bytes)} (${shareText(node.retained_bytes, this.model.root.retained_bytes)})`),
        node.shallow_bytes !== null && node.kind !== "root" && figure("Shallow", bytesText(node.shallow_bytes)),
        counted && figure("Objects", counted),
        node.children !== undefined && figure("Dominates directly", countText(node.children)),
        node.loader && figure("Loader", name(node.loader, 48)),
      ),
    );
  }

  zoom(node) {
    const had = this.picture.contains(document.activeElement);
    this.focus = node.below.length > 0 ? node : (node.above ?? node);
    this.selected = node;
    this.draw();
    if (had) this.cells.get(node)?.focus({ preventScroll: true });
  }

  zoomOut() {
    const from = this.focus;
    if (!from.above) return;
    this.focus = from.above;
    this.selected = from;
    this.draw();
    this.select(from, true);
  }

  // Brings a node into view from elsewhere on the page: a step of a path.
  show(node) {
    const above = pathTo(node);
    this.focus = node.below.length > 0 && above.length > 2 ? node : (node.above ?? node);
    this.selected = node;
    this.draw();
    if (!this.cells.has(node)) this.zoom(node);
    this.select(node, true);
    const cell = this.cells.get(node);
    cell?.classList.add("found");
    this.element.scrollIntoView({ block: "start" });
  }

  // ---- events

  nodeOf(event) {
    return event.target.closest?.(".cell")?.node ?? null;
  }

  onClick(event) {
    const node = this.nodeOf(event);
    if (!node) return;
    if (node === this.focus && node.above) this.zoomOut();
    else this.zoom(node);
  }

  onPointer(event) {
    const node = this.nodeOf(event);
    if (node) this.describe(node);
  }

  onFocus(event) {
    const node = this.nodeOf(event);
    if (node && node !== this.selected) this.select(node);
  }

  // Among those that are drawn.
  neighbour(step) {
    const around = (this.selected.above?.below ?? []).filter((node) => this.cells.has(node));
    return around[around.indexOf(this.selected) + step] ?? null;
  }

  target(key) {
    const drawn = (node) => (node && this.cells.has(node) ? node : null);
    switch (key) {
      case "ArrowRight":
        return this.neighbour(1);
      case "ArrowLeft":
        return this.neighbour(-1);
      case "ArrowDown":
        return this.selected.below.map(drawn).find(Boolean) ?? null;
      case "ArrowUp":
        return drawn(this.selected.above);
      case "Home":
        return this.focus;
      default:
        return undefined;
    }
  }

  onKey(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const target = this.target(event.key);
    if (target !== undefined) {
      if (target) this.select(target, true);
    } else if (event.key === "Enter" || event.key === " ") {
      if (this.selected === this.focus) this.zoomOut();
      else this.zoom(this.selected);
    } else if (event.key === "Escape" || event.key === "Backspace") {
      this.zoomOut();
    } else {
      return;
    }
    event.preventDefault();
  }
}

