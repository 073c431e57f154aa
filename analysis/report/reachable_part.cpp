// Reachable sizes: how they were found, how far they differ from retained ones, and what those hide.
#include "analysis/report/report_parts.h"

namespace holdfast::analysis {
namespace {

// The order is the same.
static_assert(static_cast<int>(EstimateReason::kTime) ==
              static_cast<int>(report::EstimateReason::Time));
static_assert(static_cast<int>(EstimateReason::kMemory) ==
              static_cast<int>(report::EstimateReason::Memory));

std::uint32_t per_mille(double share) noexcept {
  return static_cast<std::uint32_t>(1000 * share + 0.5);
}

Result<Offset<RowList<report::DifferenceRow>>> write_differences(ReportJob& job) noexcept {
  return write_rows<report::DifferenceRow>(
      job, kDifferenceLimits.size(), kDifferenceRowBytes, [&job](std::size_t i) {
        return report::CreateDifferenceRow(job.builder(), kDifferenceLimits[i],
                                           job.findings.reachable.differences[i]);
      });
}

Result<Offset<IndexList>> write_hidden(ReportJob& job) noexcept {
  std::uint32_t rows[kMaxReportHidden] = {};
  for (std::size_t i = 0; i < job.counts.hidden; ++i)
    rows[i] = job.object(job.findings.reachable.hidden[i]);
  return write_indices(job, std::span(rows, job.counts.hidden));
}

}  // namespace

Result<Offset<report::ReachableFacts>> write_reachable(ReportJob& job) noexcept {
  const ReachableFindings& found = job.findings.reachable;
  if (found.components == 0) return Offset<report::ReachableFacts>();
  HF_TRY(differences, write_differences(job));
  HF_TRY(hidden, write_hidden(job));
  return report::CreateReachableFacts(
      job.builder(), found.components, found.shared, found.estimated_objects,
      static_cast<report::EstimateReason>(found.reason), per_mille(found.standard_error),
      found.retained_sum, found.reachable_sum, differences, hidden);
}

}  // namespace holdfast::analysis
