#include "cli/gate/judgement.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cli/compare/report_facts.h"
#include "cli/report/nearest_name.h"
#include "cli/text/number_text.h"

namespace holdfast::cli {
namespace {

bool holds(Relation comparison, double value, double limit) {
  switch (comparison) {
    case Relation::kAtMost:
      return value <= limit;
    case Relation::kBelow:
      return value < limit;
    case Relation::kAtLeast:
      return value >= limit;
    case Relation::kAbove:
      return value > limit;
    case Relation::kEqual:
      return value == limit;
    case Relation::kUnequal:
      break;
  }
  return value != limit;
}

// For every figure from `least` to `most`, for none, or for some. What lies between two bounds that both differ may be equal.
Ruling ruling_of(Relation comparison, const Figure& figure, double limit) {
  const bool low = holds(comparison, figure.least, limit);
  const bool high = holds(comparison, figure.most, limit);
  const bool between = figure.least < limit && limit < figure.most;
  const bool equality = comparison == Relation::kEqual || comparison == Relation::kUnequal;
  if (low != high || (equality && between)) return Ruling::kUndecided;
  return low ? Ruling::kHolds : Ruling::kFails;
}

Figure difference(const Figure& now, const Figure& before) {
  Figure figure = now;
  figure.least = now.least - before.most;
  figure.most = now.most - before.least;
  if (figure.doubt.empty() && !before.doubt.empty())
    figure.doubt = "of the baseline: " + before.doubt;
  return figure;
}

// What makes a difference no growth: of anything, or of what is counted by classes.
constexpr std::string_view kNoGrowth[] = {"same_dump", "wrong_order"};
constexpr std::string_view kCountedOtherwise[] = {"counted_differently", "different_rules",
                                                  "different_retain", "one_imported"};

// The VM's own figures, and what accounts count themselves.
bool is_counted_by_dump(const Assertion& a) {
  if (a.subject == Subject::kAccount)
    return a.measure == Measure::kInHeap || a.measure == Measure::kInHeapObjects;
  return a.subject != Subject::kHeap && a.subject != Subject::kPilingUp &&
         a.subject != Subject::kLoitering;
}

bool forbids_growth(const CompareWarning& warning, const Assertion& a) {
  const auto is = [&](std::string_view code) { return warning.code == code; };
  return std::ranges::any_of(kNoGrowth, is) ||
         (is_counted_by_dump(a) && std::ranges::any_of(kCountedOtherwise, is));
}

// Empty: the difference is growth.
std::string why_no_growth(const Assertion& a, const ReportView& view, const ReportView& baseline) {
  std::string why;
  for (const CompareWarning& warning : baseline_warnings(view, baseline))
    if (forbids_growth(warning, a)) why += (why.empty() ? "" : "; ") + warning.text;
  return why;
}

std::vector<std::string_view> names_of(Subject subject, const ReportView& view) {
  std::vector<std::string_view> names;
  const auto all = [&](const auto& rows) {
    for (const auto& row : rows) names.push_back(row.name);
  };
  if (subject == Subject::kClasses) all(view.classes);
  if (subject == Subject::kLoaders) all(view.loaders);
  if (subject == Subject::kPackages) all(view.packages);
  return names;
}

std::string_view kind_of(Subject subject) {
  return subject == Subject::kLoaders    ? "class loader"
         : subject == Subject::kPackages ? "package"
                                         : "class";
}

class Judge {
 public:
  Judge(const Assertion& assertion, const ReportView& view, const ReportView* baseline)
      : a_(assertion), view_(view), baseline_(baseline) {}

  Judgement judge() {
    judgement_.assertion = a_;
    judgement_.found = measure(a_, view_);
    judgement_.limit = a_.limit;
    if (!judgement_.found.known) return undecided(judgement_.found.doubt);
    remark_misses();
    if (a_.growth && !take_growth()) return std::move(judgement_);
    if (a_.percent && !take_share()) return std::move(judgement_);
    judgement_.ruling = ruling_of(a_.comparison, judgement_.found, judgement_.limit);
    if (judgement_.ruling == Ruling::kUndecided) judgement_.why = judgement_.found.doubt;
    return std::move(judgement_);
  }

 private:
  Judgement undecided(std::string why) {
    doubt(std::move(why));
    return std::move(judgement_);
  }
  bool doubt(std::string why) {
    judgement_.ruling = Ruling::kUndecided;
    judgement_.why = std::move(why);
    return false;
  }

  // A misspelt name must not look like a class that is gone.
  void remark_misses() {
    if (!judgement_.found.chosen || !judgement_.found.rows.empty()) return;
    judgement_.remark = "no " + std::string(kind_of(a_.subject)) + " of this report matches";
    const std::string_view near = nearest_name(a_.pattern, names_of(a_.subject, view_));
    if (!near.empty()) judgement_.remark.append("; the nearest name is ").append(near);
  }

