#include "jvmti/hotspot/heap_trace.h"

#include <algorithm>

namespace holdfast::jvmti {

void HeapTrace::fail(ErrorCode code, Address where) noexcept {
  if (failed_) return;
  failed_ = true;
  failure_ = make_error(code, static_cast<std::int64_t>(where));
}

// Looks like an object from its header to its end, in memory that is there.
bool HeapTrace::believable(Address object) noexcept {
  constexpr std::uint64_t kHeaderBytes = 24;  // the largest: mark, class, length
  if (parts_ != nullptr && parts_->holds_nothing(object)) return false;
  if (!pages_.has(object) || !pages_.has(object + kHeaderBytes - 8)) return false;
  const ClassShape* shape = shapes_.find(view_.class_of(object));
  if (shape == nullptr) return false;
  const std::uint64_t bytes = references_.object_bytes(object, *shape);
  return bytes >= 8 && pages_.has(object + bytes - 8);
}

void HeapTrace::reach(Address object) noexcept {
  if (!view_.plausible(object)) {
    if (guessing_)
      ++counts_.dropped;
    else
      fail(ErrorCode::kInconsistent, object);
    return;
  }
  // Behind a guess nothing is certain: an object must look like one before it is believed.
  const std::uint64_t place = view_.layout().place_of(object);
  if (guessing_ && !marks_.marked(place) && !believable(object)) {
    ++counts_.dropped;
    return;
  }
  ++counts_.references;
  if (marks_.mark(place) && !pending_.push(object)) fail(ErrorCode::kOutOfBudget, object);
}

void HeapTrace::reach_guess(Address object) noexcept {
  if (!view_.plausible(object)) return;
  const std::uint64_t place = view_.layout().place_of(object);
  if (!marks_.marked(place) && !believable(object)) return;
  ++counts_.references;
  ++counts_.guesses;
  if (marks_.mark(place) && !pending_.push(object)) fail(ErrorCode::kOutOfBudget, object);
}

// The class that a class object stands for may have been loaded since; one that is just being made is left alone, for good.
void HeapTrace::see_class_of(Address class_object) noexcept {
  const Address type = view_.class_of_mirror(class_object);
  if (type == 0) return;
  ClassShape* shape = shapes_.find(type);
  if (shape == nullptr) {
    const auto learned = shapes_.learn(type);
    if (!learned) {
      const Error& error = learned.error();
      if (error.code != ErrorCode::kInconsistent) fail(error.code, class_object);
      return;
    }
    shape = *learned;
    ++counts_.learned_classes;
  }
  shape->object_seen = true;
}

void HeapTrace::look_into(Address object) noexcept {
  const Address class_address = view_.class_of(object);
  ClassShape* shape = shapes_.find(class_address);
  if (shape == nullptr) {
    auto learned = shapes_.learn(class_address);
    if (!learned) return fail(learned.error().code, object);
    shape = *learned;
    ++counts_.learned_classes;
  }
  if (!shape->reached) {
    shape->reached = true;
    if (shape->class_id.valid() && marks_.mark(view_.layout().place_of(shape->mirror)) &&
        !pending_.push(shape->mirror))
      return fail(ErrorCode::kOutOfBudget, object);
  }
  // Behind a guess a class object may be stale, and its class gone.
  if (shape->kind == ShapeKind::kClassObject && !guessing_) see_class_of(object);
  const std::uint64_t bytes = references_.object_bytes(object, *shape);
  if (bytes == 0) return fail(ErrorCode::kInconsistent, object);
  ++counts_.objects;
  counts_.shallow_bytes += bytes;
  ++shape->count.instances;
  shape->count.shallow_bytes += bytes;
  const std::uint64_t before = counts_.references;
  references_.for_each(
      object, *shape, [this](Address referent, RefLabel) { reach(referent); },
      [](Address) { return false; });  // labels do not matter yet
  counts_.largest_row = std::max(counts_.largest_row, counts_.references - before);
  if (shape->kind == ShapeKind::kStackChunk && !chunks_.push(object))
    fail(ErrorCode::kOutOfBudget, object);
}

Result<void> HeapTrace::drain(const CancelToken& cancel) noexcept {
  constexpr std::uint64_t kLookEvery = 1u << 16;
  std::uint64_t until_look = kLookEvery;
  for (Address object = pending_.pop(); object != 0; object = pending_.pop()) {
    look_into(object);
    if (marks_.failed()) fail(ErrorCode::kOutOfBudget, object);
    if (failed_) return failure_;
    if (--until_look == 0) {
      HF_CHECK_OK(cancel.check());
      until_look = kLookEvery;
    }
  }
  return {};
}

Result<void> HeapTrace::add_root(Address object) noexcept {
  if (!view_.plausible(object))
    return make_error(ErrorCode::kInconsistent, static_cast<std::int64_t>(object));
  if (marks_.mark(view_.layout().place_of(object)) && !pending_.push(object))
    return make_error(ErrorCode::kOutOfBudget);
  if (marks_.failed()) return make_error(ErrorCode::kOutOfBudget);
  return {};
}

Result<void> HeapTrace::run(const CancelToken& cancel) noexcept {
  HF_CHECK_OK(drain(cancel));
  guessing_ = true;
  for (Address chunk = chunks_.pop(); chunk != 0; chunk = chunks_.pop()) {
    const ClassShape* shape = shapes_.find(view_.class_of(chunk));
    if (shape == nullptr) continue;
    const std::uint64_t before = counts_.references;
    references_.for_each_guess(chunk, *shape, [this](Address object) { reach_guess(object); });
    counts_.largest_row += counts_.references - before;
    if (marks_.failed()) fail(ErrorCode::kOutOfBudget, chunk);
    if (failed_) return failure_;
    HF_CHECK_OK(drain(cancel));
  }
  return {};
}

}  // namespace holdfast::jvmti
