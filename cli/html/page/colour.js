// Which colour a class, package or loader has: the largest of the whole tree get one each, the others share the last.
import { packageOf } from "./text.js";

export const GROUP_COLOURS = 8;
export const OTHERS = "everything else";

const KEYS = {
  class: (node) => node.class ?? "unknown",
  package: (node) => packageOf(node.class ?? ""),
  loader: (node) => node.loader ?? "unknown loader",
};
export const COLOUR_KEYS = Object.keys(KEYS);

// What a node takes of the picture by itself: its retained size less that of the nodes below it.
export const ownBytes = (node) =>
  Math.max(0, node.retained_bytes - node.below.reduce((sum, child) => sum + child.retained_bytes, 0));

// {of(node) -> {group, colour}, groups: [{group, colour, bytes}]}, the largest first.
export function colouring(nodes, key) {
  const group = KEYS[key];
  const sums = new Map();
  for (const node of nodes) {
    if (node.kind === "root" || node.kind === "rest") continue;
    sums.set(group(node), (sums.get(group(node)) ?? 0) + ownBytes(node));
  }
  const largest = [...sums].sort((a, b) => b[1] - a[1]).slice(0, GROUP_COLOURS);
  const colours = new Map(largest.map(([text], index) => [text, index]));
  const others = [...sums].reduce((sum, [text, bytes]) => sum + (colours.has(text) ? 0 : bytes), 0);
  const groups = largest.map(([text, bytes], index) => ({ group: text, colour: index, bytes }));
  if (others > 0) groups.push({ group: OTHERS, colour: GROUP_COLOURS, bytes: others });
  return {
    of(node) {
      const text = group(node);
      return colours.has(text)
        ? { group: text, colour: colours.get(text) }
        : { group: OTHERS, colour: GROUP_COLOURS };
    },
    groups,
  };
}
