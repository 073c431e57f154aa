// The class histogram of one moment, kept for those who watch: `watch` and the search for growing classes.
// Why apart from a dump: it leaves no report, no file and no lock behind, and the next one replaces it.
// Shape:  at most kMaxHistogramClasses rows, the largest by shallow bytes first, the rest summed up; names are cut to
//         kMaxHistogramName bytes. About 1.3 MB, charged as worker memory while somebody watches, and given back afterwards.
//         total == sum of rows + rest.
// Zone:   capture (filled), worker (read): under the engine's lock.   Errors: none.
#pragma once

#include <cstdint>
#include <span>

#include "common/vm_adapter.h"

namespace holdfast {

inline constexpr std::size_t kMaxHistogramClasses = 8192;
inline constexpr std::size_t kMaxHistogramName = 128;

struct HistogramRow {
  std::uint64_t identity = 0;  // of class name and loader, the same in every histogram of a process
  std::uint64_t instances = 0;
  std::uint64_t shallow_bytes = 0;
  char name[kMaxHistogramName] = "";  // the class, in source spelling; the telling end is kept
};

struct ClassHistogram {
  std::uint32_t sequence = 0;  // from 1; 0: none yet
  std::uint64_t taken_utc_ms = 0;
  bool reachable_only =
      false;  // a frozen capture counts what is reached, a histogram in place everything
  std::uint64_t pause_ns = 0;
  std::uint64_t cost_ns = 0;  // CPU time of the application's cores, the pause included
  HeapFigures heap;
  std::uint64_t total_instances = 0;
  std::uint64_t total_bytes = 0;
  std::uint32_t classes = 0;  // with instances, rows or not
  std::span<const HistogramRow> rows;
};

}  // namespace holdfast
