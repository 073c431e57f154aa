import assert from "node:assert/strict";
import { test } from "node:test";
import { GROUP_COLOURS, OTHERS, colouring } from "./colour.js";
import { icicleBoxes, treemapBoxes } from "./tree_layout.js";
import { pathTo, treeModel } from "./tree_model.js";

const row = (id, parent, retained, more = {}) => ({
  id, parent, group: false, class: `shop.C${id}`, object: 100 + id, loader: "app", instances: 1,
  shallow_bytes: 10, retained_bytes: retained, children: 0, rest_children: 0, rest_retained_bytes: 0, ...more,
});
const groupRow = (id, parent, retained, name) => row(id, parent, retained, { group: true, class: name, object: undefined, instances: 50 });

const report = (more = {}) => ({
  graph: { held_objects: 1000, held_bytes: 10_000 },
  classes: [{ class: "shop.Session", loader: "web" }],
  suspects: [],
  tree: [
    row(0, null, 6000, { rest_children: 4, rest_retained_bytes: 900 }),
    row(1, null, 3000),
    row(2, 0, 1000),
    groupRow(3, 0, 4000, "shop.Node"),
  ],
  ...more,
});

function modelOf(content) {
  const model = treeModel(content);
  assert.ok(model);
  return model;
}

test("children are linked, the largest first, and what is summed up has a node", () => {
  const { root, byId, byObject } = modelOf(report());
  assert.deepEqual(root.below.map((node) => [node.kind, node.retained_bytes]), [["object", 6000], ["object", 3000], ["rest", 1000]]);
  assert.deepEqual(byId.get(0)?.below.map((node) => node.retained_bytes), [4000, 1000, 900]);
  assert.equal(byObject.get(102), byId.get(2));
  assert.deepEqual(pathTo(byId.get(2)).map((node) => node.id), [-1, 0, 2]);
});

test("a simple dump has no tree", () => {
  assert.equal(treeModel(report({ graph: null })), null);
  assert.equal(treeModel(report({ tree: [] })), null);
});

test("the levels of a suspect go on where the tree's group ends", () => {
  const level = (name, retained) => ({ class: name, instances: 50, shallow_bytes: 1, retained_bytes: retained, platform: false });
  const suspects = [{ rank: 1, holder: { object: 100 }, levels: [level("shop.Node", 4000), level("shop.Session", 3900), level("char[]", 9000)] }];
  const { byId, nodes } = modelOf(report({ suspects }));
  const session = byId.get(3)?.below[0];
  assert.ok(session);
  assert.equal(session.class, "shop.Session");
  assert.equal(session.loader, "web");
  assert.deepEqual(session.below, [], "a level that is larger than the one above is none of it");
  assert.ok(nodes.includes(session));
});

const inside = (outer, box) =>
  box.x >= outer.x - 0.5 && box.y >= outer.y - 0.5 &&
  box.x + box.width <= outer.x + outer.width + 0.5 && box.y + box.height <= outer.y + outer.height + 0.5;

test("boxes of the treemap lie in the box above them, areas follow retained sizes", () => {
  const { root, byId } = modelOf(report());
  const boxes = new Map(treemapBoxes(root, 800, 400).map((box) => [box.node, box]));
  for (const [node, box] of boxes) if (node.above) assert.ok(inside(boxes.get(node.above), box), node.id);
  const area = (id) => boxes.get(byId.get(id)).width * boxes.get(byId.get(id)).height;
  assert.ok(Math.abs(area(0) / area(1) - 2) < 0.2, `${area(0) / area(1)}`);
});

test("the icicle: one row a level, widths are shares of the focus", () => {
  const { byId } = modelOf(report());
  const boxes = new Map(icicleBoxes(byId.get(0), 600, 20).map((box) => [box.node, box]));
  assert.equal(boxes.get(byId.get(0)).width, 600);
  assert.equal(boxes.get(byId.get(3)).y, 20);
  assert.ok(Math.abs(boxes.get(byId.get(3)).width - 400) < 1e-6);
});

test("a chain of a thousand nodes neither overflows nor is drawn to its end", () => {
  const tree = Array.from({ length: 1000 }, (_, id) => row(id, id === 0 ? null : id - 1, 9000 - id));
  const { root } = modelOf(report({ tree }));
  assert.ok(icicleBoxes(root, 600, 20).length < 40);
  assert.ok(treemapBoxes(root, 800, 400).length < 40);
});

test("the largest groups get colours, by what they retain at their topmost, the others share one", () => {
  const tree = Array.from({ length: 12 }, (_, id) => row(id, null, 800 - id, { class: `p${id}.C` }));
  tree.push(row(12, 0, 700, { class: "p0.C" }));
  const { nodes, byId } = modelOf(report({ tree }));
  const colours = colouring(nodes, "package");
  assert.deepEqual(colours.groups[0], { group: "p0", colour: 0, bytes: 800 });
  assert.equal(colours.groups.length, GROUP_COLOURS + 1);
  assert.equal(colours.of(byId.get(11)).group, OTHERS);
  assert.equal(colouring(nodes, "loader").groups[0]?.group, "app");
});
