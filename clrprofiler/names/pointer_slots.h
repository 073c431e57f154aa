// What the references in a class's objects are called: the fields of the class and of those it derives from, and inside embedded
// structs "outer.inner".
// Why two sources: gc_layout.h says where references are, completely and in the runtime's order; layouts and metadata say which
//      field covers a place. So a place that lies in a struct whose type cannot be told still has the outer field's name.
// Shape:  slots in the runtime's order, which is that of an object's edges in heap events and of EnumerateObjectReferences: slot k is
//         the k-th reference of an object in which none is null. A property's own field is called as the property
//         ("<Items>k__BackingField" is "Items"); other names made by the compiler stay. Of an array of structs the slots of one
//         element. About 20 KB of scratch; 1 + fields calls of the runtime for a class.
// Zone:   capture, application running. The thread as for Modules and for the StructTypes.
// Errors: those of gc_layout.h. What has no name is "".
// Source: ICorProfilerInfo2::GetClassLayout.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "clrprofiler/names/class_reader.h"
#include "clrprofiler/names/class_rows.h"
#include "clrprofiler/names/field_type.h"
#include "clrprofiler/names/struct_types.h"
#include "common/string_table.h"

namespace holdfast::clr {

struct PointerSlot {
  std::uint32_t offset = 0;  // from the start of the object or of the array's element
  StringId name;
};

// "Items" for "<Items>k__BackingField"; any other name as it is.
std::string_view field_display_name(std::string_view name) noexcept;

class SlotReader {
 public:
  static constexpr std::size_t kMaxSlots =
      2048;  // of a class; what has more keeps its references unnamed
  static constexpr std::size_t kMaxFields = 1024;  // of a class and those it derives from
  static constexpr std::size_t kMaxChain = 64;     // superclasses
  static constexpr std::size_t kMaxInner = 8;      // structs in structs

  Result<void> open(ClassReader& reader, StructTypes& structs, Arena& arena) noexcept;
  // Until the next read().
  Result<std::span<const PointerSlot>> read(ClassID id, StringTable& strings) noexcept;

 private:
  struct Owner {
    ClassID id = 0;
    ModuleID module = 0;
    ClassID parent = 0;
    ULONG32 argument_count = 0;
    ClassID arguments[FieldType::kMaxArguments] = {};
  };
  struct Field {
    std::uint32_t offset = 0;
    mdFieldDef token = 0;
    std::uint32_t owner = 0;  // into owners_
  };

  void collect_fields(ClassID id, std::uint32_t base_offset) noexcept;
  std::size_t layout_of(std::uint32_t owner, std::uint32_t base_offset, std::size_t used) noexcept;
  bool read_owner(ClassID id, Owner& out) noexcept;
  const Field* covering(std::span<const Field> fields, std::uint32_t offset) const noexcept;
  void append_name(std::uint32_t offset, NameText& out) noexcept;
  ClassID struct_of(const Owner& owner, const FieldType& type) noexcept;
  ClassID simple_class(const Owner& owner, const SimpleType& type) noexcept;
  ClassID class_of(ModuleID module, mdToken token, std::span<ClassID> arguments) noexcept;

  ClassReader* reader_ = nullptr;
  StructTypes* structs_ = nullptr;
  std::span<PointerSlot> slots_;
  std::span<std::uint32_t> offsets_;
  std::span<Field> fields_;
  std::span<COR_FIELD_OFFSET> layout_;
  std::span<Owner> owners_;
  std::size_t field_count_ = 0;
  std::uint32_t owner_count_ = 0;
};

// Room for all names that fill_fields() will intern.
NameRoom field_name_room(std::span<const ClassID> ids) noexcept;
// catalog.fields: for each class its slots, so that RefLabel::instance_field(k) is slot k. After fill_classes().
Result<void> fill_fields(SlotReader& slots, std::span<const ClassID> ids, CaptureMemory& memory,
                         Catalog& catalog) noexcept;

}  // namespace holdfast::clr
