#include "cli/gate/figure.h"

#include <algorithm>
#include <limits>

#include "analysis/name_pattern.h"
#include "analysis/suspect_evidence.h"
#include "cli/gate/account_figure.h"
#include "cli/gate/age_figure.h"
#include "cli/text/number_text.h"

namespace holdfast::cli {
namespace {

constexpr double kNoBound = std::numeric_limits<double>::infinity();
constexpr std::size_t kMostSuspects = 20;  // the analysis names no more (report-format.md)

Figure unknown(std::string why) {
  Figure figure;
  figure.known = false;
  figure.doubt = std::move(why);
  return figure;
}

Figure exactly(std::uint64_t value) {
  Figure figure;
  figure.least = figure.most = static_cast<double>(value);
  return figure;
}

bool lost_references(const ReportView& view) {
  const LossView& losses = view.losses;
  return losses.input_damaged ||
         (!losses.imported && (losses.roots_dropped > 0 || losses.references_to_unknown > 0));
}

constexpr const char* kNoClasses = "the classes were left out of this report (see TIME)";

class Measurer {
 public:
  Measurer(const Assertion& assertion, const ReportView& view) : a_(assertion), view_(view) {}

  Figure figure() const {
    if (a_.measure == Measure::kReachable)
      if (std::string why = no_reachable(); !why.empty()) return unknown(std::move(why));
    switch (a_.subject) {
      case Subject::kTotal:
        return total();
      case Subject::kHeap:
        return heap();
      case Subject::kSuspects:
        return suspects();
      case Subject::kState:
        return state();
      case Subject::kAccount:
        return account_figure(a_, view_);
      case Subject::kPilingUp:
        return piling_up_figure(a_, view_);
      case Subject::kLoitering:
        return loitering_figure(a_, view_);
      case Subject::kClasses:
      case Subject::kLoaders:
      case Subject::kPackages:
        break;
    }
    if (of_ages(a_.measure)) return old_figure(a_, view_);
    return of_sampled_ages(a_.measure) ? sampled_old() : of_pattern();
  }

 private:
  // Garbage that no collection has looked for is among the samples; what is kept is at most what the dump counted.
  Figure sampled_old() const {
    Figure figure = sampled_old_figure(a_, view_);
    if (!figure.known || view_.left_out("classes")) return figure;
    Assertion counted = a_;
    counted.measure = a_.in_bytes() ? Measure::kShallow : Measure::kInstances;
    figure.most = std::min(figure.most, Measurer(counted, view_).of_pattern().most);
    figure.least = std::min(figure.least, figure.most);
    return figure;
  }

  bool of_retained() const {
    return a_.measure == Measure::kRetained || a_.measure == Measure::kLargest;
  }

  bool of_single_objects() const {
    return a_.measure == Measure::kLargest || a_.measure == Measure::kReachable;
  }

  // Why there are no retained sizes; empty: there are.
  std::string no_retained() const {
    if (view_.graph && !view_.has_retained())
      return "retained sizes were left out of this report, or not asked for (analyses=)";
    if (view_.graph && a_.subject == Subject::kLoaders && !view_.loaders_have_retained())
      return "retained sizes of loaders were left out of this report, or not asked for (analyses=)";
    if (view_.graph) return "";
    return view_.dump.extended
               ? "the graph of this report was written to a file and not analysed, so it has no "
                 "retained sizes; 'holdfast analyze' finds them"
               : "this report is a simple dump, which follows no references, so it has no retained "
                 "sizes; 'holdfast dump PID --extended' takes one that has";
  }

  // The same of reachable sizes.
  std::string no_reachable() const {
    if (a_.subject != Subject::kClasses)
      return "reports have reachable sizes of objects and classes alone";
    if (view_.reachable) return "";
    return "this report has no reachable sizes: they were left out, not asked for (analyses=), or "
           "it is of a version before 1.4";
  }

  // A capture that lost GC roots or references counted too little; retained sizes may then be anything.
  Figure as_far_as_complete(Figure figure) const {
    if (!figure.known || !lost_references(view_)) return figure;
    if (of_retained()) figure.least = 0;
    figure.most = kNoBound;
    figure.doubt =
        "the picture is incomplete: GC roots, references or a part of the input were lost";
    return figure;
  }

  Figure total() const {
    if (view_.left_out("classes")) return unknown(kNoClasses);
    if (a_.measure == Measure::kRetained)
      if (std::string why = no_retained(); !why.empty()) return unknown(std::move(why));
    const std::uint64_t value = a_.measure == Measure::kInstances ? view_.whole_objects()
                                : a_.measure == Measure::kClasses ? view_.classes_total
                                                                  : view_.whole_bytes();
    return as_far_as_complete(exactly(value));
  }

