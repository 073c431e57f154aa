#include "cli/gate/age_figure.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/name_pattern.h"
#include "cli/text/number_text.h"
#include "common/ages/aging_classes.h"
#include "common/ages/loitering.h"

namespace holdfast::cli {
namespace {

constexpr double kAgeErrors = 3;
constexpr double kUnseenIntervals = 6;  // nothing is sampled of so much once in 400 times
constexpr double kLeastAgedBytes = 8;

Figure unknown_age(std::string why) {
  Figure figure;
  figure.known = false;
  figure.doubt = std::move(why);
  return figure;
}

constexpr const char* kNotFollowed =
    "this report does not tell what grew old before it: ages were off (ages=on), the VM tells no "
    "samples or collections, or it is of a version before 1.6";

// Why there are no samples to go by; empty: there are.
std::string why_no_samples(const ReportView& view) {
  if (!view.aging) return kNotFollowed;
  if (!view.aging->sampled_told || view.aging->followed_ms == 0)
    return "this report has no ages of sampled objects";
  return {};
}

std::string why_too_early(const AgingView& aging) {
  if (aging.collections >= kCollectionsToTell) return {};
  return "ages were followed for " + counted(aging.collections, "collection") + "; " +
         std::to_string(kCollectionsToTell) + " tell";
}

// A sum of estimates that share nothing.
struct AgeEstimate {
  double value = 0, variance = 0;

