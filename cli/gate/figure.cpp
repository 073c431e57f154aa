#include "cli/gate/figure.h"

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <unordered_set>

#include "analysis/name_pattern.h"
#include "analysis/packages.h"
#include "analysis/suspect_evidence.h"
#include "cli/text/number_text.h"

namespace holdfast::cli {
namespace {

constexpr double kNoBound = std::numeric_limits<double>::infinity();
constexpr std::string_view kGap = "…";          // what a cut name has in its middle
constexpr std::size_t kLongestWholeName = 512;  // no shorter name is cut (FORMAT.md)
constexpr std::size_t kMostSuspects = 20;       // a report lists no more (FORMAT.md)

// Rows of a strange report may come to more than there are numbers: a sum that began anew at 0 would hold.
void add_to(std::uint64_t& sum, std::uint64_t value) {
  sum = value > UINT64_MAX - sum ? UINT64_MAX : sum + value;
}

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

std::string_view fixed_start(std::string_view pattern) {
  return pattern.substr(0, pattern.find_first_of("*?"));
}
std::string_view fixed_end(std::string_view pattern) {
  const std::size_t last = pattern.find_last_of("*?");
  return last == std::string_view::npos ? pattern : pattern.substr(last + 1);
}
bool is_plain(std::string_view pattern) { return fixed_start(pattern).size() == pattern.size(); }

// One begins, or ends, as the other does as far as both go.
bool agree_at_start(std::string_view a, std::string_view b) {
  const std::size_t both = std::min(a.size(), b.size());
  return a.substr(0, both) == b.substr(0, both);
}
bool agree_at_end(std::string_view a, std::string_view b) {
  const std::size_t both = std::min(a.size(), b.size());
  return a.substr(a.size() - both) == b.substr(b.size() - both);
}

// Can a name of which the middle, or all, is lost be one that the pattern matches?
bool may_match_cut(std::string_view pattern, std::string_view name) {
  const std::size_t gap = name.find(kGap);
  if (gap == std::string_view::npos) return name.empty();
  const std::string_view front = name.substr(0, gap);
  if (!front.empty() && is_plain(pattern) && pattern.size() <= kLongestWholeName) return false;
  const std::string_view end = name.substr(gap + kGap.size());
  return agree_at_start(fixed_start(pattern), front) && agree_at_end(fixed_end(pattern), end);
}

bool lost_references(const ReportView& view) {
  const LossView& losses = view.losses;
  return losses.input_damaged ||
         (!losses.imported && (losses.roots_dropped > 0 || losses.references_to_unknown > 0));
}

// The package P of a pattern P.*, whose classes are those of the packages P and P.*.
std::string_view package_prefix(std::string_view pattern) {
  if (!pattern.ends_with(".*") || pattern.find_first_of("<[/") != std::string_view::npos) return {};
  const std::string_view package = pattern.substr(0, pattern.size() - 2);
  return is_plain(package) ? package : std::string_view{};
}

bool is_within(std::string_view package, std::string_view name) {
  return name == package ||
         (name.size() > package.size() && name.starts_with(package) && name[package.size()] == '.');
}

constexpr const char* kNoClasses = "the classes were left out of this report (see TIME)";

struct Sum {
  std::uint64_t instances = 0;
  std::uint64_t shallow_bytes = 0;
};
template <class Row>
void add(Sum& sum, const Row& row) {
  add_to(sum.instances, row.instances);
  add_to(sum.shallow_bytes, row.shallow_bytes);
}
Sum less(const Sum& from, const Sum& what) {
  return {from.instances - std::min(from.instances, what.instances),
          from.shallow_bytes - std::min(from.shallow_bytes, what.shallow_bytes)};
}
Sum smaller(const Sum& a, const Sum& b) {
  return {std::min(a.instances, b.instances), std::min(a.shallow_bytes, b.shallow_bytes)};
}
bool any(const Sum& sum) { return sum.instances > 0 || sum.shallow_bytes > 0; }

constexpr std::string_view kClasses = "classes", kPackages = "packages", kLoaders = "class loaders";

// What a pattern chooses: rows, and what may belong to them unseen.
struct Chosen {
  std::vector<MatchedRow> rows;
  Sum hidden;
  std::uint64_t hidden_rows = 0;     // at most
  std::string_view many = kClasses;  // of what
};

class Chooser {
 public:
  Chooser(std::string_view pattern, const ReportView& view) : pattern_(pattern), view_(view) {}