  Figure heap() const {
    const DumpView& dump = view_.dump;
    const std::uint64_t value = a_.measure == Measure::kUsed        ? dump.heap_used_before_bytes
                                : a_.measure == Measure::kCommitted ? dump.heap_committed_bytes
                                                                    : dump.heap_max_bytes;
    if (value > 0) return exactly(value);
    return unknown("this report does not say how large the heap was");
  }

  // A capture that follows references passes over what is unreachable. Where that was counted afterwards, only what could not be read
  // is in doubt; else it is no more than the rest of the heap in use.
  Figure state() const {
    if (!view_.states)
      return unknown(
          "this report does not say what fills the heap by state: it has no object graph, the pass "
          "was left out, or it is of an older version");
    const auto& states = view_.states->states;
    const auto row = std::ranges::find_if(
        states, [&](const StateView& one) { return word(one.state) == a_.pattern; });
    const StateView found = row == states.end() ? StateView{} : *row;
    Figure figure = exactly(a_.in_bytes() ? found.shallow_bytes : found.objects);
    if (a_.pattern != word(HeapState::kUnreachable)) return as_far_as_complete(std::move(figure));
    std::uint64_t rest = not_reached_bytes(view_);
    if (const auto& counted_later = view_.states->unreached) {
      figure = exactly(a_.in_bytes() ? found.shallow_bytes + counted_later->shallow_bytes
                                     : found.objects + counted_later->objects);
      rest = counted_later->unread_bytes;
    }
    if (rest > 0) {
      figure.most = a_.in_bytes() ? figure.most + static_cast<double>(rest) : kNoBound;
      figure.doubt = human_bytes(rest) +
                     " of the heap in use were not reached: garbage, or room in allocation buffers";
    }
    return as_far_as_complete(std::move(figure));
  }

  Figure suspects() const {
    const auto pass = std::ranges::find(view_.passes, "suspects", &PassView::name);
    if (!view_.graph || pass == view_.passes.end() || !pass->left_out.empty())
      return unknown(
          view_.graph
              ? "leak suspects were not looked for in this report"
              : "this report has no object graph, so leak suspects were not looked for in it");
    const auto is_loud = [](const SuspectView& suspect) {
      return static_cast<int>(suspect.confidence_percent) >= analysis::confidence::kLoud;
    };
    const std::size_t unlisted = view_.suspects_unlisted.value_or(0);
    const bool all = a_.measure == Measure::kAll;
    const auto loud = static_cast<std::size_t>(std::ranges::count_if(view_.suspects, is_loud));
    Figure figure = exactly(all ? view_.suspects.size() + unlisted : loud);
    if (!all && unlisted > 0) {
      figure.most += static_cast<double>(unlisted);
      figure.doubt = "this report does not list " + counted(unlisted, "suspect");
    }
    if (!view_.suspects_unlisted || view_.suspects.size() + unlisted >= kMostSuspects) {
      figure.most = kNoBound;
      figure.doubt =
          view_.suspects_unlisted
              ? "no more than " + thousands(kMostSuspects) + " suspects are counted"
              : "this report, of an older version, does not say whether it lists all suspects";
    }
    return as_far_as_complete(figure);
  }

  ChosenRows chosen() const {
    if (a_.subject == Subject::kClasses)
      return choose_classes(a_.pattern, view_, !of_single_objects());
    return a_.subject == Subject::kLoaders ? choose_loaders(a_.pattern, view_)
                                           : choose_packages(a_.pattern, view_);
  }

  Figure of_pattern() const {
    if (view_.left_out("classes")) return unknown(kNoClasses);
    if (of_retained())
      if (std::string why = no_retained(); !why.empty()) return unknown(std::move(why));
    if (a_.subject == Subject::kPackages && view_.packages_total == 0 && view_.classes_total > 0)
      return unknown("this report does not list packages");
    ChosenRows found = chosen();
    std::ranges::stable_sort(found.rows, std::ranges::greater{},
                             [&](const MatchedRow& row) { return measure_of(row, a_); });
    Figure figure = a_.measure == Measure::kReachable ? reachable(found)
                    : of_retained()                   ? retained(found)
                                                      : summed(found);
    add_unknown_classes(figure);
    figure.chosen = true;
    figure.rows = std::move(found.rows);
    return as_far_as_complete(std::move(figure));
  }

  static std::string hidden_text(const ChosenRows& found) {
    return "this report does not list " + thousands(found.hidden_rows) + ' ' +
           std::string(found.many) + " by name, and the pattern may match some of them";
  }

