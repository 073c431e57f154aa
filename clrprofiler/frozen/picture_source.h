// Everything that a child has to know of the runtime before it is made: taken down with the application running, but for the stacks.
// Shape:  lives in the capture thread's arena, so the child has a copy of its own. prepare(), then, in a suspension, walk_stopped().
// Zone:   prepare(): capture, on a thread that the runtime does not know. walk_stopped(): stopped. The rest: any, child included.
// Errors: the runtime's, kOutOfBudget.
#pragma once

#include "clrprofiler/coreclr/handle_tables.h"
#include "clrprofiler/coreclr/heap_segments.h"
#include "clrprofiler/coreclr/stack_words.h"
#include "clrprofiler/roots/thread_stacks.h"

namespace holdfast::clr {

struct HeapFormat {
  RuntimeLayout layout;
  HandleLayout handles;
};

class PictureSource {
 public:
  // How long the frames of all stacks may take: who comes later has a leaf alone.
  static constexpr std::uint64_t kMostStackNs = 10'000'000;

  Result<void> prepare(ProfilerInfo& info, const HeapFormat& format, Arena& arena) noexcept;
  Result<void> walk_stopped(ProfilerInfo& info, std::uint64_t most_ns) noexcept;

  const HeapFormat& format() const noexcept { return *format_; }
  std::span<const AddressRange> frozen() const noexcept { return frozen_; }
  const ThreadStacks& threads() const noexcept { return threads_; }
  // All, in whatever state.
  std::span<const Address> modules() const noexcept { return modules_; }
  // After the walk, of threads().threads()[i].
  ManagedStack stack(std::size_t i) const noexcept;
  std::size_t stacks() const noexcept { return threads_.threads().size(); }

 private:
  Result<void> list_modules(ProfilerInfo& info, Arena& arena) noexcept;

  const HeapFormat* format_ = nullptr;
  std::span<AddressRange> frozen_;
  ThreadStacks threads_;
  std::span<Address> modules_;
};

}  // namespace holdfast::clr
