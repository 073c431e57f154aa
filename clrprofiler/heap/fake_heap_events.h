// The runtime's heap events of a made-up heap: bytes as the runtime packs them, batches of any length.
// Zone:   tests.   Errors: none.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "clrprofiler/heap/heap_events.h"

namespace holdfast::clr {

struct FakeEvent {
  std::uint32_t id = 0;
  std::vector<std::uint8_t> bytes;
  Payload payload() const { return {bytes.data(), bytes.size()}; }
};
using FakeEvents = std::vector<FakeEvent>;

struct FakeObject {
  std::uint64_t address = 0;
  std::uint64_t bytes = 24;
  std::uint64_t type = 0;
  std::vector<std::uint64_t> targets;
};
struct FakeRoot {
  std::uint64_t object = 0;
  EventRootKind kind = EventRootKind::kHandle;
  std::uint32_t flags = 0;
  std::uint64_t id = 0;
};
struct FakeDependent {
  std::uint64_t key = 0;
  std::uint64_t value = 0;
};
struct FakeStatic {
  std::uint64_t slot = 0;
  std::uint64_t object = 0;
  std::uint64_t type = 0;
  std::uint32_t flags = 0;
  std::u16string name;
};

// Objects in the order in which the walk tells of them.
struct FakeClrHeap {
  std::vector<FakeObject> objects;
  std::vector<FakeRoot> roots;
  std::vector<FakeDependent> dependents;
  std::vector<FakeStatic> statics;
};

class EventBytes {
 public:
  template <class T>
  EventBytes& put(T value) {
    const std::size_t at = bytes_.size();
    bytes_.resize(at + sizeof value);
    std::memcpy(bytes_.data() + at, &value, sizeof value);
    return *this;
  }
  FakeEvent event(std::uint32_t id) { return {id, std::move(bytes_)}; }

 private:
  std::vector<std::uint8_t> bytes_;
};

inline FakeEvent fake_gc_start(std::uint32_t number, std::uint32_t depth, std::uint32_t reason,
                               std::uint32_t type) {
  return EventBytes()
      .put(number)
      .put(depth)
      .put(reason)
      .put(type)
      .put(std::uint16_t{0})
      .put(std::uint64_t{0})
      .event(kGcStart);
}
inline FakeEvent fake_forced_start(std::uint32_t number) {
  return fake_gc_start(number, kFullGcDepth, kGcInduced, kGcNonConcurrent);
}
inline FakeEvent fake_gc_end(std::uint32_t number, std::uint32_t depth = kFullGcDepth) {
  return EventBytes().put(number).put(depth).put(std::uint16_t{0}).event(kGcEnd);
}

// Batches of `Each` records, which put_record(bytes, i) writes.
template <class PutRecord>
void add_batches(FakeEvents& out, std::uint32_t id, std::size_t count, std::size_t most,
                 PutRecord put_record) {
  std::uint32_t index = 0;
  for (std::size_t first = 0; first < count; first += most) {
    const std::size_t end = std::min(count, first + most);
    EventBytes bytes;
    bytes.put(index++).put(static_cast<std::uint32_t>(end - first)).put(std::uint16_t{0});
    for (std::size_t i = first; i < end; ++i) put_record(bytes, i);
    out.push_back(bytes.event(id));
  }
}

// How long batches are; the runtime's fill 63 KB each.
struct FakeBatches {
  std::size_t nodes = 2000;
  std::size_t edges = 5300;
  std::size_t others = 3000;
};

inline FakeEvents fake_nodes(const FakeClrHeap& heap, std::size_t most) {
  FakeEvents out;
  add_batches(out, kBulkNode, heap.objects.size(), most, [&](EventBytes& bytes, std::size_t i) {
    const FakeObject& o = heap.objects[i];
    bytes.put(static_cast<std::uintptr_t>(o.address)).put(o.bytes).put(o.type);
    bytes.put(std::uint64_t{o.targets.size()});
  });
  return out;
}

inline FakeEvents fake_edges(const FakeClrHeap& heap, std::size_t most) {
  std::vector<std::uint64_t> targets;
  for (const FakeObject& o : heap.objects)
    targets.insert(targets.end(), o.targets.begin(), o.targets.end());
  FakeEvents out;
  add_batches(out, kBulkEdge, targets.size(), most, [&](EventBytes& bytes, std::size_t i) {
    bytes.put(static_cast<std::uintptr_t>(targets[i])).put(std::uint32_t{0});
  });
  return out;
}

inline FakeEvent fake_statics(const std::vector<FakeStatic>& statics) {
  EventBytes bytes;
  bytes.put(static_cast<std::uint32_t>(statics.size())).put(std::uint64_t{1});
  bytes.put(std::uint16_t{0});
  for (const FakeStatic& s : statics) {
    bytes.put(s.slot).put(s.object).put(s.type).put(s.flags);
    for (const char16_t unit : s.name) bytes.put(unit);
    bytes.put(char16_t{0});
  }
  return bytes.event(kBulkStaticVariable);
}

// Everything between a collection's start and its end. Nodes and edges come in turn, as they fill their batches.
inline FakeEvents fake_walk(const FakeClrHeap& heap, const FakeBatches& batches = {}) {
  FakeEvents out;
  if (!heap.statics.empty()) out.push_back(fake_statics(heap.statics));
  const FakeEvents nodes = fake_nodes(heap, batches.nodes);
  const FakeEvents edges = fake_edges(heap, batches.edges);
  for (std::size_t i = 0; i < std::max(nodes.size(), edges.size()); ++i) {
    if (i < nodes.size()) out.push_back(nodes[i]);
    if (i < edges.size()) out.push_back(edges[i]);
  }
  add_batches(out, kBulkRootEdge, heap.roots.size(), batches.others,
              [&](EventBytes& bytes, std::size_t i) {
                const FakeRoot& r = heap.roots[i];
                bytes.put(static_cast<std::uintptr_t>(r.object)).put(r.kind).put(r.flags);
                bytes.put(static_cast<std::uintptr_t>(r.id));
              });
  add_batches(out, kBulkDependentEdge, heap.dependents.size(), batches.others,
              [&](EventBytes& bytes, std::size_t i) {
                bytes.put(static_cast<std::uintptr_t>(heap.dependents[i].key));
                bytes.put(static_cast<std::uintptr_t>(heap.dependents[i].value));
                bytes.put(std::uintptr_t{0});
              });
  return out;
}

inline void append(FakeEvents& to, FakeEvents events) {
  for (FakeEvent& event : events) to.push_back(std::move(event));
}

// The walk that was asked for, as collection `number`.
inline FakeEvents fake_forced_walk(const FakeClrHeap& heap, std::uint32_t number = 1,
                                   const FakeBatches& batches = {}) {
  FakeEvents out{fake_forced_start(number)};
  append(out, fake_walk(heap, batches));
  out.push_back(fake_gc_end(number));
  return out;
}

}  // namespace holdfast::clr