  Figure summed(const ChosenRows& found) const {
    std::uint64_t sum = 0;
    for (const MatchedRow& row : found.rows) add_to(sum, measure_of(row, a_));
    Figure figure = exactly(sum);
    if (found.hidden_rows == 0) return figure;
    figure.most +=
        static_cast<double>(a_.measure == Measure::kInstances ? found.hidden.instances
                            : a_.measure == Measure::kShallow ? found.hidden.shallow_bytes
                                                              : UINT64_MAX);
    if (!figure.exact()) figure.doubt = hidden_text(found);
    return figure;
  }

  // Retained sizes of sets overlap: together at least the largest and at most the sum.
  Figure retained(const ChosenRows& found) const {
    std::uint64_t largest = 0, sum = 0;
    for (const MatchedRow& row : found.rows) {
      largest = std::max(largest, measure_of(row, a_));
      add_to(sum, measure_of(row, a_));
    }
    Figure figure = exactly(largest);
    const auto held = static_cast<double>(view_.graph->held_bytes);
    if (a_.measure == Measure::kRetained && found.rows.size() > 1) {
      figure.most = std::min(static_cast<double>(sum), held);
      figure.doubt = thousands(found.rows.size()) + ' ' + std::string(found.many) +
                     " match, and what they retain overlaps; a narrower pattern shows more";
    }
    if (found.hidden.any()) {
      figure.most = std::max(held, figure.most);
      figure.doubt = hidden_text(found);
    }
    if (a_.subject == Subject::kClasses && a_.measure == Measure::kRetained)
      figure.least = std::min(std::max(figure.least, retained_in_tree()), figure.most);
    return figure;
  }

  // Of one object; an estimate is off by more than three standard errors once in 400 times.
  Figure reachable(const ChosenRows& found) const {
    std::uint64_t largest = 0;
    bool estimated = false;
    for (const MatchedRow& row : found.rows) {
      largest = std::max(largest, row.largest_reachable_bytes);
      estimated = estimated || row.reachable_estimated;
    }
    Figure figure = exactly(largest);
    if (estimated) {
      const double error = 3 * figure.least * view_.reachable->error_per_mille / 1000;
      figure.least = std::max(0.0, figure.least - error);
      figure.most += error;
      figure.doubt = "the reachable size is an estimate";
    }
    if (found.hidden.any()) {
      figure.most = std::max(static_cast<double>(view_.graph->held_bytes), figure.most);
      figure.doubt = hidden_text(found);
    }
    return figure;
  }

  // What the upper dominator tree shows of the classes: subtrees share nothing, so those of the topmost matching nodes add up.
  double retained_in_tree() const {
    std::uint64_t sum = 0;
    std::vector<bool> inside(view_.tree.size());
    for (const TreeNodeView& node : view_.tree) {  // parents come first
      const bool below = node.parent != kNoRow && inside[node.parent];
      const std::string_view name = node.object ? node.object->class_name : node.group_class;
      const bool matches = analysis::name_matches(a_.pattern, name);
      if (matches && !below) add_to(sum, node.retained_bytes);
      inside[node.id] = below || matches;
    }
    return static_cast<double>(sum);
  }

  void add_unknown_classes(Figure& figure) const {
    const std::uint64_t objects = view_.losses.objects_unknown_class;
    if (objects == 0) return;
    figure.most =
        a_.measure == Measure::kInstances ? figure.most + static_cast<double>(objects) : kNoBound;
    figure.doubt = counted(objects, "object") + " of this report " + (objects == 1 ? "is" : "are") +
                   " of unknown class";
  }

  const Assertion& a_;
  const ReportView& view_;
};

}  // namespace

std::uint64_t measure_of(const MatchedRow& row, const Assertion& assertion) {
  switch (assertion.measure) {
    case Measure::kAll:
      return assertion.in_bytes() ? row.shallow_bytes : row.instances;
    case Measure::kInstances:
    case Measure::kOldInstances:
    case Measure::kSampledOldInstances:
      return row.instances;
    case Measure::kShallow:
    case Measure::kOldShallow:
    case Measure::kSampledOldShallow:
      return row.shallow_bytes;
    case Measure::kRetained:
      return row.retained_bytes;
    case Measure::kLargest:
      return row.largest_retained_bytes;
    case Measure::kReachable:
      return row.largest_reachable_bytes;
    case Measure::kClasses:
      return row.class_count;
    default:
      return 0;
  }
}

Figure measure(const Assertion& assertion, const ReportView& view) {
  return Measurer(assertion, view).figure();
}

}  // namespace holdfast::cli
