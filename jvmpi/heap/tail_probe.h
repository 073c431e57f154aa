// Does the VM write all of what it shows of one object, or all but the last value? By a few arrays whose last value a heap dump has told.
// Why: an id out of a value that was not written is rubbish, and asking for it may end the application.
// Shape:  take() of records of a heap dump, in its event: at most 16 arrays of values of two bytes and more, short ones that do not end in
//         zero. ask(): OBJECT_DUMP of each, once, and its last four bytes: some VM writes longer values in two parts. The application may
//         write into an array meanwhile: it takes as many that differ as are the same to say that the VM leaves something out.
// Zone:   capture, GC off; ask() not inside an event.   Errors: what is not shown tells nothing.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "jvmpi/heap/shown_bytes.h"
#include "jvmpi/records/record_reader.h"
#include "jvmpi/vm_requests.h"

namespace holdfast::jvmpi {

class TailProbe {
 public:
  void take(const HeapRecord& record) noexcept {
    if (record.tag != RecordTag::kPrimitiveArray || count_ == samples_.size()) return;
    if (record.object == 0 || record.length == 0 || record.values.size() > kMostBytes) return;
    if (value_bytes(record.element, sizeof(void*)) < 2) return;
    Sample sample{record.object, record.length, {}};
    const auto last = last_of(record);
    std::copy(last.begin(), last.end(), sample.last.begin());
    if (sample.last != Value{}) samples_[count_++] = sample;
  }
  RecordTail ask(VmRequests& vm) const noexcept {
    int as_told = 0, otherwise = 0;
    for (const Sample& sample : std::span(samples_).first(count_))
      vm.ask(kObjectDump, sample.object, [&](const JVMPI_Event& event) {
        RecordReader reader(shown_bytes(event, {}), sizeof(void*), DumpValues::kAll);
        HeapRecord record;
        const auto no_class = [](VmId) -> const ClassShape* { return nullptr; };
        if (!reader.next(no_class, record) || record.tag != RecordTag::kPrimitiveArray ||
            record.object != sample.object || record.length != sample.length)
          return;
        const auto last = last_of(record);
        ++(std::equal(last.begin(), last.end(), sample.last.begin()) ? as_told : otherwise);
      });
    return otherwise != 0 && otherwise >= as_told ? RecordTail::kUnwritten : RecordTail::kWritten;
  }

 private:
  static constexpr std::size_t kMostBytes = 4096;
  using Value = std::array<std::byte, 4>;
  struct Sample {
    VmId object = 0;
    std::uint32_t length = 0;
    Value last{};
  };

  static std::span<const std::byte> last_of(const HeapRecord& array) noexcept {
    return array.values.last(std::min(value_bytes(array.element, sizeof(void*)), Value{}.size()));
  }

  std::array<Sample, 16> samples_{};
  std::size_t count_ = 0;
};

}  // namespace holdfast::jvmpi
