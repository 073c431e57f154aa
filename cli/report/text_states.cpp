// What fills the heap, state by state: figures, then classes and groups of the states that matter, then queues that are not drained.
#include <algorithm>

#include "cli/report/text_sections.h"
#include "cli/text/number_text.h"
#include "cli/text/table.h"

namespace holdfast::cli {
namespace {

constexpr std::size_t kStateClassesShown = 8;  // more with --top
constexpr std::size_t kLeastStateNameColumns = 36;

std::uint64_t whole_of(const ReportView& view) {
  const std::uint64_t graph = view.states->bytes();
  return view.dump.imported() ? graph : std::max(graph, view.dump.heap_used_before_bytes);
}

void write_figures(const TextContext& context) {
  const ReportView& view = context.view;
  const std::uint64_t whole = whole_of(view);
  Table table({{"state", ColumnKind::kText, 24}, {"objects"}, {"shallow"}, {"share"}});
  for (const StateView& one : view.states->states) {
    if (one.objects == 0) continue;
    std::string name(phrase(one.state));
    if (one.held && one.state != HeapState::kStrong) name += " (counted as held)";
    table.row({{std::move(name)},
               {thousands(one.objects)},
               {human_bytes(one.shallow_bytes)},
               {percent(one.shallow_bytes, whole)}});
  }
  if (const std::uint64_t graph = view.states->bytes(); whole > graph)
    table.row({{"not reached: garbage, room in allocation buffers"},
               {"–"},
               {human_bytes(whole - graph)},
               {percent(whole - graph, whole)}});
  table.write(context.page);
}

void write_classes_of(const TextContext& context, const StateView& state) {
  if (state.classes.empty()) return;
  const std::size_t most =
      context.options.top > TextOptions{}.top ? context.options.top : kStateClassesShown;
  const std::size_t shown = std::min(most, state.classes.size());
  context.page.blank();
  Table table(
      {{std::string(phrase(state.state)) + ", by class", ColumnKind::kName, kLeastStateNameColumns},
       {"instances"},
       {"shallow"},
       {"retained", ColumnKind::kNumber, 0, true},
       {"share"},
       {"loader", ColumnKind::kName, 10, true}});
  for (std::size_t i = 0; i < shown; ++i) {
    const StateClassView& row = state.classes[i];
    table.row({{std::string(row.class_name), row.platform ? Style::kPlain : Style::kBold},
               {thousands(row.instances)},
               {human_bytes(row.shallow_bytes)},
               {human_bytes(row.retained_bytes)},
               {percent(row.shallow_bytes, state.shallow_bytes)},
               {std::string(row.loader), Style::kDim}});
  }
  if (state.classes_total > shown)
    table.row({{counted(state.classes_total - shown, "more class", "more classes"), Style::kDim}});
  table.write(context.page);
  for (const StateGroupView& group : state.groups)
    context.page.paragraph(group_sentence(state, group, context.page.columns() / 2), Style::kPlain,
                           Page::kIndent);
}

}  // namespace

void write_states(const TextContext& context) {
  if (!context.view.states) return;
  context.page.heading("HEAP BY STATE", "what fills it, by how it is held at best");
  write_figures(context);
  for (const BacklogView& backlog : context.view.states->backlogs)
    context.page.paragraph(backlog_sentence(backlog, context.page.columns() / 2), Style::kBold,
                           Page::kIndent);
  for (const StateView& state : context.view.states->states) write_classes_of(context, state);
}

}  // namespace holdfast::cli
