// What `status` answers: collected from the engine, the ledger, the VM's facts and the owner's triggers.
// Shape:  the Status' views and spans point into a StatusRoom, about 35 KB on the loop's stack.
// Zone:   worker (the loop).   Errors: none; what is not known is empty or 0.
#pragma once

#include "common/control/control_calls.h"
#include "common/dump_engine.h"
#include "common/option_text.h"

namespace holdfast::control {

struct StatusRoom {
  VmFacts vm;
  Options options;
  DumpEngine::VmSeen seen;
  char host[kMaxFactText] = "";
  char container[kMaxFactText] = "";
  NamedBytes memory[kMemoryCategoryCount];
  OptionText option_texts[kMaxListed];
  NamedText option_list[kMaxListed];
  OptionText on;
  TriggerState triggers[kMaxListed];
  DumpProgress dumps[DumpHistory::kMaxRememberedDumps];
  DumpProgress last_extended;
};

Status read_status(DumpEngine& engine, const ControlCalls& calls, const ControlCounts& counts,
                   std::uint64_t opened_at_ns, StatusRoom& room) noexcept;

}  // namespace holdfast::control
