// A heap object by object: a request for each, and nothing of the VM's memory.
#include "jvmpi/heap/heap_dump_event.h"
#include "jvmpi/heap/heap_reading.h"
#include "platforms/clock.h"

namespace holdfast::jvmpi {

namespace {

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
  // The first of one buffer that is asked for alone; where each was, objects have shown it.
  if (one_buffer_ && tail_ == RecordTail::kWritten && dangling_.size() != 0)
    set_tail(probe_.ask(vm_));
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
