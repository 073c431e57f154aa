#include "clrprofiler/ages/age_options.h"

#include "common/log.h"

namespace holdfast::clr {

void fit_ages(const ProfilerInfo& info, Options& options) noexcept {
  if (options.ages == AgesChoice::kOff) return;
  if (info.has(Needs::kEventPipe) && sizeof(void*) == 8) return;
  options.ages = AgesChoice::kOff;
  log_line(LogLevel::kError,
           "ages=: this runtime does not tell what its collections keep; .NET 5 and later do, with "
           "64 bits");
}

}  // namespace holdfast::clr
