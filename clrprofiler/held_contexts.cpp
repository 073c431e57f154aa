#include "clrprofiler/held_contexts.h"

#include <algorithm>

#include "clrprofiler/heap/heap_events.h"
#include "clrprofiler/names/modules.h"
#include "clrprofiler/suspension.h"

namespace holdfast::clr {

Result<ClassID> HeldContexts::find_class(Arena& arena) noexcept {
  const ArenaScope scratch(arena);
  Modules modules;
  HF_CHECK_OK(modules.open(info_, arena));
  const Module& core = modules.core();
  if (!core.metadata) return make_error(ErrorCode::kUnsupported);
  HF_TRY(token, core.metadata.find(u"System.Reflection.LoaderAllocator"));
  ClassID id = 0;
  HF_CHECK_OK(check(info_->GetClassFromToken(core.id, token, &id)));
  return id;
}

// While nothing moves.
Result<void> HeldContexts::hold_all(ObjectSearch& search) noexcept {
  Suspension suspension(info_);
  HF_CHECK_OK(suspension.begin());
  Result<void> held = check(info_->EnumerateGCHeapObjects(&find_object_stopped, &search));
  if (held && search.count > search.found.size())
    held = make_error(ErrorCode::kOutOfBudget, kMostContexts);
  for (std::size_t i = 0; held && i < search.count; ++i) {
    held =
        check(info_->CreateHandle(search.found[i], COR_PRF_HANDLE_TYPE_STRONG, &handles_[count_]));
    if (held) ++count_;
  }
  suspension.end();
  pause_ns_ += suspension.suspended_ns();
  return held;
}

Result<void> HeldContexts::hold(Arena& arena) noexcept {
  if (!info_.has(Needs::kHeapObjects)) return {};
  HF_TRY(wanted, find_class(arena));
  HF_TRY(handles, arena.make<ObjectHandleID>(kMostContexts));
  HF_TRY(objects, arena.make<ObjectID>(kMostContexts));
  handles_ = handles;
  ObjectSearch search{wanted, objects};
  const Result<void> held = hold_all(search);
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
