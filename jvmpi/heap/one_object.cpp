// One object, asked for alone: what the VM shows of it, or, where that is not to be had, what it says of it.
#include <algorithm>

#include "jvmpi/heap/heap_reading.h"
#include "jvmpi/heap/shown_bytes.h"

namespace holdfast::jvmpi {

namespace {

// A class that is not known, its superclasses, an event that lies about its length: each costs one more look.
constexpr int kMostGlances = 6;
constexpr std::uint64_t kRecordHeadBytes = 64;
constexpr std::uint64_t kMostDistrustedBytes = std::uint64_t{1} << 30;
// Of an instance's record, and of a class's; behind interfaces come two bytes, the number of constants.
constexpr std::size_t kBytesToValues = 1 + 2 * sizeof(void*) + 4;
constexpr std::size_t kBytesToInterfaces = 1 + 7 * sizeof(void*) + 4;
constexpr std::uint32_t kTypesToLookAt = 64;

}  // namespace

// Of OBJECT_DUMP: what outlives the event.
struct HeapReading::Shown {
  VmId object = 0;
  RecordTag tag = RecordTag::kUnknownRoot;
  VmId class_id = 0;
  ValueType element = ValueType::kUnknown;
  std::uint32_t length = 0;  // of a class: the number of its constants
  std::size_t bytes = 0;     // that the event has
  ReadEnd end = ReadEnd::kEnd;
  bool whole = false;  // it is the object's record, to its end

  Shown() = default;
  Shown(const HeapRecord& record, VmId wanted, std::size_t event_bytes, ReadEnd read_end) noexcept
      : object(record.object),
        tag(record.tag),
        class_id(record.class_id),
        element(record.element),
        length(record.tag == RecordTag::kClass ? record.of_class.constant_count : record.length),
        bytes(event_bytes),
        end(read_end),
        whole(end == ReadEnd::kNone && object == wanted && !record.is_root()) {}

