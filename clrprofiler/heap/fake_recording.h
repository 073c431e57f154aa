// Memory, a recording and its recorder, for tests and benchmarks.
// Zone:   tests.   Errors: what is refused fails the test.
#pragma once

#include <doctest/doctest.h>

#include "clrprofiler/heap/fake_heap_events.h"
#include "clrprofiler/heap/heap_recorder_stopped.h"
#include "common/capture_memory.h"

namespace holdfast::clr {

class FakeRecording {
 public:
  explicit FakeRecording(std::uint64_t memory_bytes = std::uint64_t{64} << 20)
      : FakeRecording(memory_bytes, recording_limits(memory_bytes)) {}
  FakeRecording(std::uint64_t memory_bytes, const RecordingLimits& limits) : ledger_(memory_bytes) {
    REQUIRE(reservation_.open(CaptureMemory::address_space_bytes(memory_bytes)).ok());
    REQUIRE(memory_.open(reservation_, ledger_).ok());
    REQUIRE(memory_.begin_dump().ok());
    REQUIRE(recording_.prepare(memory_, limits).ok());
  }
  FakeRecording(const FakeRecording&) = delete;
  FakeRecording& operator=(const FakeRecording&) = delete;
  ~FakeRecording() {
    memory_.end_dump();
    CHECK(ledger_.total_bytes() == 0);
  }

  void play(const FakeEvents& events) {
    for (const FakeEvent& event : events) recorder_.on_event(event.id, event.payload());
  }
  CaptureMemory& memory() { return memory_; }
  Ledger& ledger() { return ledger_; }
  HeapRecording& recording() { return recording_; }
  HeapRecorder& recorder() { return recorder_; }

 private:
  Ledger ledger_;
  Reservation reservation_;
  CaptureMemory memory_;
  HeapRecording recording_;
  HeapRecorder recorder_{recording_};
};

}  // namespace holdfast::clr
