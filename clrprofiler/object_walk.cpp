#include "clrprofiler/object_walk.h"

#include "clrprofiler/event_mask.h"
#include "platforms/clock.h"

namespace holdfast::clr {

// Nobody looks at the walk any more who does not look at it now. A runtime that never tells the end of a collection is not waited for.
void ObjectWalk::await_end() noexcept {
  wanted_.store(nullptr);
  const std::uint64_t until = platforms::monotonic_ns() + kPatienceNs;
  while (active_.load() != nullptr && platforms::monotonic_ns() < until)
    platforms::sleep_ns(kLookNs);
  active_.store(nullptr);
}

// The runtime makes no collection for us when somebody else's whole one ended while we waited for our turn.
Result<void> ObjectWalk::collect() noexcept {
  for (int i = 0; i < kMostCollections && !done_.load(); ++i)
    HF_CHECK_OK(collection_.collect(info_));
  return {};
}

Result<void> ObjectWalk::run() noexcept {
  wanted_.store(this);
  Result<void> ran = apply(info_, mask_during_walk(info_, options_));
  if (ran) ran = collect();
  await_end();
  const Result<void> rested = apply(info_, mask_during_dump(info_, options_));
  HF_CHECK_OK(rested);
  if (done_.load()) return {};  // it may be that only ForceGC hangs
  HF_CHECK_OK(ran);
  return make_error(ErrorCode::kRefused);
}

}  // namespace holdfast::clr
