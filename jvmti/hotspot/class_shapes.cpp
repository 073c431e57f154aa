#include "jvmti/hotspot/class_shapes.h"

#include <algorithm>
#include <bit>

namespace holdfast::jvmti {

namespace {

constexpr std::uint32_t kMostTableWords = 1u << 20;  // of a vtable or an itable
constexpr std::uint32_t kMostMapBlocks = 1u << 16;
constexpr std::uint32_t kMostSuperclassSteps = 1u << 12;
constexpr std::uint32_t kMostStatics = 1u << 16;  // the class file's own limit

struct MapBlock {
  std::int32_t offset;
  std::uint32_t count;
};

Error contradiction(std::uint64_t what) noexcept {
  return make_error(ErrorCode::kInconsistent, static_cast<std::int64_t>(what));
}

bool by_offset(const ReferenceField& a, const ReferenceField& b) noexcept {
  return a.offset < b.offset;
}

ReferenceField* field_at(std::span<ReferenceField> fields, std::uint32_t offset) noexcept {
  const auto found =
      std::lower_bound(fields.begin(), fields.end(), ReferenceField{offset, RefLabel{}}, by_offset);
  return found != fields.end() && found->offset == offset ? &*found : nullptr;
}

// The loader and its like are told as such, as the standard interface does, whether they are fields or not.
RefLabel class_object_label(std::string_view field, RefLabel otherwise) noexcept {
  if (field == "classLoader") return special(SpecialRef::kClassLoader);
  if (field == "protectionDomain") return special(SpecialRef::kProtectionDomain);
  if (field == "signers") return special(SpecialRef::kSigners);
  return otherwise;
}

}  // namespace

Result<void> ClassShapes::read() noexcept {
  const auto classes = static_cast<std::uint32_t>(catalog_.classes.size());
  HF_TRY(shapes, arena_.make_filled<ClassShape>(classes + kMostLearned, ClassShape{}));
  const std::size_t slots = std::bit_ceil(std::size_t{classes + kMostLearned} * 2);
  HF_TRY(table, arena_.make_filled<Slot>(slots, Slot{}));
  shapes_ = shapes;
  slots_ = table;
  slot_shift_ = static_cast<unsigned>(64 - std::countr_zero(slots));
  used_ = classes;
  for (std::uint32_t c = 0; c < classes; ++c) {
    ClassShape& shape = shapes_[c];
    shape.class_id = ClassId{c};
    shape.object_seen = true;
    shape.mirror = view_.behind_handle(catalog_.classes[c]);
    if (!view_.plausible(shape.mirror)) return contradiction(c);
    shape.class_address = view_.class_of_mirror(shape.mirror);
    if (shape.class_address == 0 || shape.class_address % 8 != 0) return contradiction(c);
    insert(c);
  }
  HF_CHECK_OK(check_class_class());
  read_stack_chunk_fields();
  for (std::uint32_t c = 0; c < classes; ++c) HF_CHECK_OK(read_class(c));
  return {};
}

void ClassShapes::insert(std::uint32_t shape) noexcept {
  const Address address = shapes_[shape].class_address;
  std::size_t at = slot_of(address);
  while (slots_[at].class_address != 0) at = (at + 1) & (slots_.size() - 1);
  slots_[at] = Slot{address, shape};
}

// Every class object's own class must be java.lang.Class: what the whole picture rests on.
Result<void> ClassShapes::check_class_class() noexcept {
  const ClassId class_class = catalog_.heap->class_class;
  if (!class_class.valid()) return make_error(ErrorCode::kUnsupported);
  const Address expected = shapes_[class_class.value].class_address;
  for (std::uint32_t c = 0; c < used_; ++c)
    if (view_.class_of(shapes_[c].mirror) != expected) return contradiction(c);
  return {};
}

Result<void> ClassShapes::read_class(std::uint32_t c) noexcept {
  ClassShape& shape = shapes_[c];
  if (view_.mirror_of(shape.class_address) != shape.mirror) return contradiction(c);
  return read_body(shape);
}

Result<void> ClassShapes::read_body(ClassShape& shape) noexcept {
  const LayoutHelper helper = view_.helper_of(shape.class_address);
  if (helper.is_array()) {
    shape.kind =
        helper.is_reference_array() ? ShapeKind::kReferenceArray : ShapeKind::kPrimitiveArray;
    shape.instance_bytes = helper.header_bytes();
    shape.element_shift = helper.element_shift();
    const std::uint64_t least = view_.layout().array_length + 4;
    const bool odd = shape.element_shift > 3 || shape.instance_bytes < least ||
                     (helper.is_reference_array() &&
                      (1u << shape.element_shift) != view_.layout().reference_bytes());
    return odd ? Result<void>{contradiction(shape.class_address)} : Result<void>{};
  }
  shape.instance_bytes = helper.instance_bytes();
  if (shape.class_id.valid()) {
    if (shape.class_id == catalog_.heap->class_class) shape.kind = ShapeKind::kClassObject;
    if (shape.class_id == catalog_.heap->stack_chunk_class) shape.kind = ShapeKind::kStackChunk;
  }
  HF_CHECK_OK(read_fields(shape));
  return read_statics(shape);
}

std::uint32_t ClassShapes::count_mapped(Address maps, std::uint32_t blocks,
                                        std::uint32_t instance_bytes) const noexcept {
  constexpr std::uint32_t kBad = 0xFFFFFFFFu;
  const std::uint64_t step = view_.layout().reference_bytes();
  std::uint64_t count = 0;
  for (std::uint32_t b = 0; b < blocks; ++b) {
    const auto block = load<MapBlock>(maps + std::uint64_t{b} * sizeof(MapBlock));
    const auto offset = static_cast<std::uint64_t>(block.offset);
    if (block.offset <= 0 || offset % step != 0 ||
        offset + std::uint64_t{block.count} * step > instance_bytes)
      return kBad;
    count += block.count;
  }
  return static_cast<std::uint32_t>(count);
}

Result<void> ClassShapes::read_fields(ClassShape& shape) noexcept {
  const HeapLayout& layout = view_.layout();
  const Address type = shape.class_address;
  const auto vtable = load<std::uint32_t>(type + layout.vtable_length);
  const auto itable = load<std::uint32_t>(type + layout.itable_length);
  const auto blocks = load<std::uint32_t>(type + layout.reference_map_length);
  if (vtable > kMostTableWords || itable > kMostTableWords || blocks > kMostMapBlocks)
    return contradiction(type);
  // The reference maps stand behind the structure, its vtable and its itable.
  const Address maps =
      type + layout.instance_class_bytes + (std::uint64_t{vtable} + itable) * sizeof(Address);
  const std::uint32_t mapped = count_mapped(maps, blocks, shape.instance_bytes);
  if (mapped == 0xFFFFFFFFu) return contradiction(type);

  // The fields of java.lang.ref.Reference are the collector's own business and not in the maps.
  const ClassRow* row =
      shape.class_id.valid() ? &catalog_.heap->catalog.classes[shape.class_id.value] : nullptr;
  const bool weak = row != nullptr && row->referent != Strength::kStrong &&
                    catalog_.heap->reference_class.valid();
  const ClassRow* reference =
      weak ? &catalog_.heap->catalog.classes[catalog_.heap->reference_class.value] : nullptr;
  const bool named = reference != nullptr && !catalog_.field_ids.empty();
  const std::uint32_t more = named ? reference->field_count : 0;
  if (mapped + more == 0) return {};

  HF_TRY(fields, arena_.make<ReferenceField>(mapped + more));
  std::size_t used = 0;
  const auto add = [&](std::uint32_t offset) {
    fields[used++] = ReferenceField{offset, special(SpecialRef::kOther)};
  };
  const auto step = static_cast<std::uint32_t>(layout.reference_bytes());
  for (std::uint32_t b = 0; b < blocks; ++b) {
    const auto block = load<MapBlock>(maps + std::uint64_t{b} * sizeof(MapBlock));
    for (std::uint32_t i = 0; i < block.count; ++i)
      add(static_cast<std::uint32_t>(block.offset) + i * step);
  }
  for (std::uint32_t i = 0; i < more; ++i) {
    const Address id = catalog_.field_ids[reference->first_field + i];
    if (is_instance_field(id)) add(instance_field_offset(id));
  }
  fields = fields.first(used);
  std::sort(fields.begin(), fields.end(), by_offset);
  const auto same = [](const ReferenceField& a, const ReferenceField& b) {
    return a.offset == b.offset;
  };
  fields = fields.first(
      static_cast<std::size_t>(std::unique(fields.begin(), fields.end(), same) - fields.begin()));
  if (shape.class_id.valid()) label_chain(shape.class_id, fields);
  shape.fields = fields;
  return {};
}

void ClassShapes::label_chain(ClassId id, std::span<ReferenceField> fields) noexcept {
  const std::span<const ClassRow> rows = catalog_.heap->catalog.classes;
  const ClassRow& row = rows[id.value];
  const java::ReferentRule& rule = catalog_.heap->referents[id.value];
  if (row.interface_field_count == java::kUnknownFieldCount)
    return;  // not linked: no field has a name
  ClassId at = id;
  for (std::uint32_t step = 0; at.valid() && step < kMostSuperclassSteps; ++step) {
    const ClassRow& declaring = rows[at.value];
    for (std::uint32_t i = 0; i < declaring.field_count && !catalog_.field_ids.empty(); ++i) {
      const Address field_id = catalog_.field_ids[declaring.first_field + i];
      if (!is_instance_field(field_id)) continue;
      ReferenceField* field = field_at(fields, instance_field_offset(field_id));
      if (field == nullptr) continue;
      const std::uint32_t slot = row.interface_field_count + declaring.chain_offset + i;
      field->label = slot == rule.slot ? rule.label : RefLabel::instance_field(slot);
      if (id == catalog_.heap->class_class)
        field->label =
            class_object_label(catalog_.heap->catalog.strings.view(
                                   catalog_.heap->catalog.fields[declaring.first_field + i]),
                               field->label);
    }
    at = declaring.superclass;
  }
}

void ClassShapes::read_stack_chunk_fields() noexcept {
  const ClassId id = catalog_.heap->stack_chunk_class;
  if (!id.valid() || catalog_.field_ids.empty()) return;
  const Catalog& catalog = catalog_.heap->catalog;
  const ClassRow& row = catalog.classes[id.value];
  for (std::uint32_t i = row.first_field; i < row.first_field + row.field_count; ++i) {
    const std::string_view name = catalog.strings.view(catalog.fields[i]);
    const std::uint32_t offset = instance_field_offset(catalog_.field_ids[i]);
    if (name == "size") stack_chunk_size_field_ = offset;
    if (name == "sp") stack_chunk_top_field_ = offset;
  }
}

Result<void> ClassShapes::read_statics(ClassShape& shape) noexcept {
  const HeapLayout& layout = view_.layout();
  const auto count = load<std::uint32_t>(shape.mirror + layout.mirror_static_count);
  if (count == 0) return {};
  if (count > kMostStatics) return contradiction(shape.class_address);
  const Address class_class = shapes_[catalog_.heap->class_class.value].class_address;
  const std::uint32_t first = view_.helper_of(class_class).instance_bytes();
  // They stand in the class object itself.
  const std::uint64_t end = first + std::uint64_t{count} * layout.reference_bytes();
  if (end > std::uint64_t{load<std::uint32_t>(shape.mirror + layout.mirror_words)} * 8)
    return contradiction(shape.class_address);
  HF_TRY(statics, arena_.make<ReferenceField>(count));
  const auto step = static_cast<std::uint32_t>(layout.reference_bytes());
  for (std::uint32_t i = 0; i < count; ++i)
    statics[i] = ReferenceField{first + i * step, special(SpecialRef::kOther)};
  if (shape.class_id.valid() && !catalog_.field_ids.empty()) {
    const ClassRow& row = catalog_.heap->catalog.classes[shape.class_id.value];
    for (std::uint32_t i = 0; i < row.field_count; ++i) {
      const Address id = catalog_.field_ids[row.first_field + i];
      if (id == 0 || (id & 3) != 0) continue;
      const auto offset = load<std::uint32_t>(id + layout.static_field_offset);
      if (ReferenceField* field = field_at(statics, offset))
        field->label = RefLabel::static_field(row.interface_field_count + row.chain_offset + i);
    }
  }
  shape.statics = statics;
  return {};
}

Result<ClassShape*> ClassShapes::learn(Address class_address) noexcept {
  const auto known = static_cast<std::uint32_t>(catalog_.classes.size());
  if (used_ - known >= kMostLearned) return make_error(ErrorCode::kTooMany, kMostLearned);
  if (class_address == 0 || class_address % 8 != 0) return contradiction(class_address);
  const Address mirror = view_.mirror_of(class_address);
  if (!view_.plausible(mirror) || view_.class_of_mirror(mirror) != class_address ||
      view_.class_of(mirror) != shapes_[catalog_.heap->class_class.value].class_address)
    return contradiction(class_address);
  ClassShape& shape = shapes_[used_];
  shape = ClassShape{};  // an attempt that failed may have left something
  shape.class_address = class_address;
  shape.mirror = mirror;
  HF_CHECK_OK(read_body(shape));
  insert(used_++);
  return &shape;
}

}  // namespace holdfast::jvmti
