// One row per held object, as CSV: what `holdfast analyze --objects` writes, for checks against other tools and for scripts.
// Shape:  header "address,class,shallow,retained,immediate_dominator,component"; addresses as 0x…, 0 for the virtual root; sizes in
//         bytes; component: number of the strongly connected component. Objects that nothing holds are no rows.
// Zone:   offline.   Errors: false when the stream took no more.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "analysis/results.h"
#include "common/atomic_file.h"

namespace holdfast::cli {

inline constexpr std::string_view kObjectRowsHeader =
    "address,class,shallow,retained,immediate_dominator,component\n";

struct ObjectRows {
  const Snapshot& snapshot;
  const analysis::Dominators& dominators;
  std::span<const std::uint64_t> addresses;   // [objects]; empty: the object's number stands for it
  std::span<const std::uint32_t> components;  // [objects]; empty: the column stays empty
};

Result<void> write_object_rows(const ObjectRows& rows, AtomicFile& file);

}  // namespace holdfast::cli
