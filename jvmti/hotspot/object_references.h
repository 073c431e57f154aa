// Every reference that an object holds, with its label, read from the picture: fields, elements, and all that hangs on a class.
// Why one place: the trace follows exactly what the graph will contain, so both ask here.
// Shape:  visit(referent, label), in order of addresses; null references are not told. What a class object holds is its own fields,
//         its class' statics, superclass and interfaces, and what the constant pool has resolved: that a class keeps them alive
//         is nowhere in the heap. An object of a class that the catalog does not know also tells its class.
//         A stack chunk's frames are read word by word: whatever could be a reference is told as a guess.
// Zone:   child.   Errors: none here; the visitor decides what to believe.
// Source: HotSpot, oops/constantPool.hpp, oops/instanceStackChunkKlass.inline.hpp; prims/jvmtiTagMap.cpp (iterate_over_class).
#pragma once

#include <algorithm>
#include <cstdint>

#include "jvmti/hotspot/class_shapes.h"

namespace holdfast::jvmti {

class ObjectReferences {
 public:
  ObjectReferences(const HeapView& view, const FrozenCatalog& catalog, ClassShapes& shapes) noexcept
      : view_(view), catalog_(catalog), shapes_(shapes) {}

  // As the VM counts: aligned. 0 when the object would not fit into the heap, or its size cannot be read (the class of stack
  // chunks tells its fields only once it is linked, which it is before it has objects).
  std::uint64_t object_bytes(Address object, const ClassShape& shape) const noexcept {
    if (shape.kind == ShapeKind::kStackChunk && shapes_.stack_chunk_size_field() == 0) return 0;
    const std::uint64_t room = view_.layout().heap_end - object;
    if (shape.instance_bytes > room) return 0;  // what tells the size must be there
    const std::uint64_t bytes = view_.aligned(raw_bytes(object, shape));
    return bytes <= room ? bytes : 0;
  }

  template <class Visit>
  void for_each(Address object, const ClassShape& shape, Visit visit) noexcept {
    for_each(object, shape, visit, [](Address) { return true; });
  }
  // Behind a guess a class object may be stale, and what it refers to anything: the referent is read only for a label, and only
  // where sound(referent) knows it for an object.
  template <class Visit, class Sound>
  void for_each(Address object, const ClassShape& shape, Visit visit, Sound sound) noexcept {
    if (!shape.class_id.valid()) visit(shape.mirror, special(SpecialRef::kClass));
    switch (shape.kind) {
      case ShapeKind::kPrimitiveArray:
        return;
      case ShapeKind::kReferenceArray:
        return elements(object, shape, visit);
      case ShapeKind::kInstance:
      case ShapeKind::kStackChunk:
        return fields(object, shape.fields, visit);
      case ShapeKind::kClassObject:
        fields(object, shape.fields, [&](Address referent, RefLabel label) {
          const bool added = label == special(SpecialRef::kOther) && sound(referent);
          visit(referent, added ? added_field(referent) : label);
        });
        if (const ClassShape* type = shapes_.find(view_.class_of_mirror(object));
            type != nullptr && type->object_seen)
          held_by_class(*type, visit);
    }
  }

  // Whether a class' constant pool is what we think: each part of it that is read confirms another one.
  bool sound_pool(const ClassShape& type) noexcept {
    Pool pool;
    if (!open_pool(type, pool)) return false;
    if (load<std::uint32_t>(pool.tags + view_.layout().array_length_field) != pool.length ||
        tag_of(pool, 0) != kNothing)
      return false;
    for (std::uint32_t i = 1; i < pool.length; ++i)
      if (tag_of(pool, i) == kResolvedClass && !sound_class(pool, i)) return false;
    return sound_strings(pool);
  }

  // guess(address): what the frames of a stack chunk may refer to.
  template <class Guess>
  void for_each_guess(Address chunk, const ClassShape& shape, Guess guess) const noexcept {
    constexpr std::uint64_t kWord = 8;
    constexpr std::uint64_t kSavedWords = 2;  // below the top frame: return address, frame pointer
    const std::uint64_t words = chunk_words(chunk);
    std::uint64_t from = 0;
    if (const std::uint32_t at = shapes_.stack_chunk_top_field(); at != 0)
      from = load<std::uint32_t>(chunk + at);
    from = from > kSavedWords && from <= words ? from - kSavedWords : 0;
    const Address stack = chunk + shape.instance_bytes;
    for (std::uint64_t i = from; i < words; ++i) {
      guess(load<Address>(stack + i * kWord));
      if (!view_.layout().narrow_references) continue;
      guess(view_.decode(load<std::uint32_t>(stack + i * kWord)));
      guess(view_.decode(load<std::uint32_t>(stack + i * kWord + kWord / 2)));
    }
  }

