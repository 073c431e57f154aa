// The page of a report: what is on it, from top to bottom.
import { accountsView } from "./accounts_view.js";
import { agesView } from "./ages_view.js";
import { agingView } from "./aging_view.js";
import { classesView } from "./classes_view.js";
import { collectionsView } from "./collections_view.js";
import { costView } from "./cost_view.js";
import { cutsView } from "./cuts_view.js";
import { el } from "./element.js";
import { graphView } from "./graph_view.js";
import { holdersView } from "./holders_view.js";
import { leftOutWords } from "./left_out.js";
import { name } from "./name.js";
import { noGraphWords } from "./no_graph.js";
import { objectsView } from "./objects_view.js";
import { notesView, originView } from "./origin_view.js";
import { pageShell, startPage } from "./page_shell.js";
import { reachableView } from "./reachable_view.js";
import { loadersView, packagesView } from "./sets_view.js";
import { statesView } from "./states_view.js";
import { suspectsView } from "./suspects_view.js";
import { printable, shortened, utcText } from "./text.js";
import { threadsView } from "./threads_view.js";
import { treeModel } from "./tree_model.js";
import { TreeView } from "./tree_view.js";
import { verdictView } from "./verdict_view.js";

function headOf({ origin, dump }) {
  return [
    name(origin.main_name, 48),
    el("span", { class: "quiet" }, ` ${origin.pid > 0 ? `pid ${origin.pid} on ` : ""}`, name(origin.host, 32)),
    el("span", { class: "quiet" }, ` ${utcText(origin.started_utc)} · ${dump.kind} dump`),
  ];
}

function noTreeWords(report) {
  if (!report.graph) return noGraphWords(report);
  return leftOutWords(report, "upper dominator tree", "The dominator tree was") ?? "No object is held.";
}

function treeSection(report, tree) {
  if (!tree) return el("p", { class: "missing" }, noTreeWords(report));
  return [
    el("p", { class: "quiet hint" }, "Each box is as large as what it retains. Click or Enter goes in, Escape out, arrows move."),
    tree.element,
  ];
}

function sectionsOf(report, tree) {
  return [
    { id: "suspects", title: "Suspects", inside: suspectsView(report, tree) },
    { id: "states", title: "Heap by state", short: "States", inside: statesView(report) },
    { id: "tree", title: "Dominator tree", short: "Tree", inside: treeSection(report, tree) },
    { id: "classes", title: "Classes", inside: classesView(report) },
    { id: "packages", title: "Packages", inside: packagesView(report) },
    { id: "loaders", title: "Class loaders", short: "Loaders", inside: loadersView(report) },
    { id: "threads", title: "Threads", inside: threadsView(report) },
    { id: "objects", title: "Largest objects", short: "Objects", inside: objectsView(report, tree) },
    { id: "reachable", title: "Reachable sizes", short: "Reachable", inside: reachableView(report) },
    { id: "cuts", title: "Cuts", inside: cutsView(report) },
    { id: "holders", title: "Holders", inside: holdersView(report) },
    { id: "accounts", title: "Memory accounts", short: "Accounts", inside: accountsView(report) },
    { id: "collections", title: "Collections", inside: collectionsView(report) },
    { id: "aging", title: "Aging", inside: agingView(report) },
    { id: "ages", title: "Ages", inside: agesView(report) },
    { id: "graph", title: "The graph", short: "Graph", inside: graphView(report) },
    { id: "cost", title: "What the dump cost", short: "Cost", inside: costView(report) },
    { id: "notes", title: "Notes and losses", short: "Notes", inside: notesView(report) },
    { id: "origin", title: "Where this comes from", short: "Origin", inside: originView(report) },
  ].filter(({ inside }) => inside !== null);
}

startPage((report) => {
  document.title = `${shortened(printable(report.origin.main_name), 60)} · holdfast`;
  const model = treeModel(report);
  const tree = model ? new TreeView(model) : null;
  return pageShell({
    head: headOf(report),
    first: verdictView(report),
    sections: sectionsOf(report, tree),
    foot: "Retained size: what would be freed if the object, or all objects of the set, were no longer held. Reachable size: all that it leads to, whoever else holds it. 1 KB = 1,024 bytes.",
  });
});
