// How many rows of each kind a snapshot has: announced in the file's header, repeated in its end block.
// Zone:   any.   Errors: none.
#pragma once

#include "common/snapshot/snapshot.h"

namespace holdfast::analysis {

struct SnapshotCounts {
  std::uint64_t strings = 0;
  std::uint64_t string_bytes = 0;
  std::uint64_t classes = 0;
  std::uint64_t fields = 0;
  std::uint64_t loaders = 0;
  std::uint64_t threads = 0;
  std::uint64_t methods = 0;
  std::uint64_t roots = 0;
  std::uint64_t objects = 0;
  std::uint64_t references = 0;
  std::uint64_t report_bytes = 0;
  std::uint64_t addresses = 0;  // 0 or `objects`
  friend bool operator==(const SnapshotCounts&, const SnapshotCounts&) noexcept = default;
};

// Id 0 is the empty string, also in a catalog that never had a table.
inline std::uint32_t string_count(const StringTable& strings) noexcept {
  return strings.size() == 0 ? 1 : strings.size();
}

// Without what may come besides the graph.
inline SnapshotCounts count_snapshot(const Snapshot& s) noexcept {
  SnapshotCounts counts;
  const Catalog& catalog = s.catalog;
  counts.strings = string_count(catalog.strings);
  for (std::uint32_t id = 0; id < catalog.strings.size(); ++id)
    counts.string_bytes += catalog.strings.view(StringId{id}).size();
  counts.classes = catalog.classes.size();
  counts.fields = catalog.fields.size();
  counts.loaders = catalog.loaders.size();
  counts.threads = catalog.threads.size();
  counts.methods = catalog.methods.size();
  counts.roots = s.roots.size();
  counts.objects = s.class_of.size();
  counts.references = s.target.size();
  return counts;
}

// Shallow sizes are whole multiples of it.
constexpr bool is_shallow_unit(std::uint64_t bytes) noexcept {
  return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
}

}  // namespace holdfast::analysis
