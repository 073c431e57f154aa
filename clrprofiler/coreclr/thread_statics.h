// What holds the values of a thread's [ThreadStatic] fields: one array a thread.
// Why those of collectible classes are left out: their handles are weak, and what keeps their values is their load context.
// Shape:  O(threads).
// Zone:   child (inline).
// Errors: kInconsistent (detail: the thread) where what a thread has names another owner; those of for_each_thread().
// Source: dotnet/runtime, vm/threadstatics.h;
//         measured on 9 and 10 (docs/decisions/065-clr-heap-as-memory.md).
#pragma once

#include "clrprofiler/coreclr/managed_threads.h"

namespace holdfast::clr {

// visit(thread, array), of threads that have one.
template <class Visit>
Result<void> for_each_thread_statics(const RuntimeLayout& layout, Visit visit) noexcept {
  constexpr std::uint64_t kOwner = 24;
  Address wrong = 0;
  HF_CHECK_OK(for_each_thread(layout, [&](Address thread) {
    const auto data = load<Address>(thread + layout.thread_statics);
    if (data == 0) return;
    if (load<Address>(data + kOwner) != thread) {
      wrong = thread;
      return;
    }
    const auto array = load<Address>(data + layout.statics_array);
    if (array != 0) visit(thread, array);
  }));
  if (wrong != 0) return make_error(ErrorCode::kInconsistent, static_cast<std::int64_t>(wrong));
  return {};
}

}  // namespace holdfast::clr
