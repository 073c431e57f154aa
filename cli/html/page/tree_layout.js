// Where each node of the tree is drawn: d3's squarified treemap, or its partition as an icicle, from one node downwards.
import { hierarchy, partition, treemap, treemapSquarify } from "d3-hierarchy";

export const TREEMAP_LEVELS = 3;
export const ICICLE_LEVELS = 14;
const HEADER_PIXELS = 19;
const SMALLEST_PIXELS = 3;

// d3 adds up values from the leaves; here a node's own share is what its children leave of its retained size.
function laidOut(focus, levels) {
  const depths = new Map([[focus, 0]]);
  const root = hierarchy(focus, (node) => {
    const depth = depths.get(node);
    if (depth >= levels) return null;
    for (const child of node.below) depths.set(child, depth + 1);
    return node.below;
  });
  root.each((place) => {
    place.value = place.data.retained_bytes;
  });
  return root;
}

const boxes = (root) =>
  root
    .descendants()
    .map(({ data, depth, x0, y0, x1, y1 }) => ({ node: data, depth, x: x0, y: y0, width: x1 - x0, height: y1 - y0 }));

export function treemapBoxes(focus, width, height) {
  const root = laidOut(focus, TREEMAP_LEVELS);
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
  const root = laidOut(focus, ICICLE_LEVELS);
  partition().size([width, (root.height + 1) * rowHeight])(root);
  return boxes(root).filter((box) => box.width >= SMALLEST_PIXELS / 2);
}
