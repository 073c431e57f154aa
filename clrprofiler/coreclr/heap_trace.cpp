#include "clrprofiler/coreclr/heap_trace.h"

namespace holdfast::clr {

void HeapTrace::fail(ErrorCode code, Address where) noexcept {
  if (failed_) return;
  failed_ = true;
  failure_ = make_error(code, static_cast<std::int64_t>(where));
}

void HeapTrace::reach(Address target) noexcept {
  if (doubting_) return doubt_and_reach(target);
  if (!heap_.may_begin_at(target)) return fail(ErrorCode::kInconsistent, target);
  if (heap_.mark(target) && !pending_.push(target)) fail(ErrorCode::kOutOfBudget, target);
}

void HeapTrace::doubt_and_reach(Address target) noexcept {
  if (heap_.marked(target)) return;
  if (!starts_.is_object(target)) {
    ++counts_.dropped_references;
    return;
  }
  if (heap_.mark(target) && !pending_.push(target)) fail(ErrorCode::kOutOfBudget, target);
}

void HeapTrace::count(std::uint64_t bytes) noexcept {
  ++counts_.objects;
  counts_.bytes += room_of(bytes);
  if (!doubting_) return;
  ++counts_.doubtful_objects;
  counts_.doubtful_bytes += room_of(bytes);
}

void HeapTrace::look_into(Address object) noexcept {
  const Address type = class_of(layout_, object);
  const std::uint32_t known =
      type != layout_.free_class ? classes_.find(type) : KnownClasses::kNone;
  if (known == KnownClasses::kNone) return fail(ErrorCode::kInconsistent, object);
  const std::uint64_t bytes = bytes_of(layout_, object, type);
  if (bytes > heap_.segment_of(object)->objects.end - object)
    return fail(ErrorCode::kInconsistent, object);
  count(bytes);
  if (const Address context = classes_.context_of(known); context != 0) reach(context);
  const bool sound = for_each_slot(object, type, bytes, [this](Address slot) {
    if (const auto target = load<Address>(slot); target != 0) reach(target);
  });
  if (!sound) fail(ErrorCode::kInconsistent, object);
}

Result<void> HeapTrace::add_root(Address object) noexcept {
  reach(object);
  if (heap_.failed() || starts_.failed()) fail(ErrorCode::kOutOfBudget, object);
  if (failed_) return failure_;
  return {};
}

Result<void> HeapTrace::drain(const CancelToken& cancel) noexcept {
  constexpr std::uint64_t kLookEvery = 1u << 16;
  std::uint64_t until_look = kLookEvery;
  for (Address object = pending_.pop(); object != 0; object = pending_.pop()) {
    look_into(object);
    if (heap_.failed() || starts_.failed()) fail(ErrorCode::kOutOfBudget, object);
    if (failed_) return failure_;
    if (--until_look != 0) continue;
    HF_CHECK_OK(cancel.check());
    until_look = kLookEvery;
  }
  return {};
}

// True when something new was reached.
bool HeapTrace::follow_dependents() noexcept {
  bool more = false;
  for (const DependentPair& pair : dependents_) {
    if (!heap_.marked(pair.key) || heap_.marked(pair.value)) continue;
    reach(pair.value);
    more = true;
  }
  return more;
}

// What is dropped while doubting stays so: then a round that reaches nothing is the last one.
Result<void> HeapTrace::run(const CancelToken& cancel) noexcept {
  HF_CHECK_OK(drain(cancel));
  for (std::uint64_t before = ~counts_.objects; before != counts_.objects && follow_dependents();) {
    before = counts_.objects;
    HF_CHECK_OK(drain(cancel));
  }
  if (failed_) return failure_;
  return {};
}

}  // namespace holdfast::clr
