#include "jvmpi/heap/graph_writer.h"

namespace holdfast::jvmpi {

namespace {

// Of a field that `declares` has, in an object of class `of`.
RefLabel label_of(const BookedClass& of, const BookedClass& declares,
                  std::uint32_t ordinal) noexcept {
  const bool referent = of.referent != Strength::kStrong && ordinal == declares.referent_ordinal;
  return referent ? referent_label(of.referent)
                  : RefLabel::instance_field(declares.first_slot + ordinal);
}

}  // namespace

ObjectId GraphWriter::number_of(VmId id) noexcept {
  const std::uint32_t listed = ids_.find(id);
  if (listed != IdTable::kNone) return ObjectId{listed};
  bool fresh = false;
  const std::uint32_t place = dangling_.find_or_add(id, fresh);
  if (place == DanglingIds::kNone) {
    ++doubts_.dangling_no_room;
    return ObjectId{};
  }
  if (fresh && !builder_.preassign().valid()) return ObjectId{};
  return ObjectId{ids_.size() + place};
}

ObjectId GraphWriter::find_reached(VmId id) const noexcept {
  std::uint32_t number = ids_.find(id);
  if (number == IdTable::kNone) {
    const std::uint32_t place = dangling_.find(id);
    if (place == DanglingIds::kNone) return ObjectId{};
    number = ids_.size() + place;
  }
  return builder_.reached(ObjectId{number}) ? ObjectId{number} : ObjectId{};
}

WriteEnd GraphWriter::write_bare(VmId id, ClassId number) noexcept {
  if (!find(id)) return WriteEnd::kNoRoom;
  if (builder_.reached(object_)) return WriteEnd::kRepeated;
  class_ = number;
  return written();
}

// A row begins with its first reference.
void GraphWriter::refer(VmId to, RefLabel label) noexcept {
  if (to == 0) return;
  const ObjectId referent = number_of(to);
  if (!referent.valid()) return;
  if (!has_row_) has_row_ = builder_.begin_row(object_);
  builder_.add_reference(referent, label);
}

bool GraphWriter::find(VmId id) noexcept {
  object_ = number_of(id);
  class_ = ClassId{};
  has_row_ = false;
  question_ = SizeQuestion{id};
  return object_.valid();
}

WriteEnd GraphWriter::write(const HeapRecord& record, RecordTail tail) noexcept {
  if (!find(record.object)) return WriteEnd::kNoRoom;
  if (builder_.reached(object_)) return WriteEnd::kRepeated;
  tail_ = tail;
  question_.least_bytes = record.values.size();
  switch (record.tag) {
    case RecordTag::kClass:
      return write_class(record);
    case RecordTag::kInstance:
      return write_instance(record);
    case RecordTag::kObjectArray:
      return write_object_array(record);
    default:
      question_.element = record.element;
      question_.length = record.length;
      class_ = number_of_primitive_array(record.element);
      return written();
  }
}

WriteEnd GraphWriter::write_class(const HeapRecord& record) noexcept {
  BookedClass* const of = book_.find(record.object);
  if (of == nullptr || !of->settled) {
    wanted_ = record.object;
    return WriteEnd::kWants;
  }
  class_ = ClassId{kNumberOfClassObjects};
  const ClassRecord& links = record.of_class;
  const bool below_object = of->super != nullptr && of->super->super_id == 0;
  if (!below_object) refer(links.super, special(SpecialRef::kSuperclass));
  refer(links.loader, special(SpecialRef::kClassLoader));
  refer(links.signers, special(SpecialRef::kSigners));
  refer(links.protection_domain, special(SpecialRef::kProtectionDomain));
  refer(links.name, special(SpecialRef::kOther));
  for_each_id(links.interfaces, sizeof(void*),
              [&](VmId id) { refer(id, special(SpecialRef::kInterface)); });
  const auto types = of->shape.statics;
  ClassRecord constants = links;
  if (types.empty()) constants.constants = sure(links.constants, ValueType::kReference);
  for_each_constant(constants, sizeof(void*), DumpValues::kAll,
                    [&](std::uint16_t, VmId id) { refer(id, special(SpecialRef::kConstantPool)); });
  const ValueType last = types.empty() ? ValueType::kUnknown : types.back();
  ByteCursor statics(sure(links.statics, last), sizeof(void*));
  references_in(statics, types, DumpValues::kAll, [&](std::uint32_t ordinal, VmId id) {
    refer(id, RefLabel::static_field(of->first_slot + ordinal));
  });
  return written();
}

WriteEnd GraphWriter::write_instance(const HeapRecord& record) noexcept {
  BookedClass* const of = book_.find(record.class_id);
  if (of == nullptr || !of->settled) {
    wanted_ = record.class_id;
    return WriteEnd::kWants;
  }
  question_.instance_of = of;
  if (of->loaded == Told::kTold) class_ = number_of_instance(*of);
  of->holds_instances = true;
  refer_to_fields(*of, record.values);
  return written();
}

// Of the values that end a record: those that the VM has written.
std::span<const std::byte> GraphWriter::sure(std::span<const std::byte> values,
                                             ValueType last) noexcept {
  if (tail_ == RecordTail::kWritten || values.empty()) return values;
  if (last == ValueType::kReference) ++doubts_.tails_unwritten;
  return values.first(values.size() - 1);  // what lacks a byte is not read
}

void GraphWriter::refer_to_fields(const BookedClass& of, std::span<const std::byte> told) noexcept {
  const bool fits = of.cut ? told.size() >= of.value_bytes : told.size() == of.value_bytes;
  if (of.cut || !fits) ++doubts_.fields_unread;
  if (!fits) return;
  ByteCursor values(sure(told, of.cut ? ValueType::kUnknown : of.last_value), sizeof(void*));
  for (const BookedClass* at = &of; at != nullptr && at->loaded == Told::kTold; at = at->super) {
    const auto statics = static_cast<std::uint32_t>(at->shape.statics.size());
    references_in(
        values, at->shape.instances, DumpValues::kAll,
        [&](std::uint32_t ordinal, VmId id) { refer(id, label_of(of, *at, statics + ordinal)); });
  }
}

WriteEnd GraphWriter::write_object_array(const HeapRecord& record) noexcept {
  BookedClass* const told_with = book_.find_or_add(record.class_id);
  if (told_with == nullptr) return WriteEnd::kNoRoom;
  told_with->holds_arrays = true;
  class_ = number_of_array(*told_with);
  question_.element = ValueType::kReference;
  question_.length = record.length;
  std::uint32_t index = 0;
  for_each_id(sure(record.values, ValueType::kReference), sizeof(void*),
              [&](VmId id) { refer(id, RefLabel::element(index++)); });
  return written();
}

}  // namespace holdfast::jvmpi
