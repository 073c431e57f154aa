// What an object of each class looks like in memory: its size, where its references stand and how they are labelled.
// Why once for each class: the trace asks for every object, and HotSpot's own metadata is a walk through tables and supers.
// Shape:  a hash table of class addresses (load <= 1/2) over one ClassShape a class, 8 B a reference field. Classes come from the
//         catalog (class handles); one that was loaded since is learned when an object of it is met, and stays without a number.
//         O(classes + fields); about 150 B a class and 8 B a field in the child's arena.
// Zone:   child.
// Errors: kInconsistent (detail: the class' number, or the class word) when metadata contradict each other; kOutOfBudget.
// Source: HotSpot, oops/instanceKlass.hpp (vtable, itable, reference maps behind the structure), instanceRefKlass.cpp (fields of
//         java.lang.ref.Reference are not in the maps), instanceMirrorKlass.hpp (statics behind the instance).
#pragma once

#include <cstdint>
#include <span>

#include "common/arena.h"
#include "common/vm_adapter.h"
#include "jvmti/hotspot/frozen_catalog.h"
#include "jvmti/hotspot/heap_view.h"

namespace holdfast::jvmti {

struct ReferenceField {
  std::uint32_t offset = 0;
  RefLabel label;
};

enum class ShapeKind : std::uint8_t {
  kInstance,
  kReferenceArray,
  kPrimitiveArray,
  kClassObject,
  kStackChunk,
};

struct ClassShape {
  Address class_address = 0;
  Address mirror = 0;
  std::span<const ReferenceField> fields;   // of an instance
  std::span<const ReferenceField> statics;  // of the class object
  std::uint32_t instance_bytes = 0;         // arrays: the header
  std::uint32_t element_shift = 0;
  ClassId class_id;  // invalid: loaded after the catalog was read
  ShapeKind kind = ShapeKind::kInstance;
  bool reached = false;  // an object of it was met
  // What its class object holds is told: from the start for a class of the catalog, else from when the trace met that object. Both
  // passes must tell the same.
  bool object_seen = false;
  ClassCount count;  // of those that were met
};

class ClassShapes {
 public:
  ClassShapes(const HeapView& view, const FrozenCatalog& catalog, Arena& arena) noexcept
      : view_(view), catalog_(catalog), arena_(arena) {}

  Result<void> read() noexcept;
  // The shape of a class; nullptr when it is not known yet.
  ClassShape* find(Address class_address) noexcept {
    for (std::size_t at = slot_of(class_address);; at = (at + 1) & (slots_.size() - 1)) {
      const Slot& slot = slots_[at];
      if (slot.class_address == 0) return nullptr;
      if (slot.class_address == class_address) return &shapes_[slot.shape];
    }
  }
  // A class that was loaded since: believed when it and its class object name each other.
  Result<ClassShape*> learn(Address class_address) noexcept;
  ClassShape& of(ClassId id) noexcept { return shapes_[id.value]; }
  std::span<const ClassShape> all() const noexcept { return shapes_.first(used_); }
  // Offsets of jdk.internal.vm.StackChunk's `size` and `sp`; 0 unknown.
  std::uint32_t stack_chunk_size_field() const noexcept { return stack_chunk_size_field_; }
  std::uint32_t stack_chunk_top_field() const noexcept { return stack_chunk_top_field_; }

 private:
  struct Slot {
    Address class_address = 0;
    std::uint32_t shape = 0;
  };
  static constexpr std::uint32_t kMostLearned = 4096;

  std::size_t slot_of(Address class_address) const noexcept {
    constexpr std::uint64_t kMix = 0x9E3779B97F4A7C15u;  // Fibonacci hashing: the upper bits
    return static_cast<std::size_t>((class_address * kMix) >> slot_shift_);
  }
  void insert(std::uint32_t shape) noexcept;
  Result<void> read_class(std::uint32_t c) noexcept;
  Result<void> read_body(ClassShape& shape) noexcept;
  Result<void> read_fields(ClassShape& shape) noexcept;
  Result<void> read_statics(ClassShape& shape) noexcept;
  Result<void> check_class_class() noexcept;
  std::uint32_t count_mapped(Address maps, std::uint32_t blocks,
                             std::uint32_t instance_bytes) const noexcept;
  void label_chain(ClassId id, std::span<ReferenceField> fields) noexcept;
  void read_stack_chunk_fields() noexcept;

  const HeapView& view_;
  const FrozenCatalog& catalog_;
  Arena& arena_;
  std::span<ClassShape> shapes_;
  std::span<Slot> slots_;
  unsigned slot_shift_ = 63;
  std::uint32_t used_ = 0;
  std::uint32_t stack_chunk_size_field_ = 0;
  std::uint32_t stack_chunk_top_field_ = 0;
};

}  // namespace holdfast::jvmti
