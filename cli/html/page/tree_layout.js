// Where each node of the tree is drawn: d3's squarified treemap, or its partition as an icicle, from one node downwards.
import { hierarchy, partition, treemap, treemapSquarify } from "d3-hierarchy";

export const TREEMAP_LEVELS = 3;
export const ICICLE_LEVELS = 14;
const HEADER_PIXELS = 19;
const SMALLEST_PIXELS = 3;

// A chain, each holding little but the next, takes less of the levels: what it leads to is what people look for.
const CHAIN_SHARE = 0.9;
const CHAIN_COST = 0.25;
const isChain = (node, child) => child.retained_bytes >= CHAIN_SHARE * node.retained_bytes;

// d3 adds up values from the leaves; here a node's own share is what its children leave of its retained size.
function laidOut(focus, levels, chainCost) {
  /** @type {Map<any, number>} how many levels lie above a node */
  const spent = new Map([[focus, 0]]);
  const levelsAbove = (node) => spent.get(node) ?? 0;
  /** @type {any} whose values are set below */
  const root = hierarchy(focus, (node) => {
    if (levelsAbove(node) >= levels) return null;
    for (const child of node.below)
      spent.set(child, levelsAbove(node) + (isChain(node, child) ? chainCost : 1));
    return node.below;
  });
  // Where a damaged or forged report has children larger than what holds them, they still stay inside.
  root.eachAfter((place) => {
    const below = (place.children ?? []).reduce((sum, child) => sum + child.value, 0);
    place.value = Math.max(place.data.retained_bytes, below);
  });
  return root;
}

const boxes = (root) =>
  root
    .descendants()
    .map(({ data, depth, x0, y0, x1, y1 }) => ({ node: data, depth, x: x0, y: y0, width: x1 - x0, height: y1 - y0 }));

export function treemapBoxes(focus, width, height) {
  const root = laidOut(focus, TREEMAP_LEVELS, CHAIN_COST);
  treemap()
    .tile(treemapSquarify)
    .size([width, height])
    .round(true)
    .paddingOuter(3)
    .paddingTop((place) => (place.x1 - place.x0 > 40 && place.y1 - place.y0 > 34 ? HEADER_PIXELS : 3))
    .paddingInner(2)(root);
  return boxes(root).filter((box) => box.width >= SMALLEST_PIXELS && box.height >= SMALLEST_PIXELS);
}

export function icicleBoxes(focus, width, rowHeight) {
  const root = laidOut(focus, ICICLE_LEVELS, 1);
  partition().size([width, (root.height + 1) * rowHeight])(root);
  return boxes(root).filter((box) => box.width >= SMALLEST_PIXELS / 2);
}
