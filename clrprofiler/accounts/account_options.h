// What of the options of accounts this runtime can do: it samples at a distance that is not below its own.
// Shape:  changes `options` to what will be done; a line in the log for each change.
// Zone:   load.   Errors: none: where a runtime has no accounts at all, accounts= is taken away.
#pragma once

#include "clrprofiler/profiler_info.h"
#include "common/options.h"

namespace holdfast::clr {

void fit_accounts(ProfilerInfo& info, Options& options) noexcept;

}  // namespace holdfast::clr
