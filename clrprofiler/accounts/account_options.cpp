#include "clrprofiler/accounts/account_options.h"

#include "clrprofiler/accounts/allocation_session.h"
#include "common/log.h"

namespace holdfast::clr {

void fit_accounts(ProfilerInfo& info, Options& options) noexcept {
  if (!samples_objects(options)) return;
  if (!info.has(Needs::kEventPipe)) {
    options.accounts[0] = '\0';
    options.ages = AgesChoice::kOff;
    return log_line(
        LogLevel::kError,
        "accounts=, ages=: this runtime does not tell of allocations; .NET 6 and later do");
  }
  const std::uint64_t least = AllocationSession::least_interval_bytes(info);
  if (options.sample_bytes >= least) return;
  if (!options.sample_steady) {
    options.sample_bytes = least;
    return;
  }
  log_line(LogLevel::kError, "sample=%llu: this runtime can do %llu and more, so %llu is taken",
           static_cast<unsigned long long>(options.sample_bytes),
           static_cast<unsigned long long>(least), static_cast<unsigned long long>(least));
  options.sample_bytes = least;
}

}  // namespace holdfast::clr
