#include "clrprofiler/names/pointer_slots.h"

#include <algorithm>

#include "clrprofiler/names/gc_layout.h"
#include "clrprofiler/names/type_lookup.h"

namespace holdfast::clr {

namespace {

constexpr std::string_view kBackingField = ">k__BackingField";
constexpr std::uint64_t kFieldNameBytes = 24;  // on the average

// Of the type that has the name in the core library; element types have no token.
const char16_t* core_name(CorElementType type) noexcept {
  struct Row {
    CorElementType type;
    const char16_t* name;
  };
  constexpr Row kRows[] = {
      {ELEMENT_TYPE_BOOLEAN, u"System.Boolean"}, {ELEMENT_TYPE_CHAR, u"System.Char"},
      {ELEMENT_TYPE_I1, u"System.SByte"},        {ELEMENT_TYPE_U1, u"System.Byte"},
      {ELEMENT_TYPE_I2, u"System.Int16"},        {ELEMENT_TYPE_U2, u"System.UInt16"},
      {ELEMENT_TYPE_I4, u"System.Int32"},        {ELEMENT_TYPE_U4, u"System.UInt32"},
      {ELEMENT_TYPE_I8, u"System.Int64"},        {ELEMENT_TYPE_U8, u"System.UInt64"},
      {ELEMENT_TYPE_R4, u"System.Single"},       {ELEMENT_TYPE_R8, u"System.Double"},
      {ELEMENT_TYPE_I, u"System.IntPtr"},        {ELEMENT_TYPE_U, u"System.UIntPtr"},
      {ELEMENT_TYPE_STRING, u"System.String"},   {ELEMENT_TYPE_OBJECT, u"System.Object"},
  };
  for (const Row& row : kRows)
    if (row.type == type) return row.name;
  return nullptr;
}

}  // namespace

std::string_view field_display_name(std::string_view name) noexcept {
  if (!name.starts_with('<') || !name.ends_with(kBackingField)) return name;
  const std::string_view property = name.substr(1, name.size() - 1 - kBackingField.size());
  return property.empty() ? name : property;
}

Result<void> SlotReader::open(ClassReader& reader, StructTypes& structs, Arena& arena) noexcept {
  reader_ = &reader;
  structs_ = &structs;
  HF_TRY(slots, arena.make<PointerSlot>(kMaxSlots));
  HF_TRY(offsets, arena.make<std::uint32_t>(kMaxSlots));
  HF_TRY(fields, arena.make<Field>(kMaxFields));
  HF_TRY(layout, arena.make<COR_FIELD_OFFSET>(kMaxFields));
  HF_TRY(owners, arena.make<Owner>(kMaxChain + 1));
  slots_ = slots;
  offsets_ = offsets;
  fields_ = fields;
  layout_ = layout;
  owners_ = owners;
  return {};
}

Result<std::span<const PointerSlot>> SlotReader::read(ClassID id, StringTable& strings) noexcept {
  HF_TRY(layout, read_gc_layout(id, offsets_));
  field_count_ = owner_count_ = 0;
  const ClassFacts& facts = reader_->read(id);
  if (layout.offsets.empty()) return std::span<const PointerSlot>();
  if (facts.is_array()) {
    collect_fields(facts.element, 0);
  } else {
    ULONG32 header = 0;
    if (facts.value_type && !succeeded(reader_->info()->GetBoxClassLayout(id, &header)))
      header = sizeof(void*);
    collect_fields(id, header);
  }
  for (std::size_t i = 0; i < layout.offsets.size(); ++i) {
    NameText name;
    append_name(layout.offsets[i], name);
    slots_[i] = {layout.offsets[i], strings.intern(name.view())};
  }
  return std::span<const PointerSlot>(slots_.first(layout.offsets.size()));
}

// Fields of the class and of all above it, by offset.
void SlotReader::collect_fields(ClassID id, std::uint32_t base_offset) noexcept {
  while (id != 0 && owner_count_ < kMaxChain && read_owner(id, owners_[owner_count_])) {
    field_count_ = layout_of(owner_count_, base_offset, field_count_);
    id = owners_[owner_count_++].parent;
  }
  std::sort(fields_.begin(), fields_.begin() + static_cast<std::ptrdiff_t>(field_count_),
            [](const Field& a, const Field& b) { return a.offset < b.offset; });
}

// Appends the fields that an owner declares to fields_[used…); answers how many there are then.
std::size_t SlotReader::layout_of(std::uint32_t owner, std::uint32_t base_offset,
                                  std::size_t used) noexcept {
  ULONG count = 0;
  ULONG bytes = 0;
  const std::size_t room = fields_.size() - used;
  if (!succeeded(reader_->info()->GetClassLayout(owners_[owner].id, layout_.data(),
                                                 static_cast<ULONG>(room), &count, &bytes)))
    return used;
  for (std::size_t i = 0; i < std::min<std::size_t>(count, room); ++i)
    fields_[used++] = {layout_[i].ulOffset + base_offset, layout_[i].ridOfField, owner};
  return used;
}

bool SlotReader::read_owner(ClassID id, Owner& out) noexcept {
  out = Owner{};
  out.id = id;
  mdTypeDef token = 0;
  return succeeded(reader_->info()->GetClassIDInfo2(id, &out.module, &token, &out.parent,
                                                    FieldType::kMaxArguments, &out.argument_count,
                                                    out.arguments));
}

const SlotReader::Field* SlotReader::covering(std::span<const Field> fields,
                                              std::uint32_t offset) const noexcept {
  const auto behind =
      std::upper_bound(fields.begin(), fields.end(), offset,
                       [](std::uint32_t at, const Field& field) { return at < field.offset; });
  return behind == fields.begin() ? nullptr : &*(behind - 1);
}

// The field that covers the place, then the one of its struct that does, and so on.
void SlotReader::append_name(std::uint32_t offset, NameText& out) noexcept {
  std::span<const Field> fields = fields_.first(field_count_);
  for (std::size_t depth = 0; depth < kMaxInner; ++depth) {
    const Field* field = covering(fields, offset);
    if (field == nullptr) return;
    Owner& owner = owners_[field->owner];
    NameText name;
    const auto declared = reader_->modules().of(owner.module).metadata.field(field->token, name);
    if (!declared) return;
    if (depth > 0) out.append(".");
    out.append(field_display_name(name.view()));
    offset -= field->offset;
    const ClassID inner = struct_of(owner, parse_field_type(declared->signature));
    // The place behind the chain is for one struct at a time.
    if (inner == 0 || !read_owner(inner, owners_[owner_count_])) return;
    const std::size_t end = layout_of(owner_count_, 0, field_count_);
    fields = fields_.subspan(field_count_, end - field_count_);
    std::sort(fields_.begin() + static_cast<std::ptrdiff_t>(field_count_),
              fields_.begin() + static_cast<std::ptrdiff_t>(end),
              [](const Field& a, const Field& b) { return a.offset < b.offset; });
  }
}

// The struct's ClassID, 0 when the field is none or its type is too involved.
ClassID SlotReader::struct_of(const Owner& owner, const FieldType& type) noexcept {
  if (type.kind == FieldType::Kind::kArgument) {
    const ClassID argument =
        type.argument < std::min<std::size_t>(owner.argument_count, FieldType::kMaxArguments)
            ? owner.arguments[type.argument]
            : 0;
    return argument != 0 && reader_->read(argument).value_type ? argument : 0;
  }
  if (type.kind != FieldType::Kind::kStruct) return 0;
  ClassID arguments[FieldType::kMaxArguments] = {};
  for (std::uint32_t i = 0; i < type.argument_count; ++i) {
    arguments[i] = simple_class(owner, type.arguments[i]);
    if (arguments[i] == 0) return 0;
  }
  return class_of(owner.module, type.token, std::span(arguments).first(type.argument_count));
}

ClassID SlotReader::simple_class(const Owner& owner, const SimpleType& type) noexcept {
  if (type.kind == ELEMENT_TYPE_VAR) {
    return type.argument < std::min<std::size_t>(owner.argument_count, FieldType::kMaxArguments)
               ? owner.arguments[type.argument]
               : 0;
  }
  if (type.token != 0) return class_of(owner.module, type.token, {});
  const Module& core = reader_->modules().core();
  const char16_t* name = core_name(type.kind);
  if (name == nullptr) return 0;
  const auto token = core.metadata.find(name);
  return token ? class_of(core.id, *token, {}) : 0;
}

ClassID SlotReader::class_of(ModuleID module, mdToken token,
                             std::span<ClassID> arguments) noexcept {
  const auto place = find_type(reader_->modules(), module, token);
  return place ? structs_->find(place->module, place->token, arguments) : 0;
}

NameRoom field_name_room(std::span<const ClassID> ids) noexcept {
  std::uint32_t room[SlotReader::kMaxSlots];
  NameRoom names;
  for (const ClassID id : ids) {
    const auto layout = read_gc_layout(id, room);
    if (!layout || layout->element_bytes != 0) continue;
    names.names += static_cast<std::uint32_t>(layout->offsets.size());
    names.text_bytes += layout->offsets.size() * kFieldNameBytes;
  }
  return names;
}

Result<void> fill_fields(SlotReader& slots, std::span<const ClassID> ids, CaptureMemory& memory,
                         Catalog& catalog) noexcept {
  const NameRoom room = field_name_room(ids);
  HF_TRY(names, memory.catalog_arena().make<StringId>(room.names));
  std::uint32_t used = 0;
  for (std::size_t i = 0; i < ids.size() && i < catalog.classes.size(); ++i) {
    ClassRow& row = catalog.classes[i];
    row.first_field = used;
    if ((row.flags & kClassArray) != 0) continue;
    const auto of_class = slots.read(ids[i], catalog.strings);
    if (!of_class || of_class->size() > names.size() - used) continue;
    for (const PointerSlot& slot : *of_class) names[used++] = slot.name;
    row.field_count = used - row.first_field;
  }
  catalog.fields = names.first(used);
  return {};
}

}  // namespace holdfast::clr
