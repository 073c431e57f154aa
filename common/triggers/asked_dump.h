// The dump that a trigger asked for: has it come to anything yet?
// Why: a dump that fails (a full disk, no memory) is asked for again, or nobody would hear of what the trigger saw.
// Shape:  plain values. `number` is the engine's, 0: none is open; it is forgotten once the outcome is known.
// Zone:   worker.   Errors: none.
#pragma once

#include <cstdint>

#include "common/dump_engine.h"

namespace holdfast {

enum class AskedDumpEnd : std::uint8_t { kOpen, kDone, kFailed };

// What a person gave up is done: it is not asked for again.
inline AskedDumpEnd end_of_asked(const DumpEngine& engine, std::uint32_t& number) noexcept {
  DumpProgress dump;
  if (number == 0) return AskedDumpEnd::kOpen;
  const bool known = engine.progress(number, dump);
  if (known && !ended(dump)) return AskedDumpEnd::kOpen;
  number = 0;
  const bool failed = known && dump.stage == DumpStage::kFailed;
  return failed && dump.error.code != ErrorCode::kCancelled ? AskedDumpEnd::kFailed
                                                            : AskedDumpEnd::kDone;
}

}  // namespace holdfast
