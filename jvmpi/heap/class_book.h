// What the VM has told of classes in this dump: names, fields, superclasses, by class id.
// Why copies: the VM's texts live as long as its event, and ids as long as no collection runs.
// Shape:  classes numbered in the order in which they were met. Open addressing, at most half full, grown by doubling: at most 16 B a
//         class for the tables, 160 B for the row, and its texts.
//         Field f of a class C is field C.first_slot + f of its instances and of its class object: static ones first, then its own
//         instance fields, as the VM lists them; C.first_slot counts all fields of all superclasses (Catalog, "field slots").
//         Numbers of classes while a heap is read, before the catalog is made:
//         number_of_instance(), number_of_array(), number_of_primitive_array().
// Zone:   capture, GC off.
// Errors: the arena's. A class that the VM does not tell stays kRefused and has no name.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "common/arena.h"
#include "common/snapshot/kinds.h"
#include "common/typed_index.h"
#include "common/vm_adapter.h"
#include "jvmpi/abi/jvmpi.h"
#include "jvmpi/records/record_reader.h"

namespace holdfast::jvmpi {

enum class Told : std::uint8_t { kUnasked, kTold, kRefused };

struct BookedClass {
  static constexpr std::uint32_t kNoField = 0xFFFFFFFFu;

  VmId id = 0;
  std::uint32_t number = 0;
  Told loaded = Told::kUnasked;                // by CLASS_LOAD
  Told recorded = Told::kUnasked;              // by its record in a dump
  bool settled = false;                        // what follows from its superclasses is known
  bool cut = false;                            // a superclass is not known, and what its fields are
  std::uint32_t value_bytes = 0;               // of its instances in a dump, up to where it is cut
  ValueType last_value = ValueType::kUnknown;  // of these
  bool is_thread = false;
  bool holds_instances = false;
  bool holds_arrays = false;  // arrays were told with this class's id
  Strength referent = Strength::kStrong;
  std::string_view name;         // as the VM writes it: "shop.Session", "[Ljava.lang.String;"
  std::string_view field_names;  // one after the other, NUL behind each: statics, then instances
  ClassShape shape;
  BookedClass* super = nullptr;
  VmId super_id = 0;
  VmId loader = 0;
  std::uint32_t first_slot = 0;
  std::uint32_t referent_ordinal = kNoField;  // of java.lang.ref.Reference alone
  ClassCount instances;                       // of a dump that only counts
  ClassCount arrays;                          // likewise: those told with this class
  std::uint64_t instance_bytes = 0;           // of one object, header included; 0: not asked yet

  bool is_array() const noexcept { return !name.empty() && name.front() == '['; }
  std::uint32_t field_count() const noexcept {
    return static_cast<std::uint32_t>(shape.statics.size() + shape.instances.size());
  }
};

class ClassBook {
 public:
  static Result<ClassBook> make(Arena& arena) noexcept;

  // nullptr: there is no room for another one.
  BookedClass* find_or_add(VmId id) noexcept;
  BookedClass* find(VmId id) const noexcept;
  std::span<BookedClass* const> classes() const noexcept { return order_.first(count_); }
  std::uint32_t size() const noexcept { return count_; }
  // Copies what CLASS_LOAD tells; false: no room, or counts that cannot be.
  bool tell(const JVMPI_Event& event, BookedClass& out) noexcept;

 private:
  bool grow() noexcept;
  std::size_t slot_of(VmId id) const noexcept;

  Arena* arena_ = nullptr;
  std::span<BookedClass*> order_;
  std::span<std::uint32_t> slots_;  // number + 1
  std::uint32_t count_ = 0;
};

// -- numbers of classes while a heap is read --
inline constexpr std::uint32_t kNumberOfClassObjects = 1;  // instances of java.lang.Class
inline constexpr std::uint32_t kFirstBookedNumber = 12;    // behind the types of values
inline ClassId number_of_primitive_array(ValueType element) noexcept {
  return ClassId{static_cast<std::uint32_t>(element)};
}
inline ClassId number_of_instance(const BookedClass& of) noexcept {
  return ClassId{kFirstBookedNumber + 2 * of.number};
}
// The class's id is what an array was told with: its elements' class or its own, the catalog finds out.
inline ClassId number_of_array(const BookedClass& told_with) noexcept {
  return ClassId{kFirstBookedNumber + 2 * told_with.number + 1};
}
inline std::uint32_t numbers_used(const ClassBook& book) noexcept {
  return kFirstBookedNumber + 2 * book.size();
}

}  // namespace holdfast::jvmpi
