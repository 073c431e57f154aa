#include "clrprofiler/held_contexts.h"

#include <algorithm>

#include "clrprofiler/heap/heap_events.h"
#include "clrprofiler/names/modules.h"
#include "clrprofiler/suspension.h"

namespace holdfast::clr {

Result<void> HeldContexts::find_classes(Arena& arena, ContextSearch& search) noexcept {
  const ArenaScope scratch(arena);
  Modules modules;
  HF_CHECK_OK(modules.open(info_, arena));
  const Module& core = modules.core();
  if (!core.metadata) return make_error(ErrorCode::kUnsupported);
  HF_TRY(allocator, core.metadata.find(u"System.Reflection.LoaderAllocator"));
  HF_TRY(scout, core.metadata.find(u"System.Reflection.LoaderAllocatorScout"));
  HF_CHECK_OK(check(info_->GetClassFromToken(core.id, allocator, &search.allocator)));
  return check(info_->GetClassFromToken(core.id, scout, &search.scout));
}

Result<void> HeldContexts::hold_all(const ContextSearch& search) noexcept {
  for (const ObjectID allocator : search.found.first(search.count)) {
    HF_CHECK_OK(
        check(info_->CreateHandle(allocator, COR_PRF_HANDLE_TYPE_STRONG, &handles_[count_])));
    ++count_;
  }
  return {};
}

// While nothing moves.
Result<bool> HeldContexts::look_and_hold(ContextSearch& search) noexcept {
  HF_CHECK_OK(check(info_->EnumerateGCHeapObjects(&find_context_stopped, &search)));
  if (search.count > search.found.size()) return make_error(ErrorCode::kOutOfBudget, kMostContexts);
  std::size_t whole = 0;
  for (const ObjectID allocator : search.found.first(search.count))
    if (has_scout_stopped(allocator, search.scout)) ++whole;
  if (whole != search.scouts) return false;
  HF_CHECK_OK(hold_all(search));
  return true;
}

Result<bool> HeldContexts::hold(Arena& arena) noexcept {
  ContextSearch search;
  HF_CHECK_OK(find_classes(arena, search));
  HF_TRY(handles, arena.make<ObjectHandleID>(kMostContexts));
  HF_TRY(objects, arena.make<ObjectID>(kMostContexts));
  handles_ = handles;
  search.found = objects;
  Suspension suspension(info_);
  HF_CHECK_OK(suspension.begin());
  const Result<bool> held = look_and_hold(search);
  suspension.end();
  pause_ns_ += suspension.suspended_ns();
  if (!held) let_go();
  return held;
}

void HeldContexts::let_go() noexcept {
  for (ObjectHandleID handle : handles_.first(count_)) info_->DestroyHandle(handle);
  count_ = 0;
}

void HeldContexts::take_out_roots(HeapRecording& recording) const noexcept {
  if (count_ == 0) return;
  const auto held = handles_.first(count_);
  std::sort(held.begin(), held.end());
  std::size_t kept = 0;
  for (std::size_t i = 0; i < recording.roots.size(); ++i) {
    const RecordedRoot root = recording.roots[i];
    const bool ours =
        root.kind == static_cast<std::uint32_t>(EventRootKind::kHandle) &&
        std::binary_search(held.begin(), held.end(), reinterpret_cast<ObjectHandleID>(root.id));
    if (!ours) recording.roots[kept++] = root;
  }
  recording.roots.truncate(kept);
}

}  // namespace holdfast::clr