  // Also of a type that is none.
  bool is_empty_array() const noexcept {
    const bool array = tag == RecordTag::kObjectArray || tag == RecordTag::kPrimitiveArray;
    return array && length == 0 && (whole || end == ReadEnd::kUnknownType);
  }
};

// Of OBJECT_ALLOC.
struct HeapReading::Said {
  bool told = false;
  bool is_array = false;
  ValueType element = ValueType::kUnknown;
  VmId class_id = 0;
  std::uint64_t bytes = 0;
};

Result<void> HeapReading::read_object(VmId id) noexcept {
  if (writer_.find_reached(id).valid()) return {};
  std::size_t most_bytes = 0;
  for (int glance = 0; glance < kMostGlances; ++glance) {
    HF_TRY(seen, glance_at(id, most_bytes));
    if (seen == Glance::kDone) {
      ++objects_shown_;
      return {};
    }
    if (seen == Glance::kRefused) return read_bare(id);
    if (seen == Glance::kUnreadable) break;
  }
  ++doubts_.objects_unreadable;
  return read_bare(id);
}

Result<HeapReading::Glance> HeapReading::glance_at(VmId id, std::size_t& most_bytes) noexcept {
  WriteEnd end = WriteEnd::kWants;
  Shown shown;
  // Not where the book grows meanwhile.
  const ArenaScope scope(memory_.catalog_arena());
  auto copy = memory_.catalog_arena().make<std::byte>(most_bytes);
  if (!copy) return Glance::kUnreadable;
  const Asked asked = vm_.ask(kObjectDump, id, [&](const JVMPI_Event& event) {
    const std::span<const std::byte> bytes = shown_bytes(event, *copy);
    RecordReader reader(bytes, sizeof(void*), DumpValues::kAll, tail_);
    HeapRecord record;
    reader.next([&](VmId of) { return classes_.known_shape(of); }, record);
    shown = Shown(record, id, bytes.size(), reader.end());
    if (shown.whole && !has_doubtful_end(shown)) end = writer_.write(record, tail_);
  });
  if (asked != Asked::kAnswered) return Glance::kRefused;
  if (shown.object == id && has_doubtful_end(shown)) {
    HF_CHECK_OK(read_empty_array(shown));
    return Glance::kDone;
  }
  if (shown.end == ReadEnd::kUnknownClass) return know_class(id);
  if (shown.object == id && has_rubbish_count(shown)) return found_unwritten();
  if (shown.end != ReadEnd::kNone && most_bytes == 0 && shown.end <= ReadEnd::kCut) {
    most_bytes = distrusted_bytes(id);
    return Glance::kAgain;
  }
  if (!shown.whole) return Glance::kUnreadable;
  if (end == WriteEnd::kWants) {
    if (classes_.settle(writer_.wanted()) == nullptr) return make_error(ErrorCode::kOutOfBudget);
    return Glance::kAgain;
  }
  HF_CHECK_OK(end_of_write(end));
  return Glance::kDone;
}

Result<HeapReading::Glance> HeapReading::know_class(VmId id) noexcept {
  const ClassShape* const told = classes_.shape_of(id);
  if (classes_.out_of_room()) return make_error(ErrorCode::kOutOfBudget);
  return told != nullptr ? Glance::kAgain : Glance::kRefused;
}

// How far a record may reach whose event says that it is shorter. References may be narrower in the heap than in a record.
std::size_t HeapReading::distrusted_bytes(VmId id) noexcept {
  if (classes_.known_shape(id) != nullptr) return kClassRecordBytes;
  const std::uint64_t bytes = sizes_.ask(id);
  if (bytes == 0) return kClassRecordBytes;
  return static_cast<std::size_t>(std::min(2 * bytes + kRecordHeadBytes, kMostDistrustedBytes));
}

// -- a VM that does not write the last value --

// An empty array's record ends in its class, or its type.
bool HeapReading::has_doubtful_end(const Shown& shown) const noexcept {
  if (!shown.is_empty_array()) return false;
  if (tail_ == RecordTail::kUnwritten || !shown.whole) return true;
  if (shown.tag == RecordTag::kPrimitiveArray) return types_looked_at_ < kTypesToLookAt;
  const BookedClass* const of = book_.find(shown.class_id);
  return of == nullptr || of->loaded != Told::kTold;
}

// A type that is none; or, more than once, one that the VM denies. Each look counts.
bool HeapReading::type_is_rubbish(const Shown& shown, const Said& said) noexcept {
  if (shown.tag != RecordTag::kPrimitiveArray || !is_primitive(said.element)) return false;
  ++types_looked_at_;
  if (said.element != shown.element) ++types_denied_;
  return !is_primitive(shown.element) || types_denied_ > 1;
}

// A number of values that an object without fields would have, or of constants of a class that ends in that number: and the event ends right
// behind it.
bool HeapReading::has_rubbish_count(const Shown& shown) noexcept {
  if (shown.length == 0) return false;
  if (shown.tag == RecordTag::kInstance && shown.bytes == kBytesToValues) {
    const BookedClass* const of = classes_.settle(shown.class_id);
    return of != nullptr && !of->cut && of->value_bytes == 0;
  }
  if (shown.tag != RecordTag::kClass) return false;
  const ClassShape* const shape = classes_.known_shape(shown.object);
  return shape != nullptr && shape->statics.empty() &&
         shown.bytes == kBytesToInterfaces + shape->interfaces * sizeof(void*) + 2;
}

// What was read until now has references to who knows what.
Error HeapReading::found_unwritten() noexcept {
  tail_ = RecordTail::kUnwritten;
  return make_error(ErrorCode::kRefused);
}

// -- what the VM says --

HeapReading::Said HeapReading::what_is(VmId id) noexcept {
  Said said;
  const Asked asked = vm_.ask(kObjectAlloc, id, [&](const JVMPI_Event& event) {
    const auto& told = event.u.obj_alloc;
    said.is_array = told.is_array != 0;
    if (told.is_array > 0 && told.is_array < 256)
      said.element = value_type_of(static_cast<std::uint8_t>(told.is_array));
    said.class_id = reinterpret_cast<std::uintptr_t>(told.class_id);
    said.bytes = static_cast<std::uint64_t>(told.size > 0 ? told.size : 0);
  });
  said.told = asked == Asked::kAnswered;
  return said;
}

ClassId HeapReading::primitive_array_class(ValueType element) noexcept {
  if (!is_primitive(element)) return {};
  primitive_arrays_ |= 1u << static_cast<unsigned>(element);
  return number_of_primitive_array(element);
}

// Not valid: it has one that the VM does not tell.
Result<ClassId> HeapReading::class_said(const Said& said) noexcept {
  if (is_primitive(said.element)) return primitive_array_class(said.element);
  if (said.class_id == 0) return said.is_array ? ClassId{} : ClassId{kNumberOfClassObjects};
  BookedClass* const of = classes_.know(said.class_id);
  if (of == nullptr) return make_error(ErrorCode::kOutOfBudget);
  of->holds_arrays = of->holds_arrays || said.element == ValueType::kReference;
  if (said.element == ValueType::kReference) return number_of_array(*of);
  return of->loaded == Told::kTold ? number_of_instance(*of) : ClassId{};
}

// What kind of array it is, the record tells. Its class, where that may be rubbish, the VM; a class that nobody has met is not asked for.
Result<ClassId> HeapReading::empty_array_class(const Shown& shown, const Said& said) noexcept {
  if (shown.tag == RecordTag::kPrimitiveArray)
    return primitive_array_class(is_primitive(said.element) ? said.element : shown.element);
  BookedClass* of = book_.find(shown.class_id);
  if (said.class_id != 0) of = classes_.know(said.class_id);
  if (of == nullptr) return said.class_id != 0 ? Result<ClassId>(out_of_room()) : ClassId{};
  of->holds_arrays = true;
  return number_of_array(*of);
}

Result<void> HeapReading::read_empty_array(const Shown& shown) noexcept {
  const Said said = what_is(shown.object);
  if (tail_ == RecordTail::kWritten && type_is_rubbish(shown, said)) return found_unwritten();
  HF_TRY(number, empty_array_class(shown, said));
  const SizeQuestion question{shown.object, nullptr, shown.element, 0, 0};
  return write_bare(shown.object, number, said.told ? said.bytes : sizes_.bytes(question));
}

// The VM does not show it, but says what it is: a class that is not initialised yet.
Result<void> HeapReading::read_bare(VmId id) noexcept {
  const Said said = what_is(id);
  if (!said.told) {
    ++doubts_.objects_refused;
    return {};
  }
  HF_TRY(number, class_said(said));
  const BookedClass* const of = said.class_id != 0 ? book_.find(said.class_id) : nullptr;
  if (of != nullptr && of->name != "java.lang.Class") ++doubts_.objects_bare;
  return write_bare(id, number, said.bytes);
}

Result<void> HeapReading::write_bare(VmId id, ClassId number, std::uint64_t bytes) noexcept {
  const WriteEnd end = writer_.write_bare(id, number);
  if (end == WriteEnd::kWritten) writer_.reach(bytes);
  return end == WriteEnd::kNoRoom ? Result<void>(make_error(ErrorCode::kOutOfBudget))
                                  : Result<void>{};
}

}  // namespace holdfast::jvmpi