 private:
  // The tags of a constant pool.
  static constexpr std::uint8_t kNothing = 0;        // JVM_CONSTANT_Invalid
  static constexpr std::uint8_t kText = 1;           // JVM_CONSTANT_Utf8
  static constexpr std::uint8_t kResolvedClass = 7;  // JVM_CONSTANT_Class
  static constexpr std::uint8_t kString = 8;         // JVM_CONSTANT_String
  static constexpr std::uint8_t kMethodHandle = 15;  // with MethodType and Dynamic
  static constexpr std::uint8_t kDynamic = 17;
  static constexpr std::uint8_t kHandleInError = 104;  // likewise
  static constexpr std::uint8_t kDynamicInError = 106;

  std::uint64_t chunk_words(Address chunk) const noexcept {
    return load<std::uint32_t>(chunk + shapes_.stack_chunk_size_field());
  }
  std::uint64_t raw_bytes(Address object, const ClassShape& shape) const noexcept {
    switch (shape.kind) {
      case ShapeKind::kPrimitiveArray:
      case ShapeKind::kReferenceArray:
        return shape.instance_bytes + (view_.array_length(object) << shape.element_shift);
      case ShapeKind::kClassObject:
        return std::uint64_t{load<std::uint32_t>(object + view_.layout().mirror_words)} * 8;
      case ShapeKind::kStackChunk: {
        // Behind the frames stands one bit for each place that may hold a reference, in whole words.
        const std::uint64_t words = chunk_words(object);
        const std::uint64_t bits = view_.layout().narrow_references ? words * 2 : words;
        return shape.instance_bytes + (words + (bits + 63) / 64) * 8;
      }
      case ShapeKind::kInstance:
        break;
    }
    return shape.instance_bytes;
  }

  // Fields that the VM itself adds to class objects are told apart by what they refer to.
  RefLabel added_field(Address referent) const noexcept {
    const ClassShape* shape = shapes_.find(view_.class_of(referent));
    if (shape == nullptr || !shape->class_id.valid()) return special(SpecialRef::kOther);
    const HeapCatalog& heap = *catalog_.heap;
    if (shape->class_id == heap.protection_domain_class)
      return special(SpecialRef::kProtectionDomain);
    return special(shape->class_id == heap.object_array_class ? SpecialRef::kSigners
                                                              : SpecialRef::kOther);
  }

  template <class Visit>
  void fields(Address object, std::span<const ReferenceField> list, Visit visit) const noexcept {
    for (const ReferenceField& field : list)
      if (const Address referent = view_.reference_at(object + field.offset); referent != 0)
        visit(referent, field.label);
  }

  template <class Visit>
  void elements(Address array, const ClassShape& shape, Visit& visit) const noexcept {
    const std::uint64_t length = view_.array_length(array);
    const std::uint64_t step = view_.layout().reference_bytes();
    const Address first = array + shape.instance_bytes;
    for (std::uint64_t i = 0; i < length; ++i)
      if (const Address referent = view_.reference_at(first + i * step); referent != 0)
        visit(referent, RefLabel::element(static_cast<std::uint32_t>(i)));
  }

  template <class Visit>
  void held_by_class(const ClassShape& type, Visit& visit) noexcept {
    fields(type.mirror, type.statics, visit);
    if (type.kind == ShapeKind::kPrimitiveArray || type.kind == ShapeKind::kReferenceArray) return;
    if (type.class_id.valid()) relatives(type.class_id, visit);
    pool(type, visit);
  }

  // java.lang.Object, which every class has above it, is not told.
  template <class Visit>
  void relatives(ClassId id, Visit& visit) noexcept {
    const HeapCatalog& heap = *catalog_.heap;
    const ClassId above = heap.catalog.classes[id.value].superclass;
    if (above.valid() && heap.catalog.classes[above.value].superclass.valid())
      visit(shapes_.of(above).mirror, special(SpecialRef::kSuperclass));
    for (const std::uint32_t interface : heap.interfaces_of(id))
      if (interface < catalog_.classes.size())
        visit(shapes_.of(ClassId{interface}).mirror, special(SpecialRef::kInterface));
  }

  template <class Visit>
  void pool(const ClassShape& type, Visit& visit) const noexcept {
    Pool pool;
    if (!open_pool(type, pool)) return;
    for (std::uint32_t i = 1; i < pool.length; ++i) {
      Address referent = 0;
      if (tag_of(pool, i) == kResolvedClass) {
        const Address other = resolved_class(pool, i);
        referent = other != 0 ? view_.mirror_of(other) : 0;
      } else if (tag_of(pool, i) == kString) {
        referent = resolved_string(pool, i);
      }
      if (referent != 0) visit(referent, special(SpecialRef::kConstantPool));
    }
    if (pool.strings.array != 0) visit(pool.strings.array, special(SpecialRef::kConstantPool));
  }

