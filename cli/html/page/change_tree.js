// The upper dominator trees of two reports, path by path, as linked nodes, and which of them are shown.
import { byChange, certainChange } from "./change.js";

export const TREE_MEASURE = "retained_bytes";
export const FIRST_PATHS = 20;
const MOST_BELOW = 25;
const LEAST_BELOW = 3;

// {roots, nodes}: each node {row, above, below, depth}; the largest change first.
export function changeTree(rows) {
  const byId = new Map();
  const roots = [];
  for (const row of byChange(rows, TREE_MEASURE)) byId.set(row.id, { row, above: null, below: [], depth: 0 });
  for (const node of byId.values()) {
    node.above = byId.get(node.row.parent) ?? null;
    (node.above?.below ?? roots).push(node);
  }
  // Parents have smaller numbers.
  for (const node of [...byId.values()].sort((a, b) => a.row.id - b.row.id)) node.depth = node.above ? node.above.depth + 1 : 0;
  return { roots, nodes: [...byId.values()] };
}

export class ShownPaths {
  constructor(roots) {
    this.roots = roots;
    this.open = new Set();
    this.most = new Map();
  }

  // How many of a node's children are shown at first, the roots for null: those that changed, and a few.
  mostOf(node) {
    const below = node ? node.below : this.roots;
    const changed = below.filter(({ row }) => row.change[TREE_MEASURE] !== 0 || row.status !== "same").length;
    return this.most.get(node) ?? Math.min(MOST_BELOW, Math.max(LEAST_BELOW, changed));
  }

  // In the order of the picture; {more, above, depth} stands for children that are left out.
  rows() {
    const shown = [];
    const left = [];
    const push = (children, above) => {
      const most = this.mostOf(above);
      if (children.length > most) left.push({ more: children.length - most, above, depth: above ? above.depth + 1 : 0 });
      for (const child of children.slice(0, most).reverse()) left.push(child);
    };
    push(this.roots, null);
    while (left.length > 0) {
      const node = left.pop();
      shown.push(node);
      if (this.open.has(node)) push(node.below, node);
    }
    return shown;
  }

  // Opens the largest changes, with what is above them, until so many rows are there below the roots; `all`: what did not change, too.
  openLargest(rows, all = false) {
    const size = (node) => Math.abs(certainChange(node.row, TREE_MEASURE));
    let shown = 0;
    const edge = this.roots.slice(0, this.mostOf(null));
    while (edge.length > 0 && shown < rows) {
      const at = edge.reduce((best, node, index) => (size(node) > size(edge[best]) ? index : best), 0);
      const [node] = edge.splice(at, 1);
      if (size(node) === 0 && !all) break;
      if (node.below.length === 0) continue;
      this.open.add(node);
      const below = node.below.slice(0, this.mostOf(node));
      shown += below.length;
      edge.push(...below);
    }
  }

  toggle(node, open = !this.open.has(node)) {
    if (open && node.below.length > 0) this.open.add(node);
    else this.open.delete(node);
  }

  showMore(above) {
    this.most.set(above, Infinity);
  }
}