  // `by_packages`: where the pattern is that of a package, its row says it all.
  Chosen classes(bool by_packages) const {
    const std::string_view package = package_prefix(pattern_);
    if (by_packages && !package.empty() && view_.packages_total > 0) return within_package(package);
    Chosen chosen;
    for (const ClassView& row : view_.classes) {
      const MatchedRow matched{row.name,
                               row.loader,
                               row.instances,
                               row.shallow_bytes,
                               row.retained_bytes,
                               row.largest_retained_bytes,
                               1};
      take(chosen, matched, matches(row.name));
    }
    add_hidden_classes(chosen);
    return chosen;
  }

  Chosen packages() const {
    return sets(kPackages, view_.packages, view_.packages_total, view_.rest_of_packages);
  }
  Chosen loaders() const {
    return sets(kLoaders, view_.loaders, view_.loaders_total, view_.rest_of_loaders);
  }

 private:
  Chosen sets(std::string_view many, const std::vector<SetView>& sets, std::uint64_t total,
              const SetView& rest) const {
    Chosen chosen;
    chosen.many = many;
    for (const SetView& set : sets) take(chosen, row_of(set), matches(set.name));
    add_hidden_sets(chosen, sets, total, rest);
    return chosen;
  }

  bool matches(std::string_view name) const { return analysis::name_matches(pattern_, name); }
  static MatchedRow row_of(const SetView& set) {
    return {set.name, {}, set.instances, set.shallow_bytes, set.retained_bytes, 0, set.class_count};
  }

  void take(Chosen& chosen, const MatchedRow& row, bool matches) const {
    if (matches) return chosen.rows.push_back(row);
    const bool no_class = chosen.many != kClasses;  // a set without a name is the one of arrays
    if ((no_class && row.name.empty()) || !may_match_cut(pattern_, row.name)) return;
    add(chosen.hidden, row);
    ++chosen.hidden_rows;
  }
  static void add_hidden_sets(Chosen& chosen, const std::vector<SetView>& sets, std::uint64_t total,
                              const SetView& rest) {
    if (total <= sets.size()) return;
    add(chosen.hidden, rest);
    add_to(chosen.hidden_rows, total - sets.size());
  }

  Chosen within_package(std::string_view package) const {
    Chosen chosen;
    chosen.many = kPackages;
    for (const SetView& set : view_.packages)
      take(chosen, row_of(set), is_within(package, set.name));
    add_hidden_sets(chosen, view_.packages, view_.packages_total, view_.rest_of_packages);
    return chosen;
  }

  void add_hidden_classes(Chosen& chosen) const {
    if (view_.classes_total <= view_.classes.size()) return;
    Sum hidden;
    add(hidden, view_.rest_of_classes);
    hidden = smaller(smaller(hidden, hidden_by_packages()), hidden_by_loaders(chosen));
    if (!any(hidden)) return;
    add(chosen.hidden, hidden);
    add_to(chosen.hidden_rows, view_.classes_total - view_.classes.size());
  }

  // What packages that may have a matching class have beside the classes that are listed.
  Sum hidden_by_packages() const {
    if (view_.packages_total == 0) return kAnything;
    const std::string_view own = analysis::package_of(pattern_);
    const auto may_have = [&](std::string_view package) {
      return is_plain(pattern_) ? package == own : agree_at_start(fixed_start(pattern_), package);
    };
    Sum all, listed;
    for (const SetView& set : view_.packages)
      if (may_have(set.name)) add(all, set);
    const bool listed_itself =
        is_plain(pattern_) &&
        std::ranges::find(view_.packages, own, &SetView::name) != view_.packages.end();
    if (!listed_itself && view_.packages_total > view_.packages.size())
      add(all, view_.rest_of_packages);
    for (const ClassView& row : view_.classes)
      if (may_have(analysis::package_of(row.name))) add(listed, row);
    return less(all, listed);
  }

  // Loaders that cannot have a class of the pattern's name beside the listed ones: those of the listed ones, and with one that is
  // built in all that are, because they ask each other first. A name that several loaders have tells none of them.
  std::unordered_set<std::string_view> exhausted_loaders(const Chosen& chosen) const {
    std::unordered_map<std::string_view, int> loaders_of_name;
    for (const SetView& set : view_.loaders) ++loaders_of_name[set.name];
    std::unordered_set<std::string_view> exhausted;
    for (const MatchedRow& row : chosen.rows)
      if (!row.loader.empty() && loaders_of_name[row.loader] == 1) exhausted.insert(row.loader);
    const auto builtin_found = [&](const SetView& set) {
      return set.builtin && exhausted.contains(set.name);
    };
    if (std::ranges::none_of(view_.loaders, builtin_found)) return exhausted;
    for (const SetView& set : view_.loaders)
      if (set.builtin && loaders_of_name[set.name] == 1) exhausted.insert(set.name);
    return exhausted;
  }

