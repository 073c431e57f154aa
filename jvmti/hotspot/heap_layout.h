// Where things stand in HotSpot's heap and class metadata: one typed description, read from the exported tables.
// Why: the frozen heap is read as memory. Whatever that needs is named here once, with each VM generation's spelling beside it
//      (heap_layout.cpp); what is absent or implausible means that the rung is off, never that something is guessed.
// Shape:  offsets in bytes from the start of their structure. The heap's figures are those of the VM's whole life.
// Zone:   read_heap_layout(): capture (after VM init). The values: any.
// Errors: read_heap_layout() answers false and names the need in `why_not`.
// Source: HotSpot, runtime/vmStructs.hpp;
//         oops/{oop,klass,instanceKlass,objLayout,constantPool}.hpp; tried on 8 to 25
//         (docs/decisions/035-fork-snapshot-hotspot.md).
#pragma once

#include <cstdint>

#include "jvmti/hotspot/vm_flags.h"

namespace holdfast::jvmti {

struct HeapLayout {
  // the heap
  std::uint64_t heap_start = 0;  // reserved address range
  std::uint64_t heap_end = 0;
  std::uint64_t object_alignment = 8;
  bool forwarded_objects = false;  // a reference may lead to an old copy (Shenandoah)

  // references
  bool narrow_references = false;  // 32 bits: base + (value << shift)
  std::uint64_t reference_base = 0;
  std::uint32_t reference_shift = 0;

  // an object's header
  bool compact_headers = false;  // the class stands in the mark word's upper bits
  bool narrow_classes = false;
  std::uint64_t class_base = 0;
  std::uint32_t class_shift = 0;
  std::uint32_t mark_class_shift = 0;
  std::uint32_t mark = 0;
  std::uint32_t header_class = 0;
  std::uint32_t array_length = 0;

  // Klass, InstanceKlass
  std::uint32_t layout_helper = 0;
  std::uint32_t class_mirror = 0;
  bool mirror_by_handle = false;  // the mirror field points at the reference
  std::uint32_t vtable_length = 0;
  std::uint32_t itable_length = 0;
  std::uint32_t reference_map_length = 0;
  std::uint32_t instance_class_bytes = 0;

  // java.lang.Class objects
  std::uint32_t mirror_class = 0;
  std::uint32_t mirror_words = 0;
  std::uint32_t mirror_static_count = 0;

  // JNIid, behind a static jfieldID
  std::uint32_t static_field_offset = 0;

  // Method: its access flags. Optional; 0: not known.
  std::uint32_t method_flags = 0;

  // what a class' constant pool holds in the heap
  bool pool_cached =
      false;  // references and their map stand in the cache, classes in a table (from 9 on)
  std::uint32_t class_pool = 0;     // InstanceKlass -> ConstantPool
  std::uint32_t pool_cache = 0;     // ConstantPool -> ConstantPoolCache
  std::uint32_t pool_tags = 0;      // ConstantPool -> Array<u1>
  std::uint32_t pool_length = 0;    // int
  std::uint32_t pool_classes = 0;   // ConstantPool -> Array<Klass*>
  std::uint32_t pool_bytes = 0;     // sizeof(ConstantPool): slots follow
  std::uint32_t references = 0;     // cache or pool -> handle of the Object[]
  std::uint32_t reference_map = 0;  // cache or pool -> Array<u2>: pool index of each of them
  std::uint32_t array_u1_data = 0;
  std::uint32_t array_u2_data = 0;
  std::uint32_t array_class_data = 0;
  std::uint32_t array_length_field = 0;

  friend bool operator==(const HeapLayout&, const HeapLayout&) noexcept = default;
  std::uint64_t reference_bytes() const noexcept { return narrow_references ? 4 : 8; }
  // Objects begin at multiples of 8 bytes, counted from the start of the heap.
  std::uint64_t place_of(std::uint64_t address) const noexcept {
    return (address - heap_start) / 8;
  }
};

struct LayoutRefusal {
  char text[160] = "";
};

bool read_heap_layout(VmSymbol symbol, HeapLayout& out, LayoutRefusal& why_not) noexcept;

}  // namespace holdfast::jvmti
