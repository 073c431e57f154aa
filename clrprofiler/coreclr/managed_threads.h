// The runtime's list of its threads.
// Zone:   child, stopped (inline). Checked reads.
// Errors: kTooMany: the list does not end; kInconsistent: it leads where no memory is, or back into its own head, in which no thread can be:
//         a word behind the first link the runtime keeps where that stands, and who follows it meets one thread too many.
// Source: dotnet/runtime, vm/threads.h;
//         measured on 9 and 10 (docs/decisions/065-clr-heap-as-memory.md).
#pragma once

#include "clrprofiler/coreclr/runtime_layout.h"
#include "common/result.h"

namespace holdfast::clr {

// visit(thread), a native Thread.
template <class Visit>
Result<void> for_each_thread(const RuntimeLayout& layout, Visit visit) noexcept {
  constexpr std::size_t kMostThreads = std::size_t{1} << 20;
  const auto list = read_word(layout.thread_store);
  auto link = list ? read_word(*list + layout.first_thread) : std::nullopt;
  for (std::size_t met = 0; link && *link != 0; link = read_word(*link)) {
    if (*link - *list <= layout.first_thread) return make_error(ErrorCode::kInconsistent);
    if (++met > kMostThreads) return make_error(ErrorCode::kTooMany, kMostThreads);
    visit(*link - layout.thread_link);
  }
  return link ? Result<void>{} : make_error(ErrorCode::kInconsistent);
}

}  // namespace holdfast::clr
