// Whose work a thread does, as allocations are told apart by it (`accounts-by=user+…`) and chosen by it (`sample-only=user:…`).
// Why a number: all that stays with a thread is a 32-bit mark, in whichever place its VM has for such a thing. So a thread that ends without a
//      word leaves nothing behind, a sample reads no text of another thread, and nothing is allocated where objects are.
// Shape:  a mark is the number of a line ("user=alice request=/cart", of the wanted kinds alone) times two, and whether it passes the filter; 0:
//         nothing was said. Lines are kept once each and never forgotten, kMostLines of them in kMostText bytes; those for which there
//         is no room are one, "(other)", and counted. 6 MB, committed as it fills, only where annotations are wanted.
// Zone:   open(): load. mark_of(): event, a thread of the application between its own steps; under a lock of its own, no VM call in it.
//         passes(): event, no lock. line_of(): event, worker.
// Errors: open(): kOutOfBudget. Else nothing fails.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string_view>

#include "common/annotations/sample_filter.h"
#include "common/string_table.h"
#include "platforms/thread.h"

namespace holdfast {

class ThreadAnnotations {
 public:
  using Mark = std::uint32_t;
  static constexpr std::uint32_t kMostLines = 64u << 10;
  static constexpr std::uint64_t kMostText = std::uint64_t{4} << 20;

  static std::size_t arena_bytes() noexcept;

  // `kinds`: bit 1 << AnnotationKind for each that lines are made of.
  Result<void> open(Arena& arena, std::uint32_t kinds, const SampleFilter& filter) noexcept;
  // False: nobody asks what threads say, and mark_of() answers 0.
  bool wanted() const noexcept { return wanted_; }
  const SampleFilter& filter() const noexcept { return filter_; }

  Mark mark_of(std::span<const char> block) noexcept;
  bool passes(Mark mark) const noexcept {
    return !filter_.looks_at_annotations() || (mark & 1u) != 0;
  }
  // "" where nothing was said that lines are made of.
  std::string_view line_of(Mark mark) const noexcept;

  struct Figures {
    std::uint64_t said = 0;   // times that a thread said something
    std::uint64_t cut = 0;    // with a text that was too long
    std::uint64_t other = 0;  // for whose line there was no room
    std::uint32_t lines = 0;
  };
  Figures figures() const noexcept;

 private:
  SampleFilter filter_;
  std::uint32_t kinds_ = 0;
  bool wanted_ = false;
  StringId other_{0};

  mutable platforms::Mutex mutex_;
  StringTable lines_ HF_GUARDED_BY(mutex_);
  Figures figures_ HF_GUARDED_BY(mutex_);
};

}  // namespace holdfast
