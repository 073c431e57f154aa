#include "clrprofiler/profiler_info.h"

#include <iterator>

namespace holdfast::clr {

Result<void> ProfilerInfo::open(IUnknown& runtime) noexcept {
  HRESULT answer = E_NOINTERFACE;
  const auto oldest = std::rend(kICorProfilerInfoVersions);
  for (auto at = std::rbegin(kICorProfilerInfoVersions); at != oldest; ++at) {
    const InterfaceVersion& candidate = *at;
    if (candidate.version < 2) break;
    void* found = nullptr;
    answer = runtime.QueryInterface(&candidate.iid, &found);
    if (!succeeded(answer) || found == nullptr) continue;
    info_ = static_cast<ICorProfilerInfo*>(found);
    version_ = candidate.version;
    return {};
  }
  return make_error(ErrorCode::kVm, static_cast<std::uint32_t>(answer));
}

}  // namespace holdfast::clr
