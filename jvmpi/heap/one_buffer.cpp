// A heap that comes in one buffer, read inside its event: nothing of it is copied.
#include "jvmpi/heap/heap_dump_event.h"
#include "jvmpi/heap/heap_reading.h"

namespace holdfast::jvmpi {

template <class Visit>
Result<void> HeapReading::for_each_record(std::span<const std::byte> dump, Visit visit) noexcept {
  RecordReader reader(dump, sizeof(void*), DumpValues::kAll);
  HeapRecord record;
  while (reader.next([&](VmId id) { return classes_.shape_of(id); }, record))
    HF_CHECK_OK(visit(record));
  if (classes_.out_of_room()) return make_error(ErrorCode::kOutOfBudget);
  if (reader.end() == ReadEnd::kEnd) return {};
  return make_error(ErrorCode::kDamaged, static_cast<std::int64_t>(reader.record_offset()));
}

Result<void> HeapReading::read_one_buffer() noexcept {
  Result<void> read;
  JVMPI_HeapDumpArg level{kDumpValues};
  const Asked asked =
      vm_.ask(kHeapDump, &level, [&](const JVMPI_Event& event) { read = read_buffer(event); });
  return asked == Asked::kAnswered ? read : Result<void>(nothing_told(asked));
}

Result<void> HeapReading::read_buffer(const JVMPI_Event& event) noexcept {
  const std::span<const std::byte> dump = dump_bytes(event);
  if (dump.empty()) return nothing_told(Asked::kSilent);
  std::uint64_t objects = 0;
  HF_CHECK_OK(for_each_record(dump, [&](const HeapRecord& record) -> Result<void> {
    if (!record.is_root()) ++objects;
    if (record.tag == RecordTag::kClass) classes_.take_record(record.object, record.of_class);
    return {};
  }));
  HF_TRY(ids, IdTable::make(memory_.work_arena(), objects));
  ids_ = ids;
  HF_CHECK_OK(for_each_record(dump, [&](const HeapRecord& record) -> Result<void> {
    if (!record.is_root()) ids_.add(record.object);
    probe_.take(record);
    return {};
  }));
  HF_CHECK_OK(begin_graph());
  return for_each_record(dump, [&](const HeapRecord& record) -> Result<void> {
    if (record.object == 0) {
      ++doubts_.objects_unreadable;
      return {};
    }
    roots_told_ = roots_told_ || record.is_root();
    if (record.is_root()) return take_root(record, dump_traces(event));
    WriteEnd end = writer_.write(record);
    if (end == WriteEnd::kWants) {
      if (classes_.settle(writer_.wanted()) == nullptr) return make_error(ErrorCode::kOutOfBudget);
      end = writer_.write(record);
    }
    return end_of_write(end);
  });
}

}  // namespace holdfast::jvmpi
