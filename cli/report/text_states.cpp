// What fills the heap, state by state: figures, then classes and groups of the states that matter, then queues that are not drained.
#include <algorithm>
#include <type_traits>

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

// What the graph does not have of the heap in use. The rest beside what was counted: the application went on until it was stopped.
void write_not_reached(const ReportView& view, std::uint64_t whole, Table& table) {
  constexpr std::uint64_t kWorthARowDivisor = 1000;
  const auto row = [&](std::string_view name, std::string objects, std::uint64_t bytes) {
    table.row(
        {{std::string(name)}, {std::move(objects)}, {human_bytes(bytes)}, {percent(bytes, whole)}});
  };
  std::uint64_t rest = whole - std::min(whole, view.states->bytes());
  if (const auto& found = view.states->unreached) {
    row("unreachable", thousands(found->objects), found->shallow_bytes);
    if (found->buffer_bytes != 0)
      row("unused space of allocation buffers", "–", found->buffer_bytes);
    if (found->unread_bytes != 0) row("not reached and not read", "–", found->unread_bytes);
    rest -= std::min(rest, found->shallow_bytes + found->buffer_bytes + found->unread_bytes);
    if (rest < whole / kWorthARowDivisor) rest = 0;
  }
  if (rest != 0) row("not reached: garbage, room in allocation buffers", "–", rest);
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
  write_not_reached(view, whole, table);
  table.write(context.page);
}

// Of a state, or of what was not reached: there retained sizes are not known.
template <class Of>
void write_class_table(const TextContext& context, const Of& of, std::string_view title) {
  constexpr bool kRetained = std::is_same_v<Of, StateView>;
  if (of.classes.empty()) return;
  const std::size_t most =
      context.options.top > TextOptions{}.top ? context.options.top : kStateClassesShown;
  const std::size_t shown = std::min(most, of.classes.size());
  context.page.blank();
  Table table({{std::string(title) + ", by class", ColumnKind::kName, kLeastStateNameColumns},
               {"instances"},
               {"shallow"},
               {kRetained ? "retained" : "", ColumnKind::kNumber, 0, true},
               {"share"},
               {"loader", ColumnKind::kName, 10, true}});
  for (std::size_t i = 0; i < shown; ++i) {
    const StateClassView& row = of.classes[i];
    table.row({{std::string(row.class_name), row.platform ? Style::kPlain : Style::kBold},
               {thousands(row.instances)},
               {human_bytes(row.shallow_bytes)},
               {kRetained ? human_bytes(row.retained_bytes) : ""},
               {percent(row.shallow_bytes, of.shallow_bytes)},
               {std::string(row.loader), Style::kDim}});
  }
  if (of.classes_total > shown)
    table.row({{counted(of.classes_total - shown, "more class", "more classes"), Style::kDim}});
  table.write(context.page);
}

void write_classes_of(const TextContext& context, const StateView& state) {
  write_class_table(context, state, phrase(state.state));
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
  if (const auto& found = context.view.states->unreached)
    write_class_table(context, *found, "unreachable");
}

}  // namespace holdfast::cli
