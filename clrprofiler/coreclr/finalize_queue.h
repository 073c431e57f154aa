// Objects that have a finalizer: those that are watched, and those that wait for it to run, which holds them.
// Shape:  of each heap one queue, in words: fill pointers 0 to 6, the array's begin and end. Between the begin and fill pointer 4 lie the watched ones, by
//         generation; between 4 and 6 those that wait, the critical ones last.
// Zone:   child (inline).
// Errors: kInconsistent (detail: the queue) when the pointers are out of order.
// Source: dotnet/runtime, gc/gcpriv.h (CFinalize);
//         measured on 9 and 10 (docs/decisions/065-clr-heap-as-memory.md).
#pragma once

#include "clrprofiler/coreclr/gc_tables.h"
#include "common/result.h"

namespace holdfast::clr {

// visit(object) of each that waits for its finalizer, in every heap.
template <class Visit>
Result<void> for_each_awaiting_finalizer(const GcTables& tables, Visit visit) noexcept {
  constexpr std::uint64_t kWord = sizeof(Address);
  constexpr std::uint64_t kFirstWaiting = 4, kLastWaiting = 6, kBegin = 7, kEnd = 8;
  for (std::uint32_t h = 0; h < tables.heaps(); ++h) {
    const auto queue = load<Address>(tables.heap_variable(h, tables.finalize_queue));
    if (queue == 0) continue;
    const auto begin = load<Address>(queue + kBegin * kWord);
    const auto end = load<Address>(queue + kEnd * kWord);
    const auto first = load<Address>(queue + kFirstWaiting * kWord);
    const auto last = load<Address>(queue + kLastWaiting * kWord);
    if (begin > first || first > last || last > end || (last - first) % kWord != 0)
      return make_error(ErrorCode::kInconsistent, static_cast<std::int64_t>(queue));
    for (Address at = first; at < last; at += kWord)
      if (const auto object = load<Address>(at); object != 0) visit(object);
  }
  return {};
}

}  // namespace holdfast::clr
