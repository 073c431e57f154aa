#include "analysis/expected_time.h"

#include <algorithm>

#include "platforms/clock.h"

namespace holdfast::analysis {

namespace {

struct Price {
  std::uint64_t ns_object, ns_reference;
};
// Where dominators are wanted, and where they are not.
constexpr Price kBasic{60, 30}, kCounts{25, 15};
constexpr Price kHolders{10, 8}, kCondensation{45, 0}, kReachable{45, 0}, kCuts{40, 0};
constexpr std::uint64_t kClassNs = 3000;        // sums by class are made several times
constexpr std::uint64_t kRootNs = 350;          // frames of threads, above all
constexpr std::uint64_t kReportNs = 3'000'000;  // written, once or twice

constexpr std::uint32_t kCountsAlone = kAnalyseHolders;

std::uint64_t cost(const Price& price, const Snapshot& s) noexcept {
  return price.ns_object * s.object_count() + price.ns_reference * s.reference_count();
}

}  // namespace

AnalysisClock::AnalysisClock(const AnalysisInput& input, std::uint32_t wanted) noexcept
    : input_(input), began_cpu_ns_(platforms::thread_cpu_ns()) {
  const Snapshot& s = input.capture.snapshot;
  const auto wants = [&](std::uint32_t bits) { return (wanted & bits) != 0; };
  basic_ns_ = kReportNs + kClassNs * s.catalog.class_count() + kRootNs * s.roots.size() +
              cost(wants(kAnalyseAll & ~kCountsAlone) ? kBasic : kCounts, s);
  cuts_ns_ = wants(kAnalyseCuts) ? cost(kCuts, s) : 0;
  optional_ns_ = cuts_ns_ + (wants(kAnalyseHolders) ? cost(kHolders, s) : 0) +
                 (wants(kAnalyseReachable) ? cost(kReachable, s) : 0) +
                 (wants(kAnalyseReachable | kAnalyseCuts) ? cost(kCondensation, s) : 0);
}

std::uint64_t AnalysisClock::spent_ns() const noexcept {
  return platforms::thread_cpu_ns() - began_cpu_ns_;
}

void AnalysisClock::begin(bool is_report_due, std::uint64_t optional_most_ns) noexcept {
  is_report_due_ = is_report_due;
  optional_most_ns_ = optional_most_ns;
  optional_ns_ = std::min(optional_ns_, optional_most_ns_);
  report();
}

void AnalysisClock::basic_done() noexcept {
  const std::uint64_t took_ns = spent_ns();
  const double share = static_cast<double>(took_ns + kReportNs) / static_cast<double>(basic_ns_);
  const auto scaled = [&](std::uint64_t ns) {
    return static_cast<std::uint64_t>(static_cast<double>(ns) * std::clamp(share, 0.4, 3.0));
  };
  basic_ns_ = took_ns + kReportNs;
  optional_ns_ = std::min(scaled(optional_ns_), optional_most_ns_);
  cuts_ns_ = scaled(cuts_ns_);
  report();
}

void AnalysisClock::reachable_takes(std::uint64_t ns) noexcept {
  const std::uint64_t passed_ns = spent_ns() - std::min(spent_ns(), basic_ns_);
  optional_ns_ = std::min(passed_ns + ns + cuts_ns_, optional_most_ns_);
  report();
}

void AnalysisClock::report() const noexcept {
  if (input_.expecting == nullptr || !input_.capture.has_graph) return;
  input_.expecting(input_.expecting_context,
                   {is_report_due_ ? basic_ns_ : 0, basic_ns_ + optional_ns_});
}

}  // namespace holdfast::analysis
