// A heap object by object: a request for each, and nothing of the VM's memory.
#include "jvmpi/heap/heap_dump_event.h"
#include "jvmpi/heap/heap_reading.h"
#include "jvmpi/heap/shown_bytes.h"
#include "platforms/clock.h"

namespace holdfast::jvmpi {

namespace {

constexpr std::size_t kRecordHeadBytes = 64;
// A class that is not known, its superclasses, an event that lies about its length: each costs one more look.
constexpr int kMostGlances = 6;
constexpr std::uint32_t kObjectsBetweenLooks = 256;

}  // namespace

Result<void> HeapReading::read_each_object(const ReadingPlan& plan) noexcept {
  HF_CHECK_OK(read_list());
  if (plan.ask_roots) HF_CHECK_OK(read_roots());
  for (std::uint32_t i = 0; i < ids_.size(); ++i) {
    if (i % kObjectsBetweenLooks == 0 && platforms::monotonic_ns() > plan.deadline_ns)
      return make_error(ErrorCode::kDeadline, i);
    if (i == kObjectsBetweenLooks && objects_shown_ == 0) break;
    if (vm_.closed()) return make_error(ErrorCode::kVmNotReady);
    HF_CHECK_OK(read_object(ids_.id(i)));
  }
  return objects_shown_ != 0 ? Result<void>{} : Result<void>{nothing_told(Asked::kRefused)};
}

Result<void> HeapReading::read_list() noexcept {
  Result<void> read;
  JVMPI_HeapDumpArg level{kDumpIds};
  const Asked asked = vm_.ask(kHeapDump, &level, [&](const JVMPI_Event& event) {
    const std::span<const std::byte> dump = dump_bytes(event);
    if (dump.empty()) {
      read = nothing_told(Asked::kSilent);
      return;
    }
    auto ids = IdTable::make(memory_.work_arena(), dump.size() / (1 + sizeof(void*)));
    if (!ids) {
      read = ids.error();
      return;
    }
    ids_ = *ids;
    if (!for_each_listed(dump, sizeof(void*), [&](std::uint8_t, VmId id) { ids_.add(id); }))
      ++doubts_.lists_cut;
  });
  if (asked != Asked::kAnswered) return nothing_told(asked);
  HF_CHECK_OK(read);
  return begin_graph();
}

// They come first; where the first object begins nothing is read any more.
Result<void> HeapReading::read_roots() noexcept {
  Result<void> read;
  JVMPI_HeapDumpArg level{kDumpReferences};
  vm_.ask(kHeapDump, &level, [&](const JVMPI_Event& event) {
    RecordReader reader(dump_bytes(event), sizeof(void*), DumpValues::kReferences);
    HeapRecord record;
    const auto no_class = [](VmId) -> const ClassShape* { return nullptr; };
    while (read && reader.next(no_class, record) && record.is_root()) {
      roots_told_ = true;
      read = take_root(record, dump_traces(event));
    }
    // What ended it is a root, or of a tag that nobody knows; an object's record may be wrong here, nobody reads it.
    const bool cut = reader.end() == ReadEnd::kCut || reader.end() == ReadEnd::kUnknownTag;
    if (read && cut && record.is_root()) ++doubts_.roots_cut;
  });
  return read;
}

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
  ReadEnd read_end = ReadEnd::kEnd;
  bool ours = false;
  // Not where the book grows meanwhile.
  const ArenaScope scope(memory_.catalog_arena());
  auto copy = memory_.catalog_arena().make<std::byte>(most_bytes);
  if (!copy) return Glance::kUnreadable;
  const Asked asked = vm_.ask(kObjectDump, id, [&](const JVMPI_Event& event) {
    RecordReader reader(shown_bytes(event, *copy), sizeof(void*), DumpValues::kAll);
    HeapRecord record;
    const bool read = reader.next([&](VmId of) { return known_shape(of); }, record);
    read_end = reader.end();
    ours = read && record.object == id && !record.is_root();
    if (ours) end = writer_.write(record);
  });
  if (asked != Asked::kAnswered) return Glance::kRefused;
  if (read_end == ReadEnd::kUnknownClass) return know_class(id);
  if (read_end != ReadEnd::kNone && most_bytes == 0 && read_end <= ReadEnd::kCut) {
    most_bytes = distrusted_bytes(id);
    return Glance::kAgain;
  }
  if (!ours) return Glance::kUnreadable;
  if (end == WriteEnd::kWants) {
    if (classes_.settle(writer_.wanted()) == nullptr) return make_error(ErrorCode::kOutOfBudget);
    return Glance::kAgain;
  }
  HF_CHECK_OK(end_of_write(end));
  return Glance::kDone;
}

