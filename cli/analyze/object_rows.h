// One row per held object, as CSV: what `holdfast analyze --objects` writes, for checks against other tools and for scripts.
// Shape:  header "address,class,shallow,retained,immediate_dominator,component,reachable,reachable_estimated"; addresses as 0x…, 0 for the
//         virtual root; sizes in bytes; component: number of the strongly connected component; reachable_estimated: 1 where the
//         reachable size is an estimate, else 0. Objects that nothing holds are no rows. New columns come last.
// Zone:   offline.   Errors: false when the stream took no more.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "analysis/reachable/reachable_size.h"
#include "analysis/results.h"
#include "common/atomic_file.h"

namespace holdfast::cli {

inline constexpr std::string_view kObjectRowsHeader =
    "address,class,shallow,retained,immediate_dominator,component,reachable,reachable_estimated\n";

struct ObjectRows {
  const Snapshot& snapshot;
  const analysis::Dominators& dominators;
  std::span<const std::uint64_t> addresses;   // [objects]; empty: the object's number stands for it
  std::span<const std::uint32_t> components;  // [objects]; empty: the column stays empty
  const analysis::ReachableSizes* reachable = nullptr;  // none: both columns stay empty
};

Result<void> write_object_rows(const ObjectRows& rows, AtomicFile& file);

}  // namespace holdfast::cli
