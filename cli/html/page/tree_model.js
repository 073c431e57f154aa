// The upper dominator tree of a report as linked nodes: `above`, `below`, and for what the report sums up a node of kind "rest".

const EVERYTHING = -1;

/**
 * @typedef {{id: any, kind: string, above: Node | null, below: Node[], class: string | null, loader: string | null, instances: number | null,
 *   shallow_bytes: number | null, retained_bytes: number, class_object_of?: string | null, object?: number | null, identity?: number | null,
 *   children?: number, rest_children?: number, rest_retained_bytes?: number}} Node
 */

/** @returns {Node} */
function restOf(parent, bytes, count) {
  return {
    id: `rest-${parent.id}`,
    kind: "rest",
    above: parent,
    below: [],
    class: null,
    loader: null,
    instances: count,
    shallow_bytes: null,
    retained_bytes: bytes,
  };
}

/** @returns {Node} */
function rootOf(report) {
  return {
    id: EVERYTHING,
    kind: "root",
    above: null,
    below: [],
    class: null,
    loader: null,
    instances: report.graph.held_objects,
    shallow_bytes: 0,
    retained_bytes: report.graph.held_bytes,
  };
}

/** @returns {Node} */
function nodeOf(row, loaders) {
  return {
    id: row.id,
    kind: row.group ? "group" : "object",
    above: null,
    below: [],
    class: row.class,
    class_object_of: row.class_object_of ?? null,
    loader: loaders.get(row.class_object_of ?? row.class) ?? row.loader ?? null,
    object: row.object ?? null,
    identity: row.identity ?? null,
    instances: row.instances,
    shallow_bytes: row.shallow_bytes,
    retained_bytes: row.retained_bytes,
    children: row.children,
    rest_children: row.rest_children,
    rest_retained_bytes: row.rest_retained_bytes,
  };
}

/** @param {Node} node */
function sumUpRest(node) {
  node.below.sort((a, b) => b.retained_bytes - a.retained_bytes);
  if (node.kind === "object" && (node.rest_children ?? 0) > 0 && (node.rest_retained_bytes ?? 0) > 0)
    node.below.push(restOf(node, node.rest_retained_bytes, node.rest_children));
  if (node.kind !== "root") return;
  const listed = node.below.reduce((sum, child) => sum + child.retained_bytes, 0);
  if (node.retained_bytes > listed) node.below.push(restOf(node, node.retained_bytes - listed, null));
}

const EPSILON = 1;

// Below a suspect's group the report's tree ends, but the suspect knows what follows, class by class.
function addLevels(suspect, byObject, loaders) {
  const [first, ...deeper] = suspect.levels;
  const holder = suspect.holder && byObject.get(suspect.holder.object);
  let above = first && holder?.below.find((node) => node.kind === "group" && node.class === first.class);
  if (!above || above.below.length > 0) return [];
  const added = [];
  for (const level of deeper) {
    if (level.retained_bytes > above.retained_bytes + EPSILON) break;
    const id = `level-${suspect.rank}-${added.length}`;
    const node = { ...level, id, kind: "group", above, below: [], loader: loaders.get(level.class) ?? null };
    above.below.push(node);
    added.push(node);
    above = node;
  }
  return added;
}

// {root, nodes, byId, byObject}; null where the report has no graph.
export function treeModel(report) {
  if (!report.graph || report.tree.length === 0) return null;
  const loaders = new Map(report.classes.map((row) => [row.class, row.loader]));
  const root = rootOf(report);
  const byId = new Map([[EVERYTHING, root]]);
  const byObject = new Map();
  for (const row of report.tree) {
    const node = nodeOf(row, loaders);
    node.above = byId.get(row.parent ?? EVERYTHING) ?? root;
    node.above.below.push(node);
    byId.set(node.id, node);
    if (node.object !== null) byObject.set(node.object, node);
  }
  const listed = [...byId.values()];
  listed.forEach(sumUpRest);
  const levels = report.suspects.flatMap((suspect) => addLevels(suspect, byObject, loaders));
  return { root, nodes: [...listed, ...levels], byId, byObject };
}

export function pathTo(node) {
  const path = [];
  for (let at = node; at; at = at.above) path.unshift(at);
  return path;
}
