#include "clrprofiler/frozen/picture_source.h"

#include <algorithm>

#include "clrprofiler/coreclr/managed_threads.h"
#include "clrprofiler/frozen_bounds.h"

namespace holdfast::clr {

Result<void> PictureSource::prepare(ProfilerInfo& info, const HeapFormat& format,
                                    Arena& arena) noexcept {
  format_ = &format;
  HF_TRY(frozen, read_frozen_bounds(info, arena));
  frozen_ = frozen;
  HF_CHECK_OK(list_modules(info, arena));
  HF_CHECK_OK(threads_.prepare(info, arena));
  return threads_.want_pointers(arena);
}

// Nothing is asked of them: one of them may be half gone.
Result<void> PictureSource::list_modules(ProfilerInfo& info, Arena& arena) noexcept {
  constexpr ULONG kMostModules = 1 << 16;
  ComRef<ICorProfilerModuleEnum> listed;
  HF_CHECK_OK(check(info->EnumModules(listed.out())));
  ULONG count = 0;
  HF_CHECK_OK(check(listed->GetCount(&count)));
  count = std::min(count, kMostModules);
  HF_TRY(modules, arena.make<Address>(count));
  std::size_t used = 0;
  ModuleID id = 0;
  ULONG got = 0;
  while (used < count && listed->Next(1, &id, &got) == S_OK && got == 1) modules[used++] = id;
  modules_ = modules.first(used);
  return {};
}

// Between the list and the suspension threads end and begin.
Result<void> PictureSource::walk_stopped(ProfilerInfo& info, std::uint64_t most_ns) noexcept {
  threads_.know_frames(format_->layout.thread_frame);
  threads_.begin_living_stopped();
  HF_CHECK_OK(for_each_thread(format_->layout,
                              [this](Address thread) { threads_.note_living_stopped(thread); }));
  threads_.walk_stopped(info, std::min(most_ns, kMostStackNs));
  return {};
}

ManagedStack PictureSource::stack(std::size_t i) const noexcept {
  const StackOfThread& stack = threads_.threads()[i];
  return {stack.thread, threads_.pointers().subspan(stack.first, stack.frames), stack.cut};
}

}  // namespace holdfast::clr
