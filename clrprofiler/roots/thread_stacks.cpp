#include "clrprofiler/roots/thread_stacks.h"

#include <algorithm>

#include "clrprofiler/suspension.h"
#include "platforms/clock.h"
#include "platforms/mappings.h"
#include "platforms/thread.h"

namespace holdfast::clr {

Result<void> ThreadStacks::take(ProfilerInfo& info, Arena& arena, std::uint64_t most_ns) noexcept {
  HF_CHECK_OK(prepare(info, arena));
  HF_CHECK_OK(want_pointers(arena));
  return walk_suspended(info, most_ns);
}

Result<void> ThreadStacks::prepare(ProfilerInfo& info, Arena& arena) noexcept {
  if (!info.has(Needs::kSuspension)) return make_error(ErrorCode::kUnsupported);
  walk_ = {};
  pause_ns_ = 0;
  HF_CHECK_OK(list_threads(info, arena));
  HF_TRY(functions, arena.make_filled<std::uint64_t>(kFrameRoom, 0));
  walk_.functions = functions;
  return {};
}

Result<void> ThreadStacks::want_pointers(Arena& arena) noexcept {
  HF_TRY(pointers, arena.make_filled<std::uint64_t>(walk_.functions.size(), 0));
  walk_.pointers = pointers;
  return {};
}

void ThreadStacks::begin_living_stopped() noexcept {
  for (StackOfThread& stack : walk_.threads) stack.gone = true;
}

void ThreadStacks::note_living_stopped(ThreadID thread) noexcept {
  const auto at = std::lower_bound(listed_.begin(), listed_.end(), thread,
                                   [](const Listed& one, ThreadID id) { return one.thread < id; });
  if (at != listed_.end() && at->thread == thread) {
    if (at->row != kNoRow) walk_.threads[at->row].gone = false;
    return;
  }
  const std::size_t used = walk_.threads.size();
  if (used == rows_.size()) return;
  walk_.threads = rows_.first(used + 1);
  rows_[used].thread = thread;
  rows_[used].newcomer = true;
}

std::uint64_t ThreadStacks::number_of(ThreadID thread) const noexcept {
  const auto at = std::lower_bound(listed_.begin(), listed_.end(), thread,
                                   [](const Listed& one, ThreadID id) { return one.thread < id; });
  if (at != listed_.end() && at->thread == thread)
    return at->row != kNoRow ? at->row : ~std::uint64_t{0};
  const auto threads = walk_.threads;
  for (std::size_t i = threads.size(); i-- > 0 && threads[i].newcomer;)
    if (threads[i].thread == thread) return i;
  return ~std::uint64_t{0};
}

void ThreadStacks::walk_stopped(ProfilerInfo& info, std::uint64_t most_ns) noexcept {
  walk_.deadline_ns = platforms::monotonic_ns() + most_ns;
  walk_stacks_stopped(*info, walk_);
}

Result<void> ThreadStacks::list_threads(ProfilerInfo& info, Arena& arena) noexcept {
  ComRef<ICorProfilerThreadEnum> listed;
  HF_CHECK_OK(check(info->EnumThreads(listed.out())));
  ULONG count = 0;
  HF_CHECK_OK(check(listed->GetCount(&count)));
  left_out_ = count > kMostThreads ? count - kMostThreads : 0;
  count -= left_out_;
  HF_TRY(ids, arena.make_filled<ThreadID>(count, 0));
  HF_TRY(rows, arena.make_filled<StackOfThread>(count + kNewcomers, StackOfThread{}));
  HF_TRY(names, arena.make_zeroed<Name>(count + kNewcomers));
  HF_TRY(listed_room, arena.make_filled<Listed>(count, Listed{}));
  ULONG fetched = 0;
  if (count != 0) HF_CHECK_OK(check(listed->Next(count, ids.data(), &fetched)));
  std::uint32_t used = 0;
  listed_ = listed_room.first(std::min<std::size_t>(fetched, count));
  for (std::size_t i = 0; i < listed_.size(); ++i) {
    DWORD os_id = 0;
    if (!succeeded(info->GetThreadInfo(ids[i], &os_id))) os_id = 0;
    listed_[i] = {ids[i], kNoRow};
    if (platforms::is_own_thread(os_id)) continue;  // the one that collected before
    rows[used].thread = ids[i];
    rows[used].os_id = os_id;
    if (os_id != 0) platforms::thread_name(os_id, names[used], sizeof names[used]);
    listed_[i].row = used++;
  }
  std::sort(listed_.begin(), listed_.end(),
            [](const Listed& a, const Listed& b) { return a.thread < b.thread; });
  rows_ = rows;
  names_ = names;
  walk_.threads = rows.first(used);
  return {};
}

Result<void> ThreadStacks::walk_suspended(ProfilerInfo& info, std::uint64_t most_ns) noexcept {
  Suspension suspension(info);
  HF_CHECK_OK(suspension.begin());
  walk_stopped(info, most_ns);
  suspension.end();
  pause_ns_ = suspension.suspended_ns();
  return {};
}

// What lies between the last known frame and the end of the stack's memory has as many frames to the kilobyte as the known part.
std::uint64_t ThreadStacks::frames_estimate() const noexcept {
  std::uint64_t frames = walk_.used;
  for (const StackOfThread& stack : walk_.threads) {
    if (!stack.cut || stack.frames < 2 || walk_.pointers.empty()) continue;
    const std::uint64_t first = walk_.pointers[stack.first];
    const std::uint64_t last = walk_.pointers[stack.first + stack.frames - 1];
    const std::uint64_t end = platforms::mapping_end(last);
    if (last > first && end > last)
      frames += (end - last) / std::max<std::uint64_t>((last - first) / stack.frames, 1);
  }
  return frames;
}

void ThreadStacks::note_cuts(Notes& notes) const noexcept {
  constexpr std::uint32_t kMostNamed = 3;
  std::uint32_t cut = 0;
  for (std::size_t i = 0; i < walk_.threads.size(); ++i) {
    const StackOfThread& stack = walk_.threads[i];
    if (!stack.cut || stack.newcomer || stack.gone || stack.frames < 2) continue;
    if (cut++ < kMostNamed)
      notes.add("the stack of thread \"%.15s\" has more frames than the first %u, which are known",
                names_[i], stack.frames);
  }
  if (cut > kMostNamed)
    notes.add("the stacks of %u more threads are known in part, too", cut - kMostNamed);
}

Result<void> ThreadStacks::fill_catalog(Arena& arena, Catalog& catalog) const noexcept {
  HF_TRY(rows, arena.make_filled<ThreadRow>(walk_.threads.size(), ThreadRow{}));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].name = catalog.strings.intern(static_cast<const char*>(names_[i]));
    rows[i].vm_id = walk_.threads[i].os_id;
  }
  catalog.threads = rows;
  return {};
}

}  // namespace holdfast::clr
