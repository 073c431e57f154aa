// Which colour a class, package or loader has: the largest of the whole tree get one each, the others share the last.
import { packageOf } from "./text.js";

export const GROUP_COLOURS = 8;
export const OTHERS = "everything else";

const KEYS = {
  class: (node) => node.class ?? "unknown",
  package: (node) => packageOf(classOf(node)),
  loader: (node) => node.loader ?? "unknown loader",
};
export const COLOUR_KEYS = Object.keys(KEYS);

// A class object stands for its class.
const classOf = (node) => node.class_object_of ?? node.class ?? "unknown";

// Is one of the same group above it? Then its bytes are counted there.
function isInside(node, text, group) {
  for (let at = node.above; at && at.kind !== "root"; at = at.above) if (group(at) === text) return true;
  return false;
}

// {of(node) -> {group, colour}, groups: [{group, colour, bytes: retained}]}, the largest first.
export function colouring(nodes, key) {
  const group = KEYS[key];
  const sums = new Map();
  for (const node of nodes) {
    if (node.kind === "root" || node.kind === "rest") continue;
    const text = group(node);
    if (!isInside(node, text, group)) sums.set(text, (sums.get(text) ?? 0) + node.retained_bytes);
  }
  const largest = [...sums].sort((a, b) => b[1] - a[1]).slice(0, GROUP_COLOURS);
  const colours = new Map(largest.map(([text], index) => [text, index]));
  const groups = largest.map(([text, bytes], index) => ({ group: text, colour: index, bytes }));
  if (sums.size > largest.length) groups.push({ group: OTHERS, colour: GROUP_COLOURS, bytes: null });
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
