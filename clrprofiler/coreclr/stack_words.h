// The words on a stopped thread's stack that may be references.
// Why all of them: which are references only the compiler's tables say, whose form changes; what a word may hold is at least all that is held.
// Shape:  from the topmost frame upwards, the runtime's own (registers are saved in front of it, within kBelowFrame) or a managed one, to the
//         end of the stack's memory, at most kMostBeyond behind the last known frame (kMostStack where not all are known): what lies behind a stack may be anybody's.
//         O(words); a system call a page.
// Zone:   child (inline).
// Errors: none; a thread without frames has no words.
// Source: dotnet/runtime, vm/frames.h, vm/gcenv.ee.cpp;
//         measured on 9 and 10: none missing (docs/decisions/065-clr-heap-as-memory.md).
#pragma once

#include <algorithm>
#include <span>

#include "clrprofiler/coreclr/runtime_layout.h"

namespace holdfast::clr {

struct ManagedStack {
  Address thread = 0;
  std::span<const std::uint64_t> pointers;  // of its managed frames, the leaf first
  bool cut = false;                         // there are more
};

namespace stack_words {
inline constexpr std::uint64_t kBelowFrame = 8 << 10, kMostBeyond = 1 << 20, kMostStack = 64 << 20,
                               kPage = 4096;
inline constexpr Address kNoFrame = ~Address{0};
}  // namespace stack_words

// visit(word, index of its managed frame), in the order of addresses.
template <class Visit>
void for_each_stack_word(const RuntimeLayout& layout, const ManagedStack& stack,
                         Visit visit) noexcept {
  using namespace stack_words;
  const auto frame = load<Address>(stack.thread + layout.thread_frame);
  const bool has_frame = frame != kNoFrame && frame > kBelowFrame;
  if (!has_frame && stack.pointers.empty()) return;
  Address first = has_frame ? frame - kBelowFrame : stack.pointers.front();
  Address last = has_frame ? frame : stack.pointers.back();
  if (!stack.pointers.empty()) {
    first = std::min(first, stack.pointers.front());
    last = std::max(last, stack.pointers.back());
  }
  const Address end = last + (stack.cut ? kMostStack : kMostBeyond);
  std::uint32_t index = 0;
  for (Address at = first & ~(sizeof(Address) - 1); at < end; at += sizeof(Address)) {
    if (at % kPage == 0 || at <= first)
      if (!platforms::is_readable(at)) {
        if (at >= last) return;
        at = (at / kPage + 1) * kPage - sizeof(Address);  // room in front of the stack's memory
        continue;
      }
    while (index + 1 < stack.pointers.size() && stack.pointers[index + 1] <= at) ++index;
    if (const auto word = load<Address>(at); word != 0) visit(word, index);
  }
}

}  // namespace holdfast::clr
