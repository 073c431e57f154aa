// What the child knows from before the pause: the catalog, and handles by which it finds the catalog's things in the picture.
// Why handles: objects move until the VM stops, so an address is worth nothing earlier; a handle is a cell that the VM keeps right.
// Shape:  parallel to the catalog's tables; a field id is HotSpot's own (jfieldID): offset * 4 + 2 of an instance field, a JNIid
//         of a static one.
// Zone:   capture (filled), child (read).   Errors: none.
// Source: HotSpot, runtime/jfieldIDWorkaround.hpp.
#pragma once

#include <cstdint>
#include <span>

#include "jvmti/class_catalog.h"
#include "jvmti/hotspot/heap_view.h"

namespace holdfast::jvmti {

struct FrozenCatalog {
  HeapCatalog* heap = nullptr;
  std::span<const Address> classes;     // [C] jclass
  std::span<const Address> threads;     // [T] jthread
  std::span<const Address> loaders;     // [L] jobject, 0 for the boot loader
  std::span<const Address> field_ids;   // as Catalog::fields; empty where fields have no names
  std::span<const Address> kept_roots;  // weak handles of what the VM itself holds, taken at load
  ThreadId capture_thread;
  // Up to JDK 13 what compiled code refers to is told as a root of the VM: believed only where nothing else reaches the object.
  bool code_among_vm_roots = false;
};

inline bool is_instance_field(Address field_id) noexcept {
  constexpr Address kBits =
      3;  // bit 0: with a check sum, which product VMs do not make; bit 1: instance
  return (field_id & kBits) == 2;
}
inline std::uint32_t instance_field_offset(Address field_id) noexcept {
  return static_cast<std::uint32_t>(field_id >> 2);
}

}  // namespace holdfast::jvmti
