#include "cli/report/states_view.h"

#include <algorithm>
#include <array>

#include "cli/report/report_view.h"
#include "cli/report/report_view_names.h"
#include "cli/report/verdict.h"
#include "cli/text/class_name.h"
#include "cli/text/display_text.h"
#include "cli/text/number_text.h"

namespace holdfast::cli {
namespace {

constexpr std::array<std::string_view, 7> kStateWords = {
    "strong", "soft", "weak", "final", "phantom", "unreachable", "possible_slot"};
constexpr std::array<std::string_view, 7> kStatePhrases = {"held strongly",
                                                           "held softly",
                                                           "held weakly",
                                                           "waiting for finalizers",
                                                           "held by phantom references",
                                                           "unreachable",
                                                           "held by possible stack slots alone"};
constexpr std::size_t kDrainFramesShown = 3;
constexpr std::uint64_t kWorthSayingDivisor = 100;  // of the graph; what is less is summed up

std::string fitted(std::string_view name, std::size_t columns) {
  return columns == kFullNames ? std::string(name) : shorten_name(printable(name), columns);
}

template <class Row>
std::vector<StateClassView> class_views(const ReportNames& names, const Row& from) {
  std::vector<StateClassView> views;
  for (const auto* row : *from.classes())
    views.push_back({names.text(row->class_name()), names.loader(row->loader()), row->instances(),
                     row->shallow_bytes(), row->retained_bytes(), row->platform()});
  return views;
}

StateView state_view(const ReportNames& names, const report::StateRow& from) {
  StateView view;
  view.state = static_cast<HeapState>(from.state());
  view.held = from.held();
  view.objects = from.objects();
  view.shallow_bytes = from.shallow_bytes();
  view.classes_total = from.classes_total();
  view.classes = class_views(names, from);
  for (const auto* row : *from.groups()) {
    StateGroupView group;
    group.group = row->kind() == report::SuspectKind::Group;
    group.class_name = names.text(row->class_name());
    group.loader = names.loader(row->loader());
    group.holder_class = names.text(row->holder_class());
    group.instances = row->instances();
    group.shallow_bytes = row->shallow_bytes();
    group.retained_bytes = row->retained_bytes();
    for (const std::uint32_t sentence : *row->evidence())
      group.evidence.push_back(names.text(sentence));
    view.groups.push_back(std::move(group));
  }
  return view;
}

BacklogView backlog_view(const ReportNames& names, const report::BacklogRow& from) {
  BacklogView view;
  view.finalizers = from.finalizers();
  view.static_field = from.static_field();
  view.thread_found = from.thread_found();
  view.owner = names.text(from.owner());
  view.field = names.text(from.field());
  view.reference_class = names.text(from.reference_class());
  view.referent_class = names.text(from.referent_class());
  view.thread = names.text(from.thread());
  view.waiting = from.waiting();
  view.retained_bytes = from.retained_bytes();
  view.referents = from.referents();
  for (const auto* frame : *from.frames())
    view.frames.emplace_back(names.text(frame->class_name()), names.text(frame->method()));
  return view;
}

std::string queue_text(const BacklogView& backlog, std::size_t columns) {
  if (backlog.owner.empty())
    return backlog.finalizers ? "the finalizer queue" : "a queue that a GC root holds";
  std::string text = backlog.static_field ? "static " : "";
  text += fitted(backlog.owner, columns);
  if (!backlog.field.empty()) text += '.' + fitted(backlog.field, columns);
  return text;
}

std::string state_bytes(const StateView& state) {
  return human_bytes(state.shallow_bytes) + ' ' +
         (state.state == HeapState::kFinal ? "wait for finalizers"
                                           : std::string(phrase(state.state)));
}

}  // namespace

std::string_view word(HeapState state) {
  const auto at = static_cast<std::size_t>(state);
  return at < kStateWords.size() ? kStateWords[at] : "unknown";
}
std::string_view phrase(HeapState state) {
  const auto at = static_cast<std::size_t>(state);
  return at < kStatePhrases.size() ? kStatePhrases[at] : "in a state that is not known here";
}

std::uint64_t StatesView::bytes() const {
  std::uint64_t sum = 0;
  for (const StateView& one : states) sum += one.shallow_bytes;
  return sum;
}
StateView StatesView::of(HeapState state) const {
  const auto at = std::ranges::find(states, state, &StateView::state);
  return at == states.end() ? StateView{} : *at;
}
const BacklogView* StatesView::finalizers() const {
  const auto at = std::ranges::find(backlogs, true, &BacklogView::finalizers);
  return at == backlogs.end() ? nullptr : &*at;
}

StatesView states_view(const ReportNames& names, const report::StateFacts& from) {
  StatesView view;
  for (const auto* row : *from.states()) view.states.push_back(state_view(names, *row));
  for (const auto* row : *from.backlogs()) view.backlogs.push_back(backlog_view(names, *row));
  if (const report::UnreachedFacts* more = from.unreached(); more != nullptr)
    view.unreached = {more->objects(),      more->shallow_bytes(),     more->buffer_bytes(),
                      more->unread_bytes(), class_views(names, *more), more->classes_total()};
  return view;
}

std::string group_sentence(const StateView& state, const StateGroupView& group,
                           std::size_t columns) {
  const std::string name = fitted(group.class_name, columns);
  std::string text = group.instances == 1 ? "One " + name + " retains "
                                          : thousands(group.instances) + ' ' + name + " retain ";
  text += human_bytes(group.retained_bytes) + " (" +
          percent(group.retained_bytes, state.shallow_bytes) + " of what is " +
          std::string(phrase(state.state)) + ')';
  if (!group.holder_class.empty())
    text += ", held by an object of class " + fitted(group.holder_class, columns);
  return text;
}

std::string unreached_sentence(const UnreachedView& unreached) {
  std::string text = human_bytes(unreached.shallow_bytes) + " unreachable in " +
                     counted(unreached.objects, "object");
  if (unreached.buffer_bytes != 0)
    text += ", " + human_bytes(unreached.buffer_bytes) + " unused in allocation buffers";
  if (unreached.unread_bytes != 0) text += ", " + human_bytes(unreached.unread_bytes) + " not read";
  return text;
}

std::string drain_text(const BacklogView& backlog, std::size_t columns) {
  if (!backlog.thread_found) return "no thread is seen that takes them out";
  std::string text = backlog.thread.empty() ? "the thread that takes them out"
                                            : "thread \"" + fitted(backlog.thread, columns) + '"';
  if (backlog.frames.empty()) return text + " should take them out";
  text += " is in ";
  for (std::size_t i = 0; i < std::min(backlog.frames.size(), kDrainFramesShown); ++i) {
    if (i != 0) text += " ← ";
    text += fitted(backlog.frames[i].first, columns) + '.' +
            fitted(backlog.frames[i].second, columns) + "()";
  }
  return text;
}

std::string backlog_sentence(const BacklogView& backlog, std::size_t columns) {
  const bool of_heap = !backlog.reference_class.empty();
  std::string text =
      of_heap ? thousands(backlog.waiting) + ' ' + fitted(backlog.reference_class, columns)
              : counted(backlog.waiting, "object");
  text += backlog.waiting == 1 ? " waits in " : " wait in ";
  text += queue_text(backlog, columns);
  if (backlog.referents != 0)
    text += ", " + thousands(backlog.referents) + " of them " + (of_heap ? "for " : "") +
            fitted(backlog.referent_class, columns);
  text += " (they retain " + human_bytes(backlog.retained_bytes) + ')';
  return text + "; " + drain_text(backlog, columns);
}

std::uint64_t not_reached_bytes(const ReportView& view) {
  const std::uint64_t used = view.dump.heap_used_before_bytes;
  if (!view.states || view.dump.imported()) return 0;
  return used - std::min(used, view.states->bytes());
}

std::string accounted_text(const ReportView& view) {
  std::string text =
      human_bytes(view.whole_bytes()) + " held by " + counted(view.whole_objects(), "object");
  if (!view.states) return text;
  const std::uint64_t all = view.states->bytes();
  std::string within;
  std::uint64_t others = 0;
  for (const StateView& one : view.states->states) {
    const bool worth_saying =
        one.shallow_bytes != 0 && one.shallow_bytes >= all / kWorthSayingDivisor;
    if (one.held) {
      if (worth_saying && one.state != HeapState::kStrong)
        within += (within.empty() ? " (" : ", ") + state_bytes(one);
    } else if (worth_saying) {
      continue;
    } else {
      others += one.shallow_bytes;
    }
  }
  if (!within.empty()) text += within + ')';
  for (const StateView& one : view.states->states)
    if (!one.held && one.shallow_bytes != 0 && one.shallow_bytes >= all / kWorthSayingDivisor)
      text += "; " + state_bytes(one);
  if (others != 0) text += "; " + human_bytes(others) + " held weakly or not at all";
  if (const std::uint64_t rest = not_reached_bytes(view); rest != 0)
    text +=
        "; " + (view.states->unreached
                    ? unreached_sentence(*view.states->unreached)
                    : human_bytes(rest) + " not reached: garbage, or room in allocation buffers");
  return text;
}

}  // namespace holdfast::cli
