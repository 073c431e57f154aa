#include "clrprofiler/frozen/heap_picture.h"

#include <algorithm>

#include "clrprofiler/coreclr/allocation_gaps.h"
#include "clrprofiler/coreclr/finalize_queue.h"
#include "clrprofiler/coreclr/late_frozen.h"
#include "clrprofiler/coreclr/object_runs.h"
#include "clrprofiler/coreclr/thread_statics.h"
#include "platforms/pages.h"

namespace holdfast::clr {

namespace {

constexpr bool holds(HandleType type) noexcept {
  return type == HandleType::kStrong || type == HandleType::kPinned ||
         type == HandleType::kRefCounted || type == HandleType::kAsyncPinned ||
         type == HandleType::kSizedRef;
}

constexpr PictureRootKind kind_of(HandleType type) noexcept {
  const bool pins = type == HandleType::kPinned || type == HandleType::kAsyncPinned;
  return pins ? PictureRootKind::kPinnedHandle : PictureRootKind::kHandle;
}

constexpr std::uint64_t units_up(std::uint64_t bytes, std::uint64_t unit) noexcept {
  return (bytes + unit - 1) / unit * unit;
}

}  // namespace

Result<void> HeapPicture::open(std::uint32_t most_classes) noexcept {
  const HandleLayout& handles = source_.format().handles;
  HF_TRY(segments, read_segments(layout_.gc, source_.frozen(), arena_));
  HF_TRY(gaps, read_allocation_gaps(layout_, arena_));
  HF_TRY(handle_segments, read_handle_segments(layout_.gc, handles, arena_));
  gaps_ = gaps;
  handle_segments_ = handle_segments;
  contexts_.emplace(layout_, handles, handle_segments_);
  classes_.emplace(layout_, *contexts_);
  HF_CHECK_OK(classes_->make(most_classes, arena_));
  follow_late_frozen(layout_, segments, *classes_);
  HF_TRY(heap, MarkedHeap::make(segments, arena_));
  heap_ = heap;
  starts_.emplace(layout_, heap_, *classes_, gaps, arena_);
  HF_CHECK_OK(starts_->make());
  HF_CHECK_OK(read_dependents());
  trace_.emplace(layout_, heap_, *classes_, *starts_, dependents_, arena_);
  return {};
}

Result<void> HeapPicture::read_dependents() noexcept {
  std::size_t count = 0;
  const auto for_each = [this](auto visit) {
    for (const Address segment : handle_segments_)
      for_each_handle(source_.format().handles, segment, [&](const Handle& handle) {
        if (handle.type == HandleType::kDependent && handle.second != 0) visit(handle);
      });
  };
  for_each([&](const Handle&) { ++count; });
  HF_TRY(pairs, arena_.make<DependentPair>(count));
  std::size_t at = 0;
  for_each([&](const Handle& handle) { pairs[at++] = {handle.object, handle.second}; });
  std::sort(pairs.begin(), pairs.end(), [](const DependentPair& a, const DependentPair& b) {
    return a.key != b.key ? a.key < b.key : a.value < b.value;
  });
  dependents_ = pairs;
  return {};
}

// -- roots --

Result<void> HeapPicture::add(const PictureRoot& root) noexcept {
  HF_CHECK_OK(trace_->add_root(root.object));
  return keep(root);
}

Result<void> HeapPicture::keep(const PictureRoot& root) noexcept {
  if (roots_ != nullptr && !roots_->push(root)) return make_error(ErrorCode::kOutOfBudget);
  return {};
}

Result<void> HeapPicture::add_handle(const Handle& handle) noexcept {
  if (!holds(handle.type)) return {};
  return add({handle.object, 0, kind_of(handle.type)});
}

// Static variables lie in arrays that handles hold; which those are, the known ones among them show.
Result<void> HeapPicture::add_statics() noexcept {
  Result<void> added;
  for (const Address segment : handle_segments_)
    for_each_handle(source_.format().handles, segment, [&](const Handle& handle) {
      if (added && holds(handle.type)) added = add_statics_of(handle.object);
    });
  return added;
}

Result<void> HeapPicture::add_statics_of(Address table) noexcept {
  const std::uint64_t bytes = bytes_of(table);
  if (!statics_.any_within(table, table + bytes)) return {};
  Result<void> added;
  for_each_slot(table, type_of(table), bytes, [&](Address slot) {
    const auto value = load<Address>(slot);
    if (value == 0 || !added) return;
    const std::uint32_t field = statics_.find(slot);
    added = keep({value, field == PictureStatics::kNone ? kUnknownStatic : field,
                  PictureRootKind::kStaticVariable});
  });
  return added;
}

// What a thread has is an array with one array for each class, in which its values stand.
Result<void> HeapPicture::add_thread_statics() noexcept {
  constexpr std::uint64_t kHeadBytes = 16;
  Result<void> added;
  const auto for_each_value = [&](Address array, auto visit) {
    for_each_slot(array, type_of(array), bytes_of(array), [&](Address slot) {
      if (const auto value = load<Address>(slot); value != 0) visit(slot - array, value);
    });
  };
  HF_CHECK_OK(for_each_thread_statics(layout_, [&](Address thread, Address array) {
    const std::uint64_t stack = std::min<std::uint64_t>(number_of_stack(thread), kUnknownHalf);
    for_each_value(array, [&](std::uint64_t at, Address values) {
      for_each_value(values, [&](std::uint64_t offset, Address value) {
        if (!added) return;
        const std::uint32_t field =
            statics_.find_of_thread((at - kHeadBytes) / sizeof(Address), offset);
        added = keep({value, stack << 32 | field, PictureRootKind::kThreadStatic});
      });
    });
  }));
  return added;
}

std::uint64_t HeapPicture::number_of_stack(Address thread) const noexcept {
  return source_.threads().number_of(thread);
}

Result<void> HeapPicture::add_exact_roots() noexcept {
  Result<void> added;
  for (const Address segment : handle_segments_)
    for_each_handle(source_.format().handles, segment, [&](const Handle& handle) {
      if (added) added = add_handle(handle);
    });
  HF_CHECK_OK(added);
  HF_CHECK_OK(for_each_awaiting_finalizer(layout_.gc, [&](Address object) {
    if (added) added = add({object, 0, PictureRootKind::kFinalizer});
  }));
  HF_CHECK_OK(added);
  HF_CHECK_OK(for_each_thread_statics(layout_, [&](Address thread, Address array) {
    if (added) added = add({array, number_of_stack(thread), PictureRootKind::kThreadStatics});
  }));
  return added;
}

// They are never collected: no root, and there all the same, as a walk of the runtime's tells them.
Result<void> HeapPicture::add_frozen() noexcept {
  Result<void> added;
  for (const HeapSegment& segment : heap_.segments()) {
    if (!segment.frozen) continue;
    HF_CHECK_OK(for_each_object(layout_, segment, {}, [&](Address object, Address, std::uint64_t) {
      if (added) added = trace_->add_root(object);
    }));
  }
  return added;
}

// One root for each frame and object. A word that leads to what exact roots hold anyway tells nothing new; as a root beside those it would take from
// what they retain, by chance, because stale words come and go. So all words are seen before any of them marks something.
Result<void> HeapPicture::add_stack_words() noexcept {
  const std::size_t first = roots_ != nullptr ? roots_->size() : 0;
  Result<void> added;
  for (std::size_t s = 0; s < source_.stacks(); ++s) {
    if (source_.threads().threads()[s].gone) continue;
    Address before = 0;
    std::uint32_t frame_before = 0;
    for_each_stack_word(layout_, source_.stack(s), [&](Address word, std::uint32_t frame) {
      if (!added || heap_.segment_of(word) == nullptr || heap_.marked(word)) return;
      const Address object = starts_->containing(word);
      if (object == 0 || heap_.marked(object) || (object == before && frame == frame_before))
        return;
      before = object;
      frame_before = frame;
      const PictureRoot root{object, std::uint64_t{s} << 32 | frame, PictureRootKind::kStackWord};
      added = roots_ != nullptr ? keep(root) : trace_->add_root(object);
    });
  }
  if (starts_->failed()) return make_error(ErrorCode::kOutOfBudget);
  for (std::size_t i = first; added && roots_ != nullptr && i < roots_->size(); ++i)
    added = trace_->add_root((*roots_)[i].object);
  return added;
}

Result<void> HeapPicture::trace(Column<PictureRoot>* roots, const CancelToken& cancel) noexcept {
  roots_ = roots;
  HF_CHECK_OK(add_exact_roots());
  HF_CHECK_OK(add_frozen());
  HF_CHECK_OK(trace_->run(cancel));
  if (roots_ != nullptr) {
    HF_CHECK_OK(statics_.collect(layout_, source_.modules(), *classes_, arena_));
    HF_CHECK_OK(add_statics());
    HF_CHECK_OK(add_thread_statics());
  }
  trace_->doubt();
  HF_CHECK_OK(add_stack_words());
  HF_CHECK_OK(trace_->run(cancel));
  drop_dead_dependents();
  return {};
}

void HeapPicture::drop_dead_dependents() noexcept {
  const auto dead = [this](const DependentPair& pair) {
    return !heap_.marked(pair.key) || !heap_.marked(pair.value);
  };
  const auto end = std::remove_if(dependents_.begin(), dependents_.end(), dead);
  dependents_ = dependents_.first(static_cast<std::size_t>(end - dependents_.begin()));
}

// -- what becomes of it --

std::uint64_t HeapPicture::used_bytes() const noexcept {
  std::uint64_t bytes = 0;
  for (const HeapSegment& segment : heap_.segments())
    bytes += segment.objects.end - segment.objects.start;
  return bytes;
}

Result<void> HeapPicture::check_runs() noexcept {
  bool sound = true;
  for (const HeapSegment& segment : heap_.segments())
    HF_CHECK_OK(for_each_object(layout_, segment, gaps_, [&](Address, Address type, std::uint64_t) {
      sound = sound && classes_->find(type) != KnownClasses::kNone;
    }));
  return sound ? Result<void>{} : make_error(ErrorCode::kInconsistent);
}

void HeapPicture::release() noexcept {
  const std::uint64_t page = platforms::page_bytes();
  for (const HeapSegment& segment : heap_.segments()) {
    const Address start = units_up(segment.objects.start, page);
    const Address end = segment.objects.end / page * page;
    if (end > start) platforms::unmap_range(reinterpret_cast<std::byte*>(start), end - start);
  }
}

}  // namespace holdfast::clr
