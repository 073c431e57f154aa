// The class histogram of one moment, kept for those who watch: `watch` and the search for growing classes.
// Why apart from a dump: it leaves no report, no file and no lock behind, and the next one replaces it.
// Shape:  at most kMaxHistogramClasses rows, the largest by shallow bytes first, the rest summed up; names are cut to
//         kMaxHistogramName bytes. Rows and tally: 1.6 MB, charged as worker memory while somebody watches (kept_histogram.h).
//         total == sum of rows + rest. Classes of the same name whose loaders have the same name and type are one row: what
//         a web application leaves behind at each restart adds up, as it should. What was summed into the rest before stays there.
//         tally_classes(): O(classes * log rows). merge_rows(): O(rows * log rows).
// Zone:   tally_classes(): capture, child. merge_rows(): capture. The values: under the lock of kept_histogram.h.
// Errors: sound(): false when what a child left cannot be true.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "common/accounts/watched_accounts.h"
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
  std::uint64_t collections = kUnknownCount;  // that there had been (VmAdapter::collection_count())
  bool reachable_only =
      false;  // a frozen capture counts what is reached, a histogram in place everything
  std::uint64_t pause_ns = 0;
  std::uint64_t cost_ns = 0;  // CPU time of the application's cores, the pause included
  HeapFigures heap;
  std::uint64_t total_instances = 0;
  std::uint64_t total_bytes = 0;
  std::uint32_t classes = 0;  // with instances, rows or not
  std::span<const HistogramRow> rows;
  WatchedAccounts accounts;   // of the moment before it was taken
  std::uint32_t refused = 0;  // wishes that came to nothing, since watching began
  std::string_view refusal;   // why the last wish did; empty when there was none or it was granted
};

// Watching may take this share of the time: a histogram that costs so much is not wanted again before this has passed.
inline constexpr std::uint64_t kWatchCostDivisor = 100;
inline constexpr std::uint64_t affordable_interval_ns(std::uint64_t cost_ns) noexcept {
  return cost_ns * kWatchCostDivisor;
}

// A class by its number in a catalog: what whoever counts hands to whoever knows the names.
struct CountedClass {
  std::uint64_t identity = 0;  // merge_rows() fills it in
  std::uint64_t instances = 0;
  std::uint64_t shallow_bytes = 0;
  std::uint32_t class_index = 0;
};

struct ClassTally {
  std::uint64_t total_instances = 0;
  std::uint64_t total_bytes = 0;
  std::uint32_t classes = 0;
  std::uint32_t row_count = 0;
};

// The largest by bytes, as many as `rows` holds. The last count is that of objects without a class: it has no row.
ClassTally tally_classes(std::span<const ClassCount> counts, std::span<CountedClass> rows) noexcept;

// Whether a tally can be true of a catalog; its rows come from a process that may have run wild.
bool sound(const ClassTally& tally, std::span<const CountedClass> rows,
           std::uint32_t class_count) noexcept;

// Rows of one identity become one; the largest first again. How many are left.
std::size_t merge_rows(const Catalog& catalog, std::span<CountedClass> rows) noexcept;

// XXH3 of the class's name and of its loader's name, type included.
std::uint64_t class_identity(const Catalog& catalog, const ClassRow& row) noexcept;

// `name` as it is or, where it is too long, "…" and its end. Both are whole code points.
void keep_telling_end(std::string_view name, std::span<char> out) noexcept;

}  // namespace holdfast
