// The page of a comparison: what is on it, from top to bottom.
import { accountChangesView } from "./account_changes_view.js";
import { changesView } from "./change_table.js";
import { changeTreeView } from "./change_tree_view.js";
import { diffVerdictView, sidesView } from "./diff_view.js";
import { el } from "./element.js";
import { name } from "./name.js";
import { objectChangesView } from "./object_changes_view.js";
import { pageShell, startPage } from "./page_shell.js";
import { countText, printable, shortened, utcText } from "./text.js";

function headOf({ before, after, same_program: same }) {
  return [
    same ? name(after.main_name, 48) : [name(before.main_name, 32), " and ", name(after.main_name, 32)],
    el("span", { class: "quiet" }, ` ${utcText(before.dumped_utc)} → ${utcText(after.dumped_utc)}`),
  ];
}

const LISTS = [
  { list: "classes", label: "class", title: "Class", noName: "objects of unknown class", what: ["class", "classes"] },
  { list: "packages", label: "package", title: "Package", noName: "none: arrays, default package", what: ["package", "packages"] },
  { list: "loaders", label: "loader", title: "Class loader", noName: "not known", what: ["class loader", "class loaders"] },
];

const remarkOf = (diff, list) => (list === "packages" && diff.packages_summed_from_classes ? "sums of the classes listed, as one report has no packages" : null);

function treeSection(diff) {
  if (diff.tree.length > 0) return changeTreeView(diff.tree);
  return el("p", { class: "missing" }, diff.before.graph && diff.after.graph ? "One of the reports has no dominator tree, or none that changed." : "There are no paths to compare: only reports of extended dumps have a dominator tree.");
}

function sectionsOf(diff) {
  const list = (id) => changesView(diff, { .../** @type {typeof LISTS[number]} */ (LISTS.find((one) => one.list === id)), remark: remarkOf(diff, id) });
  const accounts = accountChangesView(diff);
  const objects = objectChangesView(diff);
  return [
    { id: "classes", title: "Classes", inside: list("classes") },
    { id: "tree", title: "Dominator tree", short: "Tree", inside: treeSection(diff) },
    ...(objects ? [{ id: "objects", title: "The same objects", short: "Objects", inside: objects }] : []),
    { id: "packages", title: "Packages", inside: list("packages") },
    { id: "loaders", title: "Class loaders", short: "Loaders", inside: list("loaders") },
    ...(accounts ? [{ id: "accounts", title: "Memory accounts", short: "Accounts", inside: accounts }] : []),
    { id: "reports", title: "The two reports", short: "Reports", inside: sidesView(diff) },
  ];
}

const cutWords = ({ page_rows_limit: limit }) =>
  limit ? el("p", { class: "missing cut" }, `To stay small this page shows at most ${countText(limit)} rows of each list; the reports have more.`) : null;

startPage((diff) => {
  document.title = `${shortened(printable(diff.after.main_name), 60)}, compared · holdfast`;
  return pageShell({
    head: headOf(diff),
    first: [diffVerdictView(diff), cutWords(diff)],
    sections: sectionsOf(diff),
    foot: "Retained size: what would be freed if the object, or all objects of the set, were no longer held. 1 KB = 1,024 bytes.",
  });
});
