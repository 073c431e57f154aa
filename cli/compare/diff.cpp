#include "cli/compare/diff.h"

#include "common/time_units.h"
#include "common/triggers/growing_classes.h"

#include <algorithm>
#include <iterator>

#include "cli/compare/change_text.h"
#include "cli/report/verdict.h"
#include "cli/text/class_name.h"
#include "cli/text/display_text.h"
#include "cli/text/number_text.h"

namespace holdfast::cli {
namespace {

constexpr std::int64_t kWorthNaming =
    10'000;  // one in so many of what grew most; in simple dumps the arrays have nearly all

std::string name_text(std::string_view name, std::size_t columns) {
  if (name.empty()) return "(objects of unknown class)";
  return columns == kFullNames ? std::string(name) : shorten_name(printable(name), columns);
}

std::string time_text(const Diff& diff) {
  const std::int64_t ms = diff.elapsed_ms();
  if (ms == 0) return "";
  const auto size = static_cast<std::uint64_t>(ms < 0 ? -ms : ms);
  return (ms < 0 ? ", going back " : " in ") + human_duration(size * kNsPerMs);
}

// "retained size +48.3 MB (12.7 MB → 61.0 MB), +3,812 instances"
std::string growth_text(const RowChange& row, ClassOrder order) {
  std::string text(order == ClassOrder::kInstances ? "" : figure_name(order));
  if (!text.empty()) text += ' ';
  text += change_text(row.before, row.after, order);
  if (order == ClassOrder::kInstances) text += " instances";
  const auto both = [&](Presence p) { return row.before.presence == p && row.after.presence == p; };
  if (row.fresh())
    text += ", new";
  else if (row.gone())
    text += ", gone";
  else if (both(Presence::kListed))
    text += " (" + side_text(row.before, order) + " → " + side_text(row.after, order) + ')';
  if (order == ClassOrder::kInstances) return text;
  const std::int64_t instances = certain_change(row.before, row.after, ClassOrder::kInstances);
  if (instances == 0) return text;
  return text + ", " + change_text(row.before, row.after, ClassOrder::kInstances) + " instances";
}

bool own(const RowChange& row) { return !row.platform && is_telling(row.name); }

struct Extremes {
  const RowChange* grown = nullptr;
  const RowChange* own_grown = nullptr;
  const RowChange* shrunk = nullptr;
};

// Beside 100 MB of arrays one more lambda of 16 bytes is no news.
std::int64_t worth_naming(const Extremes& found, const Diff& diff) {
  return certain_change(found.grown->before, found.grown->after, diff.order) / kWorthNaming;
}

Extremes extremes_of(const Diff& diff) {
  Extremes found;
  const ChangeSelection all =
      select_changes(diff.comparison.classes, diff.order, kAllRows, diff.filter);
  for (const RowChange* row : all.rows) {  // the largest change first
    const std::int64_t certain = certain_change(row->before, row->after, diff.order);
    if (certain > 0 && found.grown == nullptr) found.grown = row;
    if (certain > 0 && found.own_grown == nullptr && own(*row) &&
        certain >= worth_naming(found, diff))
      found.own_grown = row;
    if (certain < 0 && found.shrunk == nullptr) found.shrunk = row;
  }
  return found;
}

// What the program wrote itself tells more than the tables and arrays that it holds, unless it is the smaller part.
bool leads(const Extremes& found, ClassOrder order) {
  if (found.own_grown == nullptr) return false;
  return certain_change(found.own_grown->before, found.own_grown->after, order) >=
         certain_change(found.grown->before, found.grown->after, order) / 2;
}

std::string unchanged_verdict(const Diff& diff) {
  const std::string which = diff.filter.empty() ? "No class" : "None of the chosen classes";
  return which + " changed in " + std::string(figure_name(diff.order)) + time_text(diff);
}

}  // namespace

bool Diff::warned(std::string_view code) const {
  return std::ranges::any_of(warnings, [code](const CompareWarning& w) { return w.code == code; });
}

Diff make_diff(const ReportView& before, const ReportView& after, const std::string& before_file,
               const std::string& after_file, std::optional<ClassOrder> order, NameFilter filter) {
  Diff diff;
  diff.before = facts_of(before, before_file);
  diff.after = facts_of(after, after_file);
  diff.comparison = compare(before, after);
  diff.warnings = warnings_of(diff.before, diff.after);
  std::ranges::move(account_warnings(before, after), std::back_inserter(diff.warnings));
  diff.accounts = account_changes(before, after, same_process(diff.before, diff.after));
  std::ranges::move(tracking_warnings(before, after), std::back_inserter(diff.warnings));
  diff.objects = object_changes(before, after, same_process(diff.before, diff.after));
  diff.filter = std::move(filter);
  const bool retained = diff.comparison.retained;
  diff.order = order.value_or(retained ? ClassOrder::kRetained : ClassOrder::kShallow);
  if (diff.order == ClassOrder::kRetained && !retained) {
    diff.order = ClassOrder::kShallow;
    diff.warnings.push_back(
        {"sorted_by_shallow", "sorted by shallow size: not both reports have retained sizes"});
  }
  return diff;
}

ClassOrder packages_order(const Diff& diff) {
  const bool summed = diff.comparison.packages_summed && diff.order == ClassOrder::kRetained;
  return summed ? ClassOrder::kShallow : diff.order;
}

std::string diff_verdict(const Diff& diff, std::size_t columns) {
  if (diff.warned("same_dump")) return "The same dump twice: nothing to compare";
  const Extremes found = extremes_of(diff);
  if (found.grown == nullptr) {
    if (found.shrunk == nullptr) return unchanged_verdict(diff);
    return "No class grew; " + name_text(found.shrunk->name, columns) +
           " shrank most: " + growth_text(*found.shrunk, diff.order) + time_text(diff);
  }
  const bool lead = leads(found, diff.order);
  const RowChange& first = lead ? *found.own_grown : *found.grown;
  const bool strangers = diff.warned("different_program");
  std::string text =
      name_text(first.name, columns) + (strangers ? " has most more in the second" : " grew most") +
      (lead && found.own_grown != found.grown ? " of the program's own classes: " : ": ") +
      growth_text(first, diff.order) + time_text(diff);
  const RowChange* const second = lead ? found.grown : found.own_grown;
  if (second == nullptr || second == &first) return text;
  return text + (lead ? "; of all " : "; of the program's own classes ") +
         name_text(second->name, columns) + ": " + growth_text(*second, diff.order);
}

std::string_view diff_meaning(const Diff& diff) {
  if (diff.warned("different_program"))
    return "Reports of different programs: a comparison, not a development.";
  if (diff.warned("different_process"))
    return "Two processes, a moment of each: a difference, no trend. 'holdfast trend' tests what "
           "grows, with several reports of one process.";
  return "Two reports are two points: a difference, no trend. 'holdfast trend' tests whether it "
         "goes on, with more of them.";
}

}  // namespace holdfast::cli