  bool take_growth() {
    if (baseline_ == nullptr) return doubt("growth needs a baseline");
    if (std::string why = why_no_growth(a_, view_, *baseline_); !why.empty())
      return doubt(std::move(why));
    const Figure before = measure(a_, *baseline_);
    if (!before.known) return doubt("of the baseline: " + before.doubt);
    if (a_.percent) {
      if (!before.exact()) return doubt("of the baseline: " + before.doubt);
      judgement_.limit = before.least * a_.limit / 100;
    }
    judgement_.found = difference(judgement_.found, before);
    return true;
  }

  bool take_share() {
    if (a_.growth) return true;
    double whole = static_cast<double>(a_.in_bytes() ? view_.whole_bytes() : view_.whole_objects());
    if (a_.subject == Subject::kState && a_.in_bytes() && view_.states)
      whole = static_cast<double>(view_.states->bytes() + not_reached_bytes(view_));
    if (a_.subject == Subject::kHeap) {
      whole = static_cast<double>(view_.dump.heap_max_bytes);
      if (whole == 0) return doubt("this report does not say how large the heap may become");
    } else if (judgement_.found.most == std::numeric_limits<double>::infinity()) {
      return doubt(judgement_.found.doubt);  // then the whole is not known either
    }
    judgement_.limit = whole * a_.limit / 100;
    return true;
  }

  const Assertion& a_;
  const ReportView& view_;
  const ReportView* baseline_;
  Judgement judgement_;
};

std::string amount(double value, bool in_bytes) {
  constexpr double kMost = 1.8e19;
  const double size = std::min(std::round(std::abs(value)), kMost);
  const auto whole = static_cast<std::uint64_t>(size);
  return (value < 0 && whole > 0 ? "-" : "") + (in_bytes ? human_bytes(whole) : thousands(whole));
}

std::string amount(double value, const Judgement& judgement) {
  return amount(value, judgement.assertion.in_bytes());
}

}  // namespace

std::vector<CompareWarning> baseline_warnings(const ReportView& view, const ReportView& baseline) {
  return warnings_of(facts_of(baseline, ""), facts_of(view, ""), {"the baseline", "this report"});
}

Judgement judge(const Assertion& assertion, const ReportView& view, const ReportView* baseline) {
  return Judge(assertion, view, baseline).judge();
}

std::size_t count_of(const std::vector<Judgement>& judgements, Ruling ruling) {
  return static_cast<std::size_t>(std::ranges::count(judgements, ruling, &Judgement::ruling));
}

Ruling overall(const std::vector<Judgement>& judgements) {
  if (count_of(judgements, Ruling::kFails) > 0) return Ruling::kFails;
  return count_of(judgements, Ruling::kUndecided) > 0 ? Ruling::kUndecided : Ruling::kHolds;
}

std::string found_text(const Judgement& judgement) {
  const Figure& found = judgement.found;
  if (!found.known) return "not known";
  const bool below = std::isfinite(found.least), above = std::isfinite(found.most);
  if (found.exact()) return amount(found.least, judgement);
  if (below && above)
    return "between " + amount(found.least, judgement) + " and " + amount(found.most, judgement);
  if (below) return "at least " + amount(found.least, judgement);
  return above ? "at most " + amount(found.most, judgement) : "not known";
}

std::string limit_text(const Judgement& judgement) { return amount(judgement.limit, judgement); }

std::string excess_text(const Judgement& judgement) {
  if (judgement.ruling != Ruling::kFails) return {};
  const double over = judgement.found.least - judgement.limit;
  const double under = judgement.limit - judgement.found.most;
  const bool range = !judgement.found.exact();
  const auto text = [&](double by, const char* words) {
    return (range ? "at least " : "") + amount(by, judgement) + words;
  };
  if (over > 0) return text(over, " more than allowed");
  if (under > 0) return text(under, " less than demanded");
  return "just what is not allowed";
}

std::string sentence_of(const Judgement& judgement) {
  std::string text;
  if (judgement.ruling == Ruling::kUndecided) {
    text = "cannot be decided: " + judgement.why;
    if (judgement.found.known) text += "; found " + found_text(judgement);
  } else {
    text = "found " + found_text(judgement);
    if (const std::string excess = excess_text(judgement); !excess.empty()) text += ", " + excess;
  }
  return judgement.remark.empty() ? text : text + "; " + judgement.remark;
}

std::string row_text(const Judgement& judgement, const MatchedRow& row) {
  return amount(static_cast<double>(measure_of(row, judgement.assertion)), judgement);
}

}  // namespace holdfast::cli