const ClassShape* HeapReading::known_shape(VmId of) noexcept {
  const BookedClass* const known = book_.find(of);
  return known != nullptr && known->loaded == Told::kTold ? &known->shape : nullptr;
}

Result<HeapReading::Glance> HeapReading::know_class(VmId id) noexcept {
  const ClassShape* const told = classes_.shape_of(id);
  if (classes_.out_of_room()) return make_error(ErrorCode::kOutOfBudget);
  return told != nullptr ? Glance::kAgain : Glance::kRefused;
}

// How far a record may reach whose event says that it is shorter. References may be narrower in the heap than in a record.
std::size_t HeapReading::distrusted_bytes(VmId id) noexcept {
  if (known_shape(id) != nullptr) return kClassRecordBytes;
  const std::uint64_t bytes = sizes_.ask(id);
  return bytes != 0 ? static_cast<std::size_t>(2 * bytes) + kRecordHeadBytes : kClassRecordBytes;
}

// The VM does not show it, but says what it is: a class that is not initialised yet.
Result<void> HeapReading::read_bare(VmId id) noexcept {
  jint kind = 0;
  VmId class_id = 0;
  std::uint64_t bytes = 0;
  const Asked asked = vm_.ask(kObjectAlloc, id, [&](const JVMPI_Event& event) {
    kind = event.u.obj_alloc.is_array;
    class_id = reinterpret_cast<std::uintptr_t>(event.u.obj_alloc.class_id);
    bytes = static_cast<std::uint64_t>(event.u.obj_alloc.size > 0 ? event.u.obj_alloc.size : 0);
  });
  if (asked != Asked::kAnswered) {
    ++doubts_.objects_refused;
    return {};
  }
  const ValueType element =
      kind > 0 && kind < 256 ? value_type_of(static_cast<std::uint8_t>(kind)) : ValueType::kUnknown;
  ClassId number;
  if (is_primitive(element)) {
    number = number_of_primitive_array(element);
    primitive_arrays_ |= 1u << static_cast<unsigned>(element);
  } else if (class_id != 0) {
    BookedClass* const of = classes_.know(class_id);
    if (of == nullptr) return make_error(ErrorCode::kOutOfBudget);
    of->holds_arrays = of->holds_arrays || element == ValueType::kReference;
    number = element == ValueType::kReference ? number_of_array(*of)
             : of->loaded == Told::kTold      ? number_of_instance(*of)
                                              : ClassId{};
    if (of->name != "java.lang.Class") ++doubts_.objects_bare;
  } else if (kind == 0) {
    number = ClassId{kNumberOfClassObjects};
  }
  const WriteEnd end = writer_.write_bare(id, number);
  if (end == WriteEnd::kWritten) writer_.reach(bytes);
  return end == WriteEnd::kNoRoom ? Result<void>(make_error(ErrorCode::kOutOfBudget))
                                  : Result<void>{};
}

// Every class that an object names has an object of its own, whether the VM lists it or not.
Result<void> HeapReading::name_classes() noexcept {
  for (; classes_named_ < book_.size(); ++classes_named_) {
    const VmId id = book_.classes()[classes_named_]->id;
    if (id != 0 && !writer_.number_of(id).valid() && builder_.overflowed()) return out_of_room();
  }
  return {};
}

// What is found there may lead to more.
Result<void> HeapReading::follow_dangling(std::uint64_t deadline_ns) noexcept {
  HF_CHECK_OK(name_classes());
  for (std::uint32_t place = 0; place < dangling_.size(); ++place) {
    if (place % kObjectsBetweenLooks == 0 && platforms::monotonic_ns() > deadline_ns)
      return make_error(ErrorCode::kDeadline, std::int64_t{ids_.size()} + place);
    HF_CHECK_OK(read_object(dangling_.id(place)));
    if (writer_.find_reached(dangling_.id(place)).valid()) ++doubts_.dangling_found;
    if (place + 1 == dangling_.size()) HF_CHECK_OK(name_classes());
  }
  return {};
}

}  // namespace holdfast::jvmpi
