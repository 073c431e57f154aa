#include "cli/report/report_view.h"

#include <algorithm>

#include "cli/report/cuts_view.h"
#include "cli/report/holder.h"
#include "cli/report/report_view_names.h"
#include "cli/report/verdict.h"

namespace holdfast::cli {
namespace {

using Names = ReportNames;

constexpr std::uint64_t kNoLimit = UINT64_MAX;

OriginView origin_view(const Names& names, const report::Origin& from) {
  OriginView view;
  view.tool_version = names.text(from.tool_version());
  view.vm_name = names.text(from.vm_name());
  view.vm_version = names.text(from.vm_version());
  view.vm_vendor = names.text(from.vm_vendor());
  view.collector = names.text(from.collector());
  view.main_name = names.text(from.main_name());
  view.host = names.text(from.host());
  view.container = names.text(from.container());
  view.pid = from.pid();
  view.sequence = from.sequence();
  view.command_line_hash = from.command_line_hash();
  view.started_utc_ms = from.started_utc_ms();
  view.vm_uptime_ms = from.vm_uptime_ms();
  return view;
}

DumpView dump_view(const Names& names, const report::CaptureFacts& from,
                   const std::vector<PassView>& passes) {
  DumpView view;
  view.extended = from.kind() != report::DumpKind::Simple;
  view.trigger = names.text(from.trigger());
  view.rung = names.text(from.rung());
  view.merged_requests = from.merged_requests();
  view.refused_requests = from.refused_requests();
  view.predicted_pause_ns = from.predicted_pause_ns();
  view.pause_ns = from.pause_ns();
  if (from.pause_limit_ns() != kNoLimit) view.pause_limit_ns = from.pause_limit_ns();
  view.prepare_ns = from.prepare_ns();
  view.seal_ns = from.seal_ns();
  view.clone_ns = from.clone_ns();
  view.predicted_growth_bytes = from.predicted_growth_bytes();
  view.capture_ns = from.capture_ns();
  for (const PassView& pass : passes) view.analysis_ns += pass.wall_ns;
  view.heap_used_before_bytes = from.heap_used_before_bytes();
  view.heap_used_after_bytes = from.heap_used_after_bytes();
  view.heap_committed_bytes = from.heap_committed_bytes();
  view.heap_max_bytes = from.heap_max_bytes();
  return view;
}

// No other figure is worked out from it.
bool stands_alone(std::string_view pass) {
  return pass == "condensation" || pass == "reachable sizes" || pass == "cuts" ||
         pass == "holders" || pass == "accounts" || pass == "ages" || pass == "heap states";
}

LossView loss_view(const report::Report& report, const std::vector<PassView>& passes,
                   bool imported) {
  const report::CaptureFacts& capture = *report.capture();
  LossView view;
  view.objects_unknown_class = capture.objects_unknown_class();
  view.roots_dropped = capture.roots_dropped();
  view.references_to_unknown = capture.references_to_unknown();
  view.names_dropped = capture.names_dropped();
  view.input_damaged = capture.input_damaged();
  view.basic = report.basic();
  view.imported = imported;
  view.names_cut = report.names_cut();
  view.notes_dropped = report.notes_dropped();
  for (const PassView& pass : passes) {
    if (pass.left_out.empty()) continue;
    ++view.passes_left_out;
    view.figures_left_out += stands_alone(pass.name) ? 0 : 1;
  }
  return view;
}

MemoryView memory_view(const Names& names, const report::MemoryFacts& from) {
  MemoryView view;
  view.limit_bytes = from.limit_bytes();
  view.peak_bytes = from.peak_bytes();
  view.vm_tag_bytes_estimate = from.vm_tag_bytes_estimate();
  view.process_growth_bytes = from.process_growth_bytes();
  for (const auto* row : *from.categories())
    view.categories.push_back({names.text(row->category()), row->peak_bytes()});
  return view;
}

std::vector<PassView> pass_views(const Names& names, const report::Report& report) {
  std::vector<PassView> views;
  for (const auto* row : *report.passes()) {
    views.push_back({names.text(row->name()), names.text(row->left_out()), row->wall_ns(),
                     row->cpu_ns(), row->scratch_peak_bytes()});
  }
  return views;
}

ClassView class_view(const Names& names, const report::ClassRow& from) {
  ClassView view;
  view.name = names.text(from.name());
  view.loader = names.loader(from.loader());
  view.instances = from.instances();
  view.shallow_bytes = from.shallow_bytes();
  view.retained_bytes = from.retained_bytes();
  view.largest_retained_bytes = from.largest_retained_bytes();
  view.unheld_instances = from.unheld_instances();
  view.unheld_bytes = from.unheld_bytes();
  view.platform = from.platform();
  view.largest_reachable_bytes = from.largest_reachable_bytes();
  view.reachable_estimated = from.reachable_estimated();
  return view;
}

SetView set_view(const Names& names, const report::LoaderRow& from) {
  return {names.text(from.name()), from.class_count(),    from.instances(),
          from.shallow_bytes(),    from.retained_bytes(), from.builtin()};
}

SetView set_view(const Names& names, const report::PackageRow& from) {
  return {names.text(from.name()), from.class_count(),    from.instances(),
          from.shallow_bytes(),    from.retained_bytes(), false};
}

ThreadView thread_view(const Names& names, const report::ThreadRow& from) {
  ThreadView view{
      names.text(from.name()), from.daemon(), from.local_roots(), from.retained_bytes(), {}};
  for (const auto* frame : *from.frames()) {
    view.frames.push_back({names.text(frame->class_name()), names.text(frame->method()),
                           frame->depth(), frame->locals(), frame->retained_bytes(),
                           names.maybe_object(frame->largest())});
  }
  return view;
}

TreeNodeView tree_node_view(const Names& names, const report::TreeNode& from, std::uint32_t id) {
  TreeNodeView view;
  view.id = id;
  view.parent = from.parent();
  view.object = names.maybe_object(from.object());
  view.group_class = names.text(from.group_class());
  view.instances = view.object ? 1 : from.group_instances();
  view.shallow_bytes = from.shallow_bytes();
  view.retained_bytes = from.retained_bytes();
  view.children = from.children();
  view.rest_children = from.rest_children();
  view.rest_retained_bytes = from.rest_retained_bytes();
  return view;
}

SuspectView suspect_view(const Names& names, const report::Suspect& from) {
  SuspectView view;
  view.group = from.kind() == report::SuspectKind::Group;
  view.class_name = names.text(from.class_name());
  view.loader = names.loader(from.loader());
  view.instances = from.instances();
  view.instances_below = from.instances_below();
  view.shallow_bytes = from.shallow_bytes();
  view.retained_bytes = from.retained_bytes();
  view.share_per_mille = from.share_per_mille();
  view.confidence_percent = from.confidence_percent();
  view.holder_class = names.text(from.holder_class());
  view.holder_field = names.text(from.holder_field());
  view.holder = names.maybe_object(from.holder());
  for (const auto* level : *from.levels()) {
    view.levels.push_back({names.text(level->class_name()), level->instances(),
                           level->shallow_bytes(), level->retained_bytes(), level->platform()});
  }
  view.path = names.path(*from.path());
  if (from.others() != nullptr)
    for (const auto* other : *from.others()) view.others.push_back(names.path(*other));
  view.threads = from.threads();
  if (from.variable() != nullptr) view.variable = names.path(*from.variable());
  choose_holder(view);
  for (const std::uint32_t sentence : *from.evidence())
    view.evidence.push_back(names.text(sentence));
  return view;
}

GraphView graph_view(const Names& names, const report::GraphFacts& from) {
  GraphView view;
  view.objects = from.objects();
  view.references = from.references();
  view.roots = from.roots();
  view.shallow_bytes = from.shallow_bytes();
  view.held_objects = from.held_objects();
  view.held_bytes = from.held_bytes();
  view.dominator_depth = from.dominator_depth();
  view.max_out_degree = from.max_out_degree();
  view.max_out_degree_object = names.maybe_object(from.max_out_degree_object());
  for (const auto* row : *from.strengths()) {
    view.strengths.push_back({firmness_of(row->strength()), row->objects(), row->shallow_bytes()});
  }
  for (const auto* row : *from.root_kinds()) {
    view.root_kinds.push_back(
        {root_of(row->kind()), row->roots(), row->objects(), row->retained_bytes()});
  }
  return view;
}

void add_tables(const Names& names, const report::Report& report, ReportView& view) {
  for (const auto* row : *report.classes()) view.classes.push_back(class_view(names, *row));
  view.classes_total = report.classes_total();
  view.rest_of_classes = class_view(names, *report.rest_of_classes());
  for (const auto* row : *report.loaders()) view.loaders.push_back(set_view(names, *row));
  view.loaders_total = report.loaders_total();
  view.rest_of_loaders = set_view(names, *report.rest_of_loaders());
  for (const auto* row : *report.packages()) view.packages.push_back(set_view(names, *row));
  view.packages_total = report.packages_total();
  view.rest_of_packages = set_view(names, *report.rest_of_packages());
  for (const auto* row : *report.threads()) view.threads.push_back(thread_view(names, *row));
  view.threads_total = report.threads_total();
}

void add_waiting(const StatesView& states, SuspectView& suspect) {
  suspect.waits_for_finalizer = true;
  suspect.whole_bytes = states.bytes();
  const BacklogView* const backlog = states.finalizers();
  if (backlog != nullptr) suspect.drain = drain_text(*backlog, kFullNames);
}

void add_findings(const Names& names, const report::Report& report, ReportView& view) {
  for (std::uint32_t id = 0; id < report.tree()->size(); ++id) {
    view.tree.push_back(tree_node_view(names, *report.tree()->Get(id), id));
  }
  for (std::uint32_t i = 0; i < report.top_objects()->size(); ++i) {
    TopObjectView top{names.object(report.top_objects()->Get(i)), std::nullopt};
    if (i < report.top_paths()->size()) top.path = names.path(*report.top_paths()->Get(i));
    view.top_objects.push_back(std::move(top));
  }
  bool left_out = false;
  for (const auto* row : *report.suspects()) {
    if (row->kind() > report::SuspectKind::MAX) {
      left_out = true;
      continue;
    }
    view.suspects.push_back(suspect_view(names, *row));
    view.suspects.back().rank = ++view.suspects_total;
    view.suspects.back().whole_bytes = view.whole_bytes();
    if (row->waits_for_finalizer() && view.states) add_waiting(*view.states, view.suspects.back());
  }
  if (left_out)
    view.notes.push_back("suspects of a kind that only a newer holdfast knows are left out");
  if (report.suspects_total() == kNoRow) return;
  view.suspects_total = std::max<std::size_t>(view.suspects.size(), report.suspects_total());
  view.suspects_unlisted = view.suspects_total - view.suspects.size();
}

void add_accounts(const Names& names, const report::Report& report, ReportView& view) {
  if (report.accounts() == nullptr) return;
  if (report.accounts()->mode() <= report::AccountMode::MAX)
    view.accounts = accounts_view(names, *report.accounts());
  else
    view.notes.push_back(
        "the memory accounts are left out: only a newer holdfast knows how they were counted");
}

TrackingView tracking_view(const Names& names, const report::Report& report) {
  const report::TrackFacts& from = *report.tracking();
  TrackingView view{from.began_utc_ms(), from.known(), from.gone(),
                    from.unfollowed(),   from.named(), {}};
  for (const report::TrackedRow* row : *from.objects())
    view.objects.push_back(names.object(row->object()));
  std::ranges::sort(view.objects, {}, &ObjectView::identity);
  return view;
}

}  // namespace

std::uint64_t ReportView::whole_bytes() const {
  if (has_retained()) return graph->held_bytes;
  std::uint64_t bytes = rest_of_classes.shallow_bytes;
  for (const ClassView& row : classes) bytes += row.shallow_bytes;
  return bytes;
}

std::uint64_t ReportView::whole_objects() const {
  if (has_retained()) return graph->held_objects;
  std::uint64_t objects = rest_of_classes.instances;
  for (const ClassView& row : classes) objects += row.instances;
  return objects;
}

bool ReportView::has_retained() const {
  return graph && (graph->dominator_depth > 0 || classes_total == 0);
}

bool ReportView::loaders_have_retained() const {
  return has_retained() && (loaders.empty() || std::ranges::any_of(loaders, [](const SetView& row) {
                              return row.retained_bytes > 0;
                            }));
}

bool ReportView::threads_have_retained() const {
  return has_retained() &&
         std::ranges::any_of(threads, [](const ThreadView& row) { return row.retained_bytes > 0; });
}

bool ReportView::left_out(std::string_view pass) const {
  const auto row = std::ranges::find(passes, pass, &PassView::name);
  return row != passes.end() && !row->left_out.empty();
}

ReportView make_report_view(const report::Report& report, std::uint64_t report_bytes) {
  const Names names(report);
  ReportView view;
  view.report_bytes = report_bytes;
  view.origin = origin_view(names, *report.origin());
  for (const auto* row : *report.options())
    view.options.push_back({names.text(row->key()), names.text(row->value())});
  view.passes = pass_views(names, report);
  view.dump = dump_view(names, *report.capture(), view.passes);
  view.losses = loss_view(report, view.passes, view.dump.imported());
  view.memory = memory_view(names, *report.memory());
  for (const std::uint32_t note : *report.notes()) view.notes.push_back(names.text(note));
  if (report.graph() != nullptr) view.graph = graph_view(names, *report.graph());
  add_tables(names, report, view);
  if (report.states() != nullptr) view.states = states_view(names, *report.states());
  add_findings(names, report, view);
  if (report.reachable() != nullptr) view.reachable = reachable_view(names, *report.reachable());
  if (report.cuts() != nullptr) view.cuts = cuts_view(names, *report.cuts());
  add_accounts(names, report, view);
  if (report.aging() != nullptr) view.aging = aging_view(names, *report.aging());
  if (report.collections() != nullptr) view.collections = collections_view(*report.collections());
  if (report.ages() != nullptr) view.ages = ages_view(names, *report.ages());
  if (report.tracking() != nullptr) view.tracking = tracking_view(names, report);
  if (report.holders() != nullptr) view.holders = holders_view(names, *report.holders());
  return view;
}

}  // namespace holdfast::cli
