// One connection of the control socket together with what its request still waits for.
// Shape:  plain values around a Connection; reset when the connection ends.
// Zone:   worker (the loop).   Errors: none.
#pragma once

#include <cstdint>

#include "common/control/connection.h"
#include "common/dump_progress.h"

namespace holdfast::control {

enum class Waits : std::uint8_t { kNothing, kDump, kHistograms };

struct Client {
  Connection connection;
  Waits waits = Waits::kNothing;
  bool finished = false;  // the last answer was made: it is closed as soon as the peer has taken it
  bool broken = false;    // it is closed at once
  bool detach = false;    // once the answer is taken, the owner is told
  // -- kDump --
  std::uint32_t dump_number = 0;
  bool told = false;  // something of it
  DumpStage told_stage = DumpStage::kWaiting;
  bool told_basic = false;  // that the basic report is there
  std::uint64_t told_expected_ns = 0;
  // -- kHistograms --
  std::uint32_t interval_ms = 0;
  std::uint32_t classes = 0;
  bool wished = false;  // a histogram later than sequence_before is awaited
  std::uint32_t sequence_before = 0;
  std::uint64_t wished_at_ns = 0;
  // When to look again, whatever the engine tells.
  std::uint64_t look_at_ns = kNoDeadline;
};

}  // namespace holdfast::control
