#include "clrprofiler/coreclr/heap_trace.h"

#include <algorithm>

namespace holdfast::clr {

void HeapTrace::fail(ErrorCode code, Address where) noexcept {
  if (failed_) return;
  failed_ = true;
  failure_ =
      make_error(code, code == ErrorCode::kInconsistent ? static_cast<std::int64_t>(where) : 0);
}

// Whether it is an object, as far as anyone knows.
bool HeapTrace::is_sound(Address target) noexcept {
  if (doubting_ ? starts_.is_object(target) : heap_.may_begin_at(target)) return true;
  if (doubting_)
    ++counts_.dropped_references;
  else
    fail(ErrorCode::kInconsistent, target);
  return false;
}

// Answers whether it leads to something.
bool HeapTrace::reach(Address target) noexcept {
  if (heap_.marked(target)) return true;
  if (!is_sound(target)) return false;
  if (heap_.mark(target) && !pending_.push(target)) fail(ErrorCode::kOutOfBudget, target);
  return true;
}

void HeapTrace::count(std::uint32_t known, std::uint64_t bytes) noexcept {
  ++counts_.objects;
  counts_.bytes += room_of(bytes);
  classes_.count(known, room_of(bytes));
  if (!doubting_) return;
  ++counts_.doubtful_objects;
  counts_.doubtful_bytes += room_of(bytes);
}

void HeapTrace::look_into(Address object) noexcept {
  const Address type = class_of(layout_, object);
  const std::uint32_t known =
      type != layout_.free_class ? classes_.find(type) : KnownClasses::kNone;
  if (known == KnownClasses::kNone)
    return fail(classes_.full() ? ErrorCode::kOutOfBudget : ErrorCode::kInconsistent, object);
  const std::uint64_t bytes = bytes_of(layout_, object, type);
  if (bytes > heap_.segment_of(object)->objects.end - object)
    return fail(ErrorCode::kInconsistent, object);
  count(known, bytes);
  std::uint64_t references = 0;
  const auto follow = [&](Address target) {
    if (target != 0 && reach(target)) ++references;
  };
  follow(classes_.context_of(known));
  const bool sound =
      for_each_slot(object, type, bytes, [&](Address slot) { follow(load<Address>(slot)); });
  counts_.references += references;
  counts_.largest_row = std::max(counts_.largest_row, references);
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
