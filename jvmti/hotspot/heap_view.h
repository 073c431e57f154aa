// Reading HotSpot's heap and class metadata as plain memory: headers, references, sizes.
// Why inline: these are the innermost reads of the trace, a few for every object and reference.
// Shape:  addresses are 64-bit numbers; 0 is null. Nothing is checked but what the name says.
// Zone:   child, stopped.   Errors: none; a wrong layout reads wrong memory, which only a child may risk.
// Source: HotSpot, oops/klass.hpp (layout helper), oops/compressedOops.inline.hpp, gc/shenandoah/shenandoahForwarding.hpp.
#pragma once

#include <cstdint>
#include <cstring>

#include "jvmti/hotspot/heap_layout.h"

namespace holdfast::jvmti {

using Address = std::uint64_t;

template <class T>
inline T load(Address address) noexcept {
  T value;
  std::memcpy(&value, reinterpret_cast<const void*>(address), sizeof value);
  return value;
}

// Klass::_layout_helper: positive, the size of an instance in bytes (the lowest bit is a flag); negative, an array:
// two bits of kind, then the header's bytes and the element's size as a power of two.
struct LayoutHelper {
  std::int32_t bits = 0;
  bool is_array() const noexcept { return bits < 0; }
  bool is_reference_array() const noexcept { return static_cast<std::uint32_t>(bits) >> 30 == 2; }
  std::uint32_t instance_bytes() const noexcept { return static_cast<std::uint32_t>(bits) & ~7u; }
  std::uint32_t header_bytes() const noexcept {
    return (static_cast<std::uint32_t>(bits) >> 16) & 0xFFu;
  }
  std::uint32_t element_shift() const noexcept { return static_cast<std::uint32_t>(bits) & 0x3Fu; }
};

class HeapView {
 public:
  explicit HeapView(const HeapLayout& layout) noexcept
      : layout_(layout), last_object_(layout.heap_end - (layout.compact_headers ? 8 : 16)) {}

  const HeapLayout& layout() const noexcept { return layout_; }
  // Could be an object: its header inside the heap, and where objects may begin.
  bool plausible(Address object) const noexcept {
    return object >= layout_.heap_start && object <= last_object_ &&
           (object & (layout_.object_alignment - 1)) == 0;
  }
  Address class_of(Address object) const noexcept {
    if (layout_.compact_headers)
      return layout_.class_base + (load<std::uint64_t>(object + layout_.mark) >>
                                   layout_.mark_class_shift << layout_.class_shift);
    if (!layout_.narrow_classes) return load<Address>(object + layout_.header_class);
    return layout_.class_base + (std::uint64_t{load<std::uint32_t>(object + layout_.header_class)}
                                 << layout_.class_shift);
  }
  // The reference at `slot` inside the heap.
  Address reference_at(Address slot) const noexcept {
    if (!layout_.narrow_references) return current(load<Address>(slot));
    return current(decode(load<std::uint32_t>(slot)));
  }
  Address decode(std::uint32_t narrow) const noexcept {
    return narrow == 0
               ? 0
               : layout_.reference_base + (std::uint64_t{narrow} << layout_.reference_shift);
  }
  // The reference behind a JNI handle, a VM handle or any other cell outside the heap; tag bits of the handle are ignored.
  Address behind_handle(Address handle) const noexcept {
    constexpr Address kTagBits = 7;
    return handle == 0 ? 0 : current(load<Address>(handle & ~kTagBits));
  }
  // The copy that counts, where a collector that moves objects beside the application has left two.
  Address current(Address object) const noexcept {
    if (!layout_.forwarded_objects || !plausible(object)) return object;
    constexpr std::uint64_t kForwarded = 3;
    const auto mark = load<std::uint64_t>(object + layout_.mark);
    const Address copy = mark & ~kForwarded;
    return (mark & kForwarded) == kForwarded && copy != 0 ? copy : object;
  }
  std::uint64_t array_length(Address array) const noexcept {
    return load<std::uint32_t>(array + layout_.array_length);
  }
  std::uint64_t aligned(std::uint64_t bytes) const noexcept {
    return (bytes + layout_.object_alignment - 1) & ~(layout_.object_alignment - 1);
  }

  // -- class metadata --
  LayoutHelper helper_of(Address class_address) const noexcept {
    return LayoutHelper{load<std::int32_t>(class_address + layout_.layout_helper)};
  }
  Address mirror_of(Address class_address) const noexcept {
    const Address field = class_address + layout_.class_mirror;
    return layout_.mirror_by_handle ? behind_handle(load<Address>(field))
                                    : current(load<Address>(field));
  }
  // The class that a class object stands for; 0 for a primitive type's.
  Address class_of_mirror(Address mirror) const noexcept {
    return load<Address>(mirror + layout_.mirror_class);
  }

 private:
  const HeapLayout& layout_;
  Address last_object_;
};

}  // namespace holdfast::jvmti
