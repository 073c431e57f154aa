// Everything about one dump that is not the heap itself: who, when, why, how, at what cost. The report's first table.
// Shape:  plain values.   Zone: capture (filled), worker (read).   Errors: none.
#pragma once

#include <cstdint>

#include "common/dump_request.h"
#include "common/notes.h"
#include "common/options.h"
#include "common/vm_adapter.h"

namespace holdfast {

struct DumpRecord {
  VmFacts vm;
  char host[kMaxFactText] = "";
  char container[kMaxFactText] = "";
  std::uint32_t pid = 0;
  std::uint32_t sequence = 0;  // %n, from 1
  std::uint64_t started_utc_ms = 0;
  std::uint64_t vm_uptime_ms = 0;
  DumpRequest request;
  GateCounts gate;
  CapturePlan plan;
  std::uint64_t pause_limit_ns = 0;
  std::uint64_t capture_ns = 0;            // request to sealed snapshot
  CollectionFigures collections;           // before the capture, whose own are none
  CollectionFigures collections_reported;  // in the report before
  std::uint64_t last_report_utc_ms = 0;    // 0: there is none
  Notes notes;                             // capture thread's, then the pipeline's
};

}  // namespace holdfast
