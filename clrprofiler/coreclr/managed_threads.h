// The runtime's list of its threads.
// Zone:   child (inline).
// Errors: kTooMany: the list does not end.
// Source: dotnet/runtime, vm/threads.h; measured on 9 and 10 (README.md).
#pragma once

#include "clrprofiler/coreclr/runtime_layout.h"
#include "common/result.h"

namespace holdfast::clr {

// visit(thread), a native Thread.
template <class Visit>
Result<void> for_each_thread(const RuntimeLayout& layout, Visit visit) noexcept {
  constexpr std::size_t kMostThreads = std::size_t{1} << 20;
  const auto list = load<Address>(layout.thread_store);
  std::size_t met = 0;
  for (auto link = load<Address>(list + layout.first_thread); link != 0;
       link = load<Address>(link)) {
    if (++met > kMostThreads) return make_error(ErrorCode::kTooMany, kMostThreads);
    visit(link - layout.thread_link);
  }
  return {};
}

}  // namespace holdfast::clr