  Sum hidden_by_loaders(const Chosen& chosen) const {
    if (!is_plain(pattern_)) return kAnything;
    const auto exhausted = exhausted_loaders(chosen);
    Sum all, listed;
    for (const SetView& set : view_.loaders)
      if (!exhausted.contains(set.name)) add(all, set);
    add(all, view_.rest_of_loaders);
    for (const ClassView& row : view_.classes)
      if (!exhausted.contains(row.loader)) add(listed, row);
    return less(all, listed);
  }

  static constexpr Sum kAnything{UINT64_MAX, UINT64_MAX};
  std::string_view pattern_;
  const ReportView& view_;
};

class Measurer {
 public:
  Measurer(const Assertion& assertion, const ReportView& view) : a_(assertion), view_(view) {}

  Figure figure() const {
    if (a_.measure == Measure::kReachable) return unknown("this report has no reachable sizes");
    switch (a_.subject) {
      case Subject::kTotal:
        return total();
      case Subject::kHeap:
        return heap();
      case Subject::kSuspects:
        return suspects();
      case Subject::kClasses:
      case Subject::kLoaders:
      case Subject::kPackages:
        break;
    }
    return of_pattern();
  }

 private:
  bool of_retained() const {
    return a_.measure == Measure::kRetained || a_.measure == Measure::kLargest;
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
    const auto count =
        a_.measure == Measure::kAll
            ? view_.suspects.size()
            : static_cast<std::size_t>(std::ranges::count_if(view_.suspects, is_loud));
    Figure figure = exactly(count);
    if (view_.suspects.size() >= kMostSuspects) {
      figure.most = kNoBound;
      figure.doubt = "a report lists no more than " + thousands(kMostSuspects) + " suspects";
    }
    return as_far_as_complete(figure);
  }

  Chosen chosen() const {
    const Chooser chooser(a_.pattern, view_);
    if (a_.subject == Subject::kClasses) return chooser.classes(a_.measure != Measure::kLargest);
    return a_.subject == Subject::kLoaders ? chooser.loaders() : chooser.packages();
  }

  Figure of_pattern() const {
    if (view_.left_out("classes")) return unknown(kNoClasses);
    if (of_retained())
      if (std::string why = no_retained(); !why.empty()) return unknown(std::move(why));
    if (a_.subject == Subject::kPackages && view_.packages_total == 0 && view_.classes_total > 0)
      return unknown("this report does not list packages");
    Chosen found = chosen();
    std::ranges::stable_sort(found.rows, std::ranges::greater{},
                             [&](const MatchedRow& row) { return measure_of(row, a_.measure); });
    Figure figure = of_retained() ? retained(found) : summed(found);
    add_unknown_classes(figure);
    figure.chosen = true;
    figure.rows = std::move(found.rows);
    return as_far_as_complete(std::move(figure));
  }

  static std::string hidden_text(const Chosen& found) {
    return "this report does not list " + thousands(found.hidden_rows) + ' ' +
           std::string(found.many) + " by name, and the pattern may match some of them";
  }

  Figure summed(const Chosen& found) const {
    std::uint64_t sum = 0;
    for (const MatchedRow& row : found.rows) add_to(sum, measure_of(row, a_.measure));
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
  Figure retained(const Chosen& found) const {
    std::uint64_t largest = 0, sum = 0;
    for (const MatchedRow& row : found.rows) {
      largest = std::max(largest, measure_of(row, a_.measure));
      add_to(sum, measure_of(row, a_.measure));
    }
    Figure figure = exactly(largest);
    const auto held = static_cast<double>(view_.graph->held_bytes);
    if (a_.measure == Measure::kRetained && found.rows.size() > 1) {
      figure.most = std::min(static_cast<double>(sum), held);
      figure.doubt = thousands(found.rows.size()) + ' ' + std::string(found.many) +
                     " match, and what they retain overlaps; a narrower pattern tells more";
    }
    if (any(found.hidden)) {
      figure.most = std::max(held, figure.most);
      figure.doubt = hidden_text(found);
    }
    if (a_.subject == Subject::kClasses && a_.measure == Measure::kRetained)
      figure.least = std::min(std::max(figure.least, retained_in_tree()), figure.most);
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

std::uint64_t measure_of(const MatchedRow& row, Measure measure) {
  switch (measure) {
    case Measure::kInstances:
      return row.instances;
    case Measure::kShallow:
      return row.shallow_bytes;
    case Measure::kRetained:
      return row.retained_bytes;
    case Measure::kLargest:
      return row.largest_retained_bytes;
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