  void add(std::uint64_t figure, std::uint64_t error) {
    value += static_cast<double>(figure);
    variance += static_cast<double>(error) * static_cast<double>(error);
  }
  Figure figure() const {
    const double range = kAgeErrors * std::sqrt(variance);
    Figure figure;
    figure.least = std::max(0.0, std::floor(value - range));
    figure.most = std::ceil(value + range);
    return figure;
  }
};

constexpr const char* kEstimated =
    "it is an estimate from samples, of which three standard errors count on both sides; more "
    "samples (sample=) tell more";

std::uint64_t of_row(const Assertion& a, const AgingClassView& row) {
  return a.in_bytes() ? row.old_bytes : row.old_objects;
}
std::uint64_t error_of_row(const Assertion& a, const AgingClassView& row) {
  return a.in_bytes() ? row.old_bytes_error : row.old_objects_error;
}

// Objects of which no VM has told the age.
double of_unknown_age(const Assertion& a, const AgesView& ages) {
  const auto of = [&](const AgeClassView& row) {
    const auto& list = a.in_bytes() ? row.bytes : row.objects;
    double sum = 0;
    for (std::size_t i = 0; i < list.size(); ++i)
      if (ages.ranges[i].kind == AgeRangeKind::kUnknown) sum += static_cast<double>(list[i]);
    return sum;
  };
  double sum = of(ages.rest_of_classes);
  for (const AgeClassView& row : ages.classes)
    if (analysis::name_matches(a.pattern, row.class_name)) sum += of(row);
  return sum;
}

void add_hidden(const Assertion& a, const ChosenRows& found, Figure& figure) {
  const std::uint64_t hidden = a.in_bytes() ? found.hidden.shallow_bytes : found.hidden.instances;
  if (hidden == 0) return;
  figure.most += static_cast<double>(hidden);
  figure.doubt = "this report does not list ages of " +
                 counted(found.hidden_rows, "class", "classes") +
                 " by name, and the pattern may match some of them";
}

void take_rows(const Assertion& a, ChosenRows& found, Figure& figure) {
  std::ranges::stable_sort(found.rows, std::ranges::greater{},
                           [&](const MatchedRow& row) { return measure_of(row, a); });
  figure.chosen = true;
  figure.rows = std::move(found.rows);
}

// Classes without a row that may loiter: none has more than the last row.
std::uint64_t may_loiter_unlisted(const AgingView& aging) {
  if (aging.classes.empty() || aging.classes_total <= aging.classes.size()) return 0;
  const bool matters = aging.classes.back().old_bytes >= least_loitering_bytes(aging.live_bytes);
  return matters ? aging.classes_total - aging.classes.size() : 0;
}

Figure loitering_amount(const Assertion& a, const AgingView& aging) {
  AgeEstimate sum;
  for (const AgingClassView* row : aging.loitering())
    sum.add(of_row(a, *row), error_of_row(a, *row));
  Figure figure = sum.figure();
  if (!figure.exact()) figure.doubt = kEstimated;
  return figure;
}

}  // namespace

Figure piling_up_figure(const Assertion& assertion, const ReportView& view) {
  if (!view.aging) return unknown_age(kNotFollowed);
  const AgingView& aging = *view.aging;
  Figure figure;
  for (const AgingSuspectView& row : aging.suspects)
    if (row.confidence_percent >= assertion.least_confidence)
      figure.rows.push_back({row.class_name, {}, row.instances, row.shallow_bytes});
  figure.least = figure.most = static_cast<double>(figure.rows.size());
  if (aging.suspects.size() >= kMostAgeSuspects) {
    figure.most = std::numeric_limits<double>::infinity();
    figure.doubt = "no more than " + thousands(kMostAgeSuspects) + " classes are named";
  } else if (std::string early = why_too_early(aging); !early.empty()) {
    figure.most = std::numeric_limits<double>::infinity();
    figure.doubt = std::move(early);
  } else if (aging.looks < kRefutingLooks && aging.candidates > aging.suspects.size()) {
    figure.most += static_cast<double>(aging.candidates - aging.suspects.size());
    figure.doubt = counted(aging.candidates, "class", "classes") +
                   " with old objects of many ages were looked at " + thousands(aging.looks) +
                   " times, too seldom to tell";
  }
  return figure;
}

Figure loitering_figure(const Assertion& assertion, const ReportView& view) {
  if (std::string why = why_no_samples(view); !why.empty()) return unknown_age(std::move(why));
  const AgingView& aging = *view.aging;
  const auto all = aging.loitering();
  Figure figure;
  if (assertion.measure == Measure::kClasses)
    figure.least = figure.most = static_cast<double>(all.size());
  else
    figure = loitering_amount(assertion, aging);
  for (const AgingClassView* row : all)
    figure.rows.push_back({row->class_name, {}, row->old_objects, row->old_bytes, 0, 0, 1});
  if (const std::uint64_t unlisted = may_loiter_unlisted(aging); unlisted > 0) {
    const HiddenSum sum = unlisted_sampled_old(aging);
    figure.most += static_cast<double>(assertion.measure == Measure::kClasses ? unlisted
                                       : assertion.in_bytes()                 ? sum.shallow_bytes
                                                                              : sum.instances);
    figure.doubt = "this report does not list ages of " + counted(unlisted, "class", "classes");
  }
  if (std::string early = why_too_early(aging); !early.empty()) {
    figure.most = std::numeric_limits<double>::infinity();
    figure.doubt = std::move(early);
  }
  return figure;
}

Figure old_figure(const Assertion& assertion, const ReportView& view) {
  if (!view.ages || !view.ages->told())
    return unknown_age(
        "this report does not tell the ages of all objects: ages were off (ages=on), it was a "
        "walk, "
        "or this collector keeps none; sampled_old_... is of samples");
  ChosenRows found = choose_aged(assertion.pattern, view);
  Figure figure;
  for (const MatchedRow& row : found.rows)
    figure.least += static_cast<double>(measure_of(row, assertion));
  figure.most = figure.least;
  if (const double untold = of_unknown_age(assertion, *view.ages); untold > 0) {
    figure.most += untold;
    figure.doubt = "the ages of some objects are not known";
  }
  add_hidden(assertion, found, figure);
  take_rows(assertion, found, figure);
  return figure;
}

Figure sampled_old_figure(const Assertion& assertion, const ReportView& view) {
  if (std::string why = why_no_samples(view); !why.empty()) return unknown_age(std::move(why));
  const AgingView& aging = *view.aging;
  AgeEstimate sum;
  double objects = 0, bytes = 0;
  for (const AgingClassView& row : aging.classes) {
    if (!analysis::name_matches(assertion.pattern, row.class_name)) continue;
    sum.add(of_row(assertion, row), error_of_row(assertion, row));
    objects += static_cast<double>(row.old_objects);
    bytes += static_cast<double>(row.old_bytes);
  }
  Figure figure = sum.figure();
  const double unseen = kUnseenIntervals * static_cast<double>(aging.sample_interval_bytes);
  const double size = objects > 0 ? std::max(bytes / objects, kLeastAgedBytes) : kLeastAgedBytes;
  figure.most += std::ceil(assertion.in_bytes() ? unseen : unseen / size);
  if (!figure.exact()) figure.doubt = kEstimated;
  ChosenRows found = choose_sampled_old(assertion.pattern, view);
  add_hidden(assertion, found, figure);
  take_rows(assertion, found, figure);
  return figure;
}

}  // namespace holdfast::cli
