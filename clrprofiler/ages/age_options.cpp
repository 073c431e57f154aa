#include "clrprofiler/ages/age_options.h"

#include "common/log.h"

namespace holdfast::clr {

void fit_ages(const ProfilerInfo& info, Options& options) noexcept {
  if (options.ages == AgesChoice::kOff) return;
  if (!info.has(Needs::kEventPipe) || sizeof(void*) != 8) {
    options.ages = AgesChoice::kOff;
    return log_line(LogLevel::kError,
                    "ages=: this runtime does not tell what its collections keep; .NET 5 and later "
                    "do, with 64 bits");
  }
  if (options.ages != AgesChoice::kExact) return;
  options.ages = AgesChoice::kOn;
  log_line(LogLevel::kError,
           "ages=exact is not there yet in a CLR: ages=on is taken, which leaves concurrent "
           "collection on");
}

}  // namespace holdfast::clr
