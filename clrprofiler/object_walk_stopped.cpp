#include "clrprofiler/object_walk.h"
#include "platforms/clock.h"

namespace holdfast::clr {

namespace {

constexpr int kYoungest = 0, kWholeGeneration = 2;
constexpr std::uint32_t kOfRuntime = 0;  // a reason that is none of ours

bool is_whole(int generations, const BOOL* collected) noexcept {
  if (generations <= kWholeGeneration) return false;
  for (int i = kYoungest; i <= kWholeGeneration; ++i)
    if (collected[i] == 0) return false;
  return true;
}

// The events number the kinds otherwise than the calls.
std::uint8_t event_kind_of(COR_PRF_GC_ROOT_KIND kind) noexcept {
  switch (kind) {
    case COR_PRF_GC_ROOT_STACK:
      return static_cast<std::uint8_t>(EventRootKind::kStack);
    case COR_PRF_GC_ROOT_FINALIZER:
      return static_cast<std::uint8_t>(EventRootKind::kFinalizer);
    case COR_PRF_GC_ROOT_HANDLE:
      return static_cast<std::uint8_t>(EventRootKind::kHandle);
    default:
      return static_cast<std::uint8_t>(EventRootKind::kOther);
  }
}

static_assert(static_cast<std::uint32_t>(COR_PRF_GC_ROOT_PINNING) == kRootPinning);
static_assert(static_cast<std::uint32_t>(COR_PRF_GC_ROOT_WEAKREF) == kRootWeak);
static_assert(static_cast<std::uint32_t>(COR_PRF_GC_ROOT_INTERIOR) == kRootInterior);
static_assert(static_cast<std::uint32_t>(COR_PRF_GC_ROOT_REFCOUNTED) == kRootRefCounted);

}  // namespace

std::atomic<std::uint64_t> ObjectWalk::stop_began_ns_{0};
std::atomic<ObjectWalk*> ObjectWalk::wanted_{nullptr};
std::atomic<ObjectWalk*> ObjectWalk::active_{nullptr};

// active_ first: whoever takes wanted_ away afterwards sees that this collection may still look at the walk.
void ObjectWalk::begin_stopped(int generations, const BOOL* collected,
                               COR_PRF_GC_REASON reason) noexcept {
  ObjectWalk* const walk = wanted_.load();
  active_.store(walk);
  if (walk == nullptr) return;
  if (wanted_.load() != walk) return active_.store(nullptr);
  walk->begin_collection_stopped(is_whole(generations, collected), reason == COR_PRF_GC_INDUCED);
}

void ObjectWalk::begin_collection_stopped(bool whole, bool induced) noexcept {
  depth_ = whole ? kFullGcDepth : 0;
  recorder_.start({++collections_, depth_, induced ? kGcInduced : kOfRuntime, kGcNonConcurrent});
  if (!recorder_.filter().inside()) return;
  const std::uint64_t stop = stop_began_ns_.exchange(0);
  began_ns_ = stop != 0 ? stop : platforms::monotonic_ns();
  collection_.note_begun_stopped();
}

std::uint64_t ObjectWalk::size_of_stopped(ObjectID object) noexcept {
  if (info_.has(Needs::kObjectSizes64)) {
    SIZE_T bytes = 0;
    return succeeded(info_->GetObjectSize2(object, &bytes)) ? bytes : 0;
  }
  ULONG bytes = 0;
  return succeeded(info_->GetObjectSize(object, &bytes)) ? bytes : 0;
}

bool ObjectWalk::object_stopped(ObjectID object, ClassID type, ULONG count,
                                const ObjectID* references) noexcept {
  ObjectWalk* const walk = active_.load(std::memory_order_acquire);
  if (walk == nullptr) return false;
  HeapRecorder& recorder = walk->recorder_;
  const bool inside = recorder.filter().inside();
  recorder.add_object({object, inside ? walk->size_of_stopped(object) : 0, type, count},
                      references);
  return inside;
}

void ObjectWalk::roots_stopped(const ToldRoots& roots) noexcept {
  ObjectWalk* const walk = active_.load(std::memory_order_acquire);
  if (walk == nullptr) return;
  for (ULONG i = 0; i < roots.count; ++i)
    walk->recorder_.add_root({roots.objects[i], event_kind_of(roots.kinds[i]),
                              static_cast<std::uint32_t>(roots.flags[i]), roots.ids[i]});
}

void ObjectWalk::dependents_stopped(ULONG count, const ObjectID* keys,
                                    const ObjectID* values) noexcept {
  ObjectWalk* const walk = active_.load(std::memory_order_acquire);
  if (walk == nullptr) return;
  for (ULONG i = 0; i < count; ++i) walk->recorder_.add_dependent({keys[i], values[i], 0});
}

void ObjectWalk::end_collection_stopped() noexcept {
  const bool inside = recorder_.filter().inside();
  if (inside) statics_.read_stopped();
  recorder_.end({collections_, depth_});
  if (!inside || !recorder_.done()) return;
  pause_ns_ = platforms::monotonic_ns() - began_ns_;
  done_.store(true);
}

void ObjectWalk::end_stopped() noexcept {
  ObjectWalk* const walk = active_.load(std::memory_order_acquire);
  if (walk == nullptr) return;
  walk->end_collection_stopped();
  active_.store(nullptr, std::memory_order_release);
}

}  // namespace holdfast::clr
