#include "clrprofiler/heap_session.h"

#include "clrprofiler/forced_collection.h"
#include "platforms/clock.h"

namespace holdfast::clr {

namespace {

constexpr std::uint64_t kCollections = 0x1;
constexpr std::uint64_t kHeapDump = 0x100000;
constexpr UINT32 kInformational = 4;
constexpr int kMostCollections = 4;

}  // namespace

Result<void> HeapSession::run() noexcept {
  const COR_PRF_EVENTPIPE_PROVIDER_CONFIG provider{
      u"Microsoft-Windows-DotNETRuntime", kCollections | kHeapDump, kInformational, nullptr};
  COR_PRF_EVENTPIPE_PROVIDER_CONFIG providers[] = {provider};
  EVENTPIPE_SESSION session = 0;
  current_.store(this, std::memory_order_release);
  Result<void> ran = check(info_->EventPipeStartSession(1, providers, 0, &session));
  if (ran) {
    // Another tool's dump may have asked for the very walk that was wanted, while the session started.
    // Where a collection of the whole heap is begun for other reasons meanwhile, the runtime takes that one for ours; its walk is not taken.
    for (int i = 0; ran && !recorder_.done() && i < kMostCollections; ++i)
      ran = force_collection(info_);
    if (recorder_.done()) pause_ns_ = platforms::monotonic_ns() - began_ns_;
    info_->EventPipeStopSession(session);
  }
  current_.store(nullptr, std::memory_order_release);
  HF_CHECK_OK(ran);
  if (!recorder_.done()) return make_error(ErrorCode::kRefused);
  return {};
}

}  // namespace holdfast::clr
