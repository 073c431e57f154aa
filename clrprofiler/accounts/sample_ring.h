// Samples on their way from the application's threads to the thread that names and books them.
// Why a ring: on the allocating thread nothing of ours may wait, allocate, or ask the runtime for names; this is all that is done there.
// Shape:  kSlots slots of 1 KB, by number: slot i is free for sample n while its turn is n, and to be read when it is n + 1 (n = i modulo
//         kSlots). Whoever has claimed a slot has it alone until it is published; samples are read in the order of the claims.
//         4.4 MB: at 100 KB a sample and 5 GB allocated a second, 80 ms in which the reader may be kept from the CPU.
// Zone:   claim(), publish(): event, any number of threads, no lock. front(), pop(), claimed(), read(): one thread of ours.
// Errors: open(): kOutOfBudget. claim(): nullptr while the ring is full.
// Source: Vyukov's bounded queue.
#pragma once

#include <atomic>
#include <cstdint>
#include <new>

#include "clrprofiler/com.h"
#include "common/annotations/thread_annotations.h"
#include "common/arena.h"
#include "common/result.h"
#include "platforms/thread.h"

namespace holdfast::clr {

struct AllocationSample {
  // Of a web service some 60 to 100, its own within the first few dozen; 0.1 us each.
  static constexpr std::uint32_t kMaxFrames = 120;

  ClassID type = 0;
  ObjectHandleID handle = nullptr;  // weak; nullptr: its object is not followed
  std::uint64_t bytes = 0;
  std::uint32_t raises = 0;  // common/accounts/sampling_pace.h
  std::uint64_t born = 0;    // collections that there had been
  ThreadAnnotations::Mark mark = 0;
  std::uint32_t frame_count = 0;
  bool stack_cut = false;
  char thread[platforms::kThreadNameBytes] = "";  // only where threads are told apart
  FunctionID frames[kMaxFrames] = {};             // of managed code, the top of the stack first
};

class SampleRing {
 public:
  static constexpr std::uint32_t kSlots = 4096;

  struct Claim {
    AllocationSample* sample = nullptr;  // nullptr: there is no room
    std::uint64_t number = 0;
  };

  Result<void> open(Arena& arena) noexcept {
    HF_TRY(slots, arena.make<Slot>(kSlots));
    slots_ = slots;
    for (std::uint32_t i = 0; i < kSlots; ++i) new (&slots_[i]) Slot{i};
    claimed_.store(0);
    read_ = 0;
    return {};
  }

  Claim claim() noexcept {
    std::uint64_t number = claimed_.load(std::memory_order_relaxed);
    while (true) {
      Slot& slot = slots_[number % kSlots];
      const std::uint64_t turn = slot.turn.load(std::memory_order_acquire);  // pop()
      if (turn < number) return {};
      if (turn > number)
        number = claimed_.load(std::memory_order_relaxed);
      else if (claimed_.compare_exchange_weak(number, number + 1, std::memory_order_relaxed))
        return {&slot.sample, number};
    }
  }
  void publish(const Claim& claim) noexcept {
    slots_[claim.number % kSlots].turn.store(claim.number + 1, std::memory_order_release);
  }

  // nullptr: the next one is not there yet.
  const AllocationSample* front() const noexcept {
    const Slot& slot = slots_[read_ % kSlots];
    const bool there = slot.turn.load(std::memory_order_acquire) == read_ + 1;  // publish()
    return there ? &slot.sample : nullptr;
  }
  void pop() noexcept {
    slots_[read_ % kSlots].turn.store(read_ + kSlots, std::memory_order_release);
    ++read_;
  }
  // Samples up to here had been begun.
  std::uint64_t claimed() const noexcept { return claimed_.load(std::memory_order_acquire); }
  std::uint64_t read() const noexcept { return read_; }

 private:
  struct Slot {
    std::atomic<std::uint64_t> turn;
    AllocationSample sample{};
  };

  std::span<Slot> slots_;
  std::atomic<std::uint64_t> claimed_{0};
  std::uint64_t read_ = 0;
};

}  // namespace holdfast::clr
