// What an HPROF dump says of classes and objects that a snapshot does not: identifiers, field layouts, lengths of arrays.
// Why derived: a snapshot knows shallow sizes and references, HPROF wants fields and lengths and has no sizes. Fields that hold
//      a reference somewhere get their name; the rest of an object's size becomes fields without meaning, so that readers work
//      out the size that the snapshot has. Array lengths are the most that the size has room for.
// Shape:  address[n]: objects lie one behind the other in the order class objects, other objects, from kFirstAddress on, so that
//         the distance to the next is the shallow size, rounded up to 8. Classes without class object get identifiers behind.
//         8 + 4 B an object, 40 B a class, 1 B a declared field; O(n + m).
//         reference_bytes: 4 where an array or an instance has more references than 8 bytes each would leave room for, else 8.
// Zone:   offline.   Errors: none; std::bad_alloc.
// Source: sizes as analysis/import/hprof_sizes.h works them out, which are Eclipse MAT's rules.
#pragma once

#include <cstdint>
#include <vector>

#include "common/snapshot/snapshot.h"

namespace holdfast::cli {

// The class of an object whose class the snapshot does not know: index class_count.
struct HprofClassShape {
  std::uint64_t id = 0;                // of its class object
  std::uint32_t object = 0xFFFFFFFF;   // that object, where the snapshot has it
  std::uint32_t extra_references = 0;  // references of an instance that have no field of their own
  std::uint32_t longs = 0, ints = 0;   // fields without meaning
  std::uint32_t static_longs = 0;
  std::uint64_t dump_bytes = 0;       // of an instance's values in the dump, superclasses included
  bool dumped = false;                // has a class object or instances, or a class below it has
  bool referent = false;              // declares java.lang.ref.Reference.referent
  std::vector<std::uint32_t> fields;  // ordinals of declared fields that hold references
};

class HprofLayout {
 public:
  static constexpr std::uint64_t kFirstAddress = 0x10000;
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;
  static constexpr std::uint32_t kMostSteps = 1000;  // up a chain of superclasses
  explicit HprofLayout(const Snapshot& snapshot);

  std::uint64_t address(std::uint32_t object) const { return addresses_[object]; }
  // Index of the class whose class object this is, or kNone.
  std::uint32_t class_of_mirror(std::uint32_t object) const { return mirror_of_[object]; }
  std::uint32_t class_index(std::uint32_t object) const;  // class_count for an unknown one
  const std::vector<HprofClassShape>& shapes() const { return shapes_; }
  std::uint64_t shallow(std::uint32_t object) const;  // rounded up to 8
  unsigned reference_bytes() const { return reference_bytes_; }
  std::uint32_t superclass(std::uint32_t c) const;  // kNone: none
  ObjectId loader(std::uint32_t c) const;           // invalid: the boot loader
  // The references of its class object that are static fields in the dump: all but superclass and loader, which have places.
  std::vector<std::uint32_t> statics(std::uint32_t c) const;
  std::uint32_t array_length(std::uint32_t object) const;  // as many as a dump can hold
  bool array_is_cut(std::uint32_t object) const;           // it has more
  // The HPROF type of a primitive array's elements; 0: an array of references, or none.
  std::uint8_t element_type(std::uint32_t c) const;

  // Where the values of a reference of an instance go: the class and its field, or kNone for an extra one.
  struct Place {
    std::uint32_t declared_in = kNone;
    std::uint32_t ordinal = kNone;  // kReferent: java.lang.ref.Reference.referent
    friend bool operator==(const Place&, const Place&) = default;
  };
  static constexpr std::uint32_t kReferent = 0xFFFFFFFE;
  Place place(std::uint32_t c, RefLabel label) const;

 private:
  void place_objects();
  void find_reference_bytes();
  void find_fields();
  void find_instance_fields(std::uint32_t object);
  void fill_classes();
  void fill_class(std::uint32_t c, std::vector<std::uint64_t>& ends);
  void fill_statics();
  void add_up_values();
  void find_dumped();
  std::uint64_t class_base() const;
  std::uint64_t base_error(std::uint64_t base) const;
  std::uint64_t statics_bytes(std::uint32_t c) const;
  std::uint64_t whole_length(std::uint32_t array) const;
  std::uint64_t dump_element_bytes(std::uint32_t array) const;

  const Snapshot& s_;
  unsigned reference_bytes_ = 8;
  std::uint32_t reference_class_ = kNone;
  std::uint32_t class_class_ = kNone;
  std::uint64_t class_class_end_ = 0;
  std::uint64_t other_class_objects_ = 0;  // of primitive types, and of classes that are not loaded
  std::vector<std::uint64_t> addresses_;
  std::vector<std::uint32_t> mirror_of_;
  std::vector<HprofClassShape> shapes_;       // [classes + 1]
  std::vector<bool> holds_reference_;         // [fields]
  std::vector<std::uint64_t> least_shallow_;  // [classes + 1]; UINT64_MAX without an instance
};

}  // namespace holdfast::cli