  // The array of resolved references, and which entry of the pool each belongs to.
  struct Strings {
    Address array = 0;
    Address first = 0;  // the array's first element
    Address map = 0;    // the first index
    std::uint32_t count = 0;
  };
  struct Pool {
    Address address = 0;
    Address tags = 0;
    Address classes = 0;  // table of resolved classes; 0: they stand in the slots
    std::uint32_t length = 0;
    Strings strings;
  };
  bool open_pool(const ClassShape& type, Pool& pool) const noexcept {
    const HeapLayout& layout = view_.layout();
    pool.address = load<Address>(type.class_address + layout.class_pool);
    if (pool.address == 0) return false;
    pool.tags = load<Address>(pool.address + layout.pool_tags);
    pool.length = load<std::uint32_t>(pool.address + layout.pool_length);
    if (pool.tags == 0) return false;
    if (layout.pool_cached) pool.classes = load<Address>(pool.address + layout.pool_classes);
    pool.strings = resolved_references(pool);
    return true;
  }
  // Beside the place of a resolved class stands the place of its name.
  bool sound_class(const Pool& pool, std::uint32_t i) noexcept {
    const HeapLayout& layout = view_.layout();
    if (layout.pool_cached) {
      const std::uint32_t name =
          load<std::uint32_t>(pool.address + layout.pool_bytes + std::uint64_t{i} * 8) >> 16;
      if (name >= pool.length || tag_of(pool, name) != kText) return false;
    }
    const Address other = resolved_class(pool, i);
    return other != 0 && (shapes_.find(other) != nullptr || shapes_.learn(other).ok());
  }
  static bool has_reference(std::uint8_t tag) noexcept {
    return tag == kString || (tag >= kMethodHandle && tag <= kDynamic) ||
           (tag >= kHandleInError && tag <= kDynamicInError);
  }
  // Once there is an array, every entry that may have a reference has its place in it.
  bool sound_strings(const Pool& pool) const noexcept {
    if (pool.strings.array == 0) return true;
    std::uint32_t wanted = 0;
    for (std::uint32_t i = 1; i < pool.length; ++i)
      wanted += has_reference(tag_of(pool, i)) ? 1 : 0;
    for (std::uint32_t i = 0; i < pool.strings.count; ++i) {
      const std::uint32_t entry = load<std::uint16_t>(pool.strings.map + std::uint64_t{i} * 2);
      if (entry >= pool.length || !has_reference(tag_of(pool, entry))) return false;
    }
    return wanted == pool.strings.count;
  }
  std::uint8_t tag_of(const Pool& pool, std::uint32_t i) const noexcept {
    return load<std::uint8_t>(pool.tags + view_.layout().array_u1_data + i);
  }
  Address resolved_class(const Pool& pool, std::uint32_t i) const noexcept {
    const HeapLayout& layout = view_.layout();
    const Address slot = pool.address + layout.pool_bytes + std::uint64_t{i} * 8;
    if (!layout.pool_cached) return load<Address>(slot);
    if (pool.classes == 0) return 0;
    const std::uint32_t index = load<std::uint32_t>(slot) & 0xFFFFu;
    if (index >= load<std::uint32_t>(pool.classes + layout.array_length_field)) return 0;
    return load<Address>(pool.classes + layout.array_class_data + std::uint64_t{index} * 8);
  }

  // The array is told as a whole; its strings are told again one by one, as the standard interface does.
  Strings resolved_references(const Pool& pool) const noexcept {
    const HeapLayout& layout = view_.layout();
    const Address holder =
        layout.pool_cached ? load<Address>(pool.address + layout.pool_cache) : pool.address;
    const Address array =
        holder != 0 ? view_.behind_handle(load<Address>(holder + layout.references)) : 0;
    if (array == 0) return {};
    Strings strings;
    strings.array = array;
    const Address map = load<Address>(holder + layout.reference_map);
    const ClassShape* shape = shapes_.find(view_.class_of(array));
    if (map == 0 || shape == nullptr || shape->kind != ShapeKind::kReferenceArray) return strings;
    const std::uint64_t count = std::min<std::uint64_t>(
        load<std::uint32_t>(map + layout.array_length_field), view_.array_length(array));
    strings.first = array + shape->instance_bytes;
    strings.map = map + layout.array_u2_data;
    strings.count = static_cast<std::uint32_t>(count);
    return strings;
  }

  Address resolved_string(const Pool& pool, std::uint32_t entry) const noexcept {
    const Strings& strings = pool.strings;
    for (std::uint32_t i = 0; i < strings.count; ++i)
      if (load<std::uint16_t>(strings.map + std::uint64_t{i} * 2) == entry)
        return view_.reference_at(strings.first + i * view_.layout().reference_bytes());
    return 0;
  }

  const HeapView& view_;
  const FrozenCatalog& catalog_;
  ClassShapes& shapes_;
};

}  // namespace holdfast::jvmti
