#include "cli/gate/account_figure.h"

#include <algorithm>

#include "cli/report/account_choice.h"
#include "cli/text/estimate_text.h"
#include "cli/text/number_text.h"

namespace holdfast::cli {
namespace {

constexpr double kErrors = 3;

struct Estimate {
  std::uint64_t value = 0;
  std::uint64_t error = 0;
};

Figure unknown_account(std::string why) {
  Figure figure;
  figure.known = false;
  figure.doubt = std::move(why);
  return figure;
}

Estimate estimate_of(const AmountView& amount, bool bytes) {
  return bytes ? Estimate{amount.bytes, amount.bytes_error}
               : Estimate{amount.objects, amount.objects_error};
}

// As sure as the live estimate that it was scaled from.
Estimate calibrated(const AccountView& row, bool bytes) {
  const Estimate live = estimate_of(row.live, bytes);
  Estimate scaled{bytes ? row.calibrated_bytes : row.calibrated_objects, 0};
  if (live.value > 0)
    scaled.error = static_cast<std::uint64_t>(static_cast<double>(live.error) *
                                              static_cast<double>(scaled.value) /
                                              static_cast<double>(live.value));
  return scaled;
}

Estimate measured(const AccountView& row, Measure measure) {
  switch (measure) {
    case Measure::kAllocated:
    case Measure::kAllocatedObjects:
      return estimate_of(row.allocated, measure == Measure::kAllocated);
    case Measure::kSince:
    case Measure::kSinceObjects:
      return estimate_of(row.since_report, measure == Measure::kSince);
    case Measure::kLive:
    case Measure::kLiveObjects:
      return estimate_of(row.live, measure == Measure::kLive);
    default:
      break;
  }
  return calibrated(row, measure == Measure::kInHeap);
}

// Why there is no such figure; empty: there is.
std::string why_not(const Assertion& a, const ReportView& view) {
  if (std::string why = no_such_account(view, a.pattern); !why.empty()) return why;
  const bool live = a.measure == Measure::kLive || a.measure == Measure::kLiveObjects;
  const bool in_heap = a.measure == Measure::kInHeap || a.measure == Measure::kInHeapObjects;
  if ((live || in_heap) && !view.accounts->live_known)
    return "this VM does not tell which objects died";
  if (in_heap && !view.accounts->calibrated)
    return "live amounts of this report could not be compared with the heap";
  return {};
}

}  // namespace

Figure account_figure(const Assertion& assertion, const ReportView& view) {
  if (std::string why = why_not(assertion, view); !why.empty())
    return unknown_account(std::move(why));
  const Estimate of = measured(*view.accounts->find(assertion.pattern), assertion.measure);
  Figure figure;
  const auto value = static_cast<double>(of.value), range = kErrors * static_cast<double>(of.error);
  figure.least = std::max(0.0, value - range);
  figure.most = value + range;
  if (of.error > 0)
    figure.doubt = "it is an estimate, " +
                   (assertion.in_bytes() ? estimated_bytes(of.value, of.error)
                                         : estimated_count(of.value, of.error)) +
                   ", of which three standard errors count on both sides; more samples "
                   "(sample=) tell more";
  return figure;
}

}  // namespace holdfast::cli
