// Says now and then how far a pass over a file is, and lets the one who asked for the import end it.
// Zone:   offline.   Errors: ImportFailure (kCancelled).
#pragma once

#include "analysis/import/hprof_survey.h"  // ImportProgress
#include "analysis/import/import_failure.h"

namespace holdfast::analysis {

class PassTeller {
 public:
  static constexpr std::uint64_t kEveryBytes = std::uint64_t{8} << 20;

  PassTeller(const ImportProgress& progress, const char* pass) : progress_(progress), pass_(pass) {}
  void tell(std::uint64_t offset, std::uint64_t objects) {
    if (offset < next_ || !progress_) return;
    next_ = offset + kEveryBytes;
    if (!progress_(pass_, offset, objects))
      throw ImportFailure(ErrorCode::kCancelled, offset, "cancelled");
  }

 private:
  const ImportProgress& progress_;
  const char* pass_;
  std::uint64_t next_ = 0;
};

}  // namespace holdfast::analysis
