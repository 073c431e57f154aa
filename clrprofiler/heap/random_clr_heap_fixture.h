// Made-up heaps of a CLR: regions in any order, arrays and strings of any size, gaps, references anywhere.
// Zone:   tests.   Errors: none.
#pragma once

#include <algorithm>
#include <random>

#include "clrprofiler/heap/fake_heap_events.h"

namespace holdfast::clr {

struct RandomHeapShape {
  std::size_t objects = 1000;
  std::size_t regions = 4;
  std::size_t types = 12;
  std::size_t most_edges = 6;
  std::uint64_t base = 0x7E8A'0000'0000;
  std::uint64_t region_bytes = std::uint64_t{4} << 20;
};

class RandomClrHeap {
 public:
  RandomClrHeap(const RandomHeapShape& shape, std::uint64_t seed) : shape_(shape), random_(seed) {}

  FakeClrHeap make() {
    FakeClrHeap heap;
    for (const std::uint64_t start : shuffled_regions()) fill_region(heap, start);
    connect(heap);
    return heap;
  }

 private:
  std::uint64_t below(std::uint64_t bound) { return random_() % bound; }

  // Some next to each other, some terabytes away, as frozen segments are.
  std::vector<std::uint64_t> shuffled_regions() {
    std::vector<std::uint64_t> starts;
    std::uint64_t at = shape_.base;
    for (std::size_t i = 0; i < shape_.regions; ++i) {
      starts.push_back(at);
      at += shape_.region_bytes;
      if (below(4) == 0) at += below(64) << 20;
      if (below(16) == 0) at += std::uint64_t{1} << 40;
    }
    std::shuffle(starts.begin(), starts.end(), random_);
    return starts;
  }

  void fill_region(FakeClrHeap& heap, std::uint64_t start) {
    std::uint64_t at = start + 8 * below(8);
    for (std::size_t i = 0; i < shape_.objects / shape_.regions; ++i) {
      FakeObject object;
      const std::uint64_t type = below(shape_.types);
      object.type = 0x7E000000 + 8 * type * 13;
      object.address = at;
      object.bytes = type % 4 == 0 ? 22 + below(200) : 24 + 8 * type;
      at += (object.bytes + 7) / 8 * 8;
      if (below(10) == 0) at += 8 * below(1000);
      if (below(200) == 0) at += std::uint64_t{100} << 10;
      if (at > start + shape_.region_bytes) return;
      heap.objects.push_back(object);
    }
  }

  std::uint64_t any(const FakeClrHeap& heap) {
    return heap.objects[below(heap.objects.size())].address;
  }

  void connect(FakeClrHeap& heap) {
    for (FakeObject& object : heap.objects) {
      const std::uint64_t most = below(500) == 0 ? 3000 : shape_.most_edges;
      const std::uint64_t edges = below(most + 1);
      for (std::uint64_t e = 0; e < edges; ++e) object.targets.push_back(any(heap));
    }
    for (std::size_t i = 0; i < 3 + shape_.objects / 100; ++i) {
      const auto kind = static_cast<EventRootKind>(below(4));
      heap.roots.push_back({below(3) == 0 ? 0 : any(heap), kind,
                            below(5) == 0 ? std::uint32_t{kRootWeak} : 0u, random_()});
      heap.dependents.push_back({any(heap), any(heap)});
      heap.statics.push_back({random_(), any(heap), 8, 0, u"field" + std::u16string(i % 7, u'x')});
    }
  }

  RandomHeapShape shape_;
  std::mt19937_64 random_;
};

}  // namespace holdfast::clr
