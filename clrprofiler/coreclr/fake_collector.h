// For tests only: what libcoreclr exports of its collector, with a heap of a few segments in ordinary memory.
// Shape:  workstation GC: variables, generations, segments, objects as words. Addresses are this process' own.
// Zone:   tests.   Errors: none; tests break what they want to.
#pragma once

#include <array>
#include <deque>
#include <vector>

#include "clrprofiler/coreclr/runtime_layout.h"

namespace holdfast::clr {

template <class T>
Address address_of(const T& thing) noexcept {
  return reinterpret_cast<std::uintptr_t>(&thing);
}

struct FakeCollector {
  static constexpr std::size_t kGenerationWords = 32;  // 0x100 bytes
  static constexpr std::size_t kFirstSegment = 0x38;
  struct Segment {
    Address allocated = 0, committed = 0, reserved = 0, unused = 0, memory = 0;
    std::uint64_t flags = 0;
    Address next = 0;
  };

  std::array<std::uint64_t, 32> words{};
  std::array<std::uint64_t, kGenerationWords * kGenerations> generations{};
  std::array<std::int32_t, 24> heap_offsets{};
  std::array<std::int32_t, 8> generation_offsets{};
  std::uint64_t background = 2, ephemeral = 0, alloc_allocated = 0, finalize_queue = 0, handles = 0;
  std::deque<Segment> segments;
  std::deque<std::vector<std::uint64_t>> memory;
  // g_dacTable: others' variables before ours.
  std::uint64_t collector = address_of(words);
  std::array<std::uint64_t, 4> entries{address_of(background), address_of(handles),
                                       address_of(collector), 0};
  // server GC
  std::uint64_t heap_count = 2;
  std::array<std::uint64_t, 64> heap[2]{};
  std::array<std::uint64_t, 2> heap_array{address_of(heap[0]), address_of(heap[1])};
  std::uint64_t heap_array_variable = address_of(heap_array);

  FakeCollector() {
    generation_offsets[1] = kFirstSegment;
    words[0] = 0x402;
    words[1] = 8 * kGenerationWords;
    words[2] = kGenerations;
    words[6] = address_of(generations);
    words[9] = address_of(background);
    words[10] = address_of(ephemeral);
    words[15] = address_of(alloc_allocated);
    words[18] = address_of(finalize_queue);
    words[29] = address_of(handles);
    words[31] = address_of(generation_offsets);
  }
  FakeCollector(const FakeCollector&) = delete;
  FakeCollector& operator=(const FakeCollector&) = delete;

  void be_server() {
    heap_offsets = {8, 16, 24};
    heap_offsets[18] = 32;
    words[22] = address_of(heap_count);
    words[23] = address_of(heap_array_variable);
    words[30] = address_of(heap_offsets);
  }
  // A segment whose objects are these words, before the others of its generation.
  Segment& add(std::size_t generation, std::vector<std::uint64_t> objects) {
    memory.push_back(std::move(objects));
    const Address start = reinterpret_cast<std::uintptr_t>(memory.back().data());
    const Address end = start + 8 * memory.back().size();
    std::uint64_t& first = generations[generation * kGenerationWords + kFirstSegment / 8];
    segments.push_back({end, end, end, 0, start, 0, first});
    first = address_of(segments.back());
    return segments.back();
  }
};

}  // namespace holdfast::clr
