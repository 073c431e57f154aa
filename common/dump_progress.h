// How far each dump has got: what a person who waits for one is told, and what `status` lists afterwards.
// Why numbers: several people may wait at once, merged into one dump or into different ones; each asks for its own by number.
// Shape:  plain values. DumpHistory keeps the last kMaxRememberedDumps, numbered from 1 in the order of acceptance; the newest
//         replaces the oldest, and beside them the last extended report's. About 3 KB each.
// Zone:   event, capture, worker: under the engine's lock.
// Errors: find() answers nullptr for a number that is forgotten or was never given.
#pragma once

#include <cstdint>

#include "common/dump_request.h"
#include "common/error.h"
#include "common/notes.h"
#include "common/vm_adapter.h"

namespace holdfast {

enum class DumpStage : std::uint8_t {
  kWaiting,    // accepted
  kPlanned,    // the rung and its predicted pause are known
  kAnalysing,  // the application runs again; the pause is known. A report_path is the basic report's: the optional parts go on
  kReported,   // the report is on disk: the complete one, or the basic one (`missing`)
  kFailed,     // error says why, and the note, where there is one
};

// How long an analysis is expected to take from its beginning, on a core that nothing else wants: so in CPU time.
struct ExpectedTime {
  std::uint64_t basic_ns =
      0;                     // until the basic report; 0: none is published before the complete one
  std::uint64_t all_ns = 0;  // until the complete one; 0: not known
};

inline constexpr std::size_t kMaxReportPath = 2 * kMaxOptionText;

struct DumpProgress {
  std::uint32_t number = 0;
  Trigger trigger = Trigger::kSignal;
  DumpStage stage = DumpStage::kWaiting;
  CaptureRung rung = CaptureRung::kHistogram;  // from kPlanned on
  bool extended = false;                       // from kPlanned on
  std::uint32_t merged = 0;
  std::uint64_t asked_utc_ms = 0;
  std::uint64_t predicted_pause_ns = 0;
  std::uint64_t pause_limit_ns = 0;  // UINT64_MAX: none
  std::uint64_t pause_ns = 0;
  std::uint64_t elapsed_ns = 0;  // since it was asked for, up to its end
  std::uint64_t report_bytes = 0;
  char report_path[kMaxReportPath] = "";
  Note missing;  // kReported: why the report is not complete; empty: it is
  Error error{};
  Note
      note;  // why no better rung was taken, or why it was refused: the first sentence of the report's notes
  // -- once the graph is there; all 0: not yet, or it is not analysed here --
  std::uint64_t objects = 0, references = 0;
  std::uint64_t analysis_began_utc_ms = 0;
  ExpectedTime expected;
};

inline bool ended(const DumpProgress& dump) noexcept {
  return dump.stage == DumpStage::kReported || dump.stage == DumpStage::kFailed;
}

class DumpHistory {
 public:
  static constexpr std::uint32_t kMaxRememberedDumps = 8;

  DumpProgress& add(const DumpRequest& request, std::uint64_t utc_ms) noexcept;
  DumpProgress* find(std::uint32_t number) noexcept;
  const DumpProgress* find(std::uint32_t number) const noexcept {
    return const_cast<DumpHistory*>(this)->find(number);
  }
  std::uint32_t last_number() const noexcept { return last_; }
  // How far the dump of that number has got.
  void update(const DumpProgress& dump) noexcept;
  // The last extended one that left a report, however long ago; number 0: there was none.
  const DumpProgress& last_extended() const noexcept { return last_extended_; }

 private:
  DumpProgress dumps_[kMaxRememberedDumps];
  DumpProgress last_extended_;
  std::uint32_t last_ = 0;
};

}  // namespace holdfast
