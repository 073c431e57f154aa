// Objects that later dumps know again, as far as this report tells of them.
#include "analysis/report/report_parts.h"

namespace holdfast::analysis {

// After all that names objects.
Result<Offset<report::TrackFacts>> write_tracking(ReportJob& job) noexcept {
  const Identities& all = job.findings.identities;
  if (!all.told) return Offset<report::TrackFacts>{};
  const std::span<const ObjectId> objects = job.objects.all();
  HF_TRY(rows, job.arena.make<std::uint32_t>(job.counts.tracked));
  std::size_t count = 0;
  for (std::uint32_t row = 0; row < objects.size() && count < rows.size(); ++row)
    if (job.identity(objects[row]).number != 0) rows[count++] = row;
  HF_TRY(listed, write_rows<report::TrackedRow>(job, count, kTrackedRowBytes, [&](std::size_t i) {
           const TrackedObject known = job.identity(objects[rows[i]]);
           return report::CreateTrackedRow(job.builder(), rows[i], known.number,
                                           known.first_sequence, known.first_utc_ms);
         }));
  const auto named = static_cast<std::uint32_t>(all.objects.size()) - all.known;
  return report::CreateTrackFacts(job.builder(), all.began_utc_ms, all.known, all.gone,
                                  all.unfollowed, named, listed);
}

}  // namespace holdfast::analysis
