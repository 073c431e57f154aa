// A path from a GC root: one step a line; a step that is in the tree picture is a button that shows it there.
import { el } from "./element.js";
import { name, objectName } from "./name.js";
import { bytesText, countText } from "./text.js";

const ROOTS = {
  system_class: "system class",
  thread: "thread",
  stack_local: "local variable",
  jni_local: "local reference of native code",
  jni_global: "global reference of native code",
  monitor: "monitor that is held",
  handle: "strong handle",
  finalizer: "object that waits for its finalizer",
  other: "GC root",
  static_field: "static field",
  pinned_handle: "pinned handle",
  possible_stack_slot: "stack slot that may hold it",
};

export function rootWords(path) {
  const constant = path.root_kind === "other" && path.frame_method;
  const words = [constant ? "constant of the compiled code" : (ROOTS[path.root_kind] ?? path.root_kind)];
  if (path.root_kind === "possible_stack_slot" && (path.frame_method || path.thread)) words.push(",");
  if (path.frame_method)
    words.push(" of ", name(`${path.frame_class ? `${path.frame_class}.` : ""}${path.frame_method}()`));
  if (path.thread) words.push(" in thread ", name(path.thread, 48));
  if (path.strength !== "strong") words.push(` · held by ${path.strength} references`);
  return words;
}

// How the step before holds this one.
export function viaWords(step) {
  switch (step.via) {
    case "instance_field":
      return step.field ? [".", name(step.field, 40)] : "a field";
    case "static_field":
      return ["static ", name(`${step.declaring_class ? `${step.declaring_class}.` : ""}${step.field ?? "?"}`)];
    case "element":
      return `[${countText(step.index)}${step.index_saturated ? " or higher" : ""}]`;
    case "root":
      return "GC root";
    default:
      return step.via.replaceAll("_", " ");
  }
}

function stepLine(step, tree) {
  const node = tree?.model.byObject.get(step.object);
  const shown = objectName(step);
  const object = node
    ? el("button", { type: "button", class: "step", title: "Show in the dominator tree", on: { click: () => tree.show(node) } }, shown)
    : el("span", { class: "step" }, shown);
  return el(
    "li",
    {},
    step.via !== "root" && el("span", { class: "via" }, viaWords(step), " "),
    object,
    el("span", { class: "figure" }, bytesText(step.retained_bytes)),
  );
}

export function pathView(path, tree) {
  if (!path) return el("p", { class: "quiet" }, "No path is known.");
  const lines = [el("li", { class: "root" }, el("span", { class: "via" }, "GC root "), rootWords(path))];
  path.steps.forEach((step, index) => {
    lines.push(stepLine(step, tree));
    if (path.steps_left_out > 0 && index === path.left_out_after)
      lines.push(el("li", { class: "quiet" }, `… ${countText(path.steps_left_out)} more objects …`));
  });
  return el("ol", { class: "path" }, lines);
}
