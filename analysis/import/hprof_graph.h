// The second pass over an HPROF file: every object's class and shallow size, every reference as object number and label.
// Why two parts: decoding is the long part of an import; the file is halved by bytes, each half is decoded by its own thread
//      into its own reference columns, and the second half is appended to the first.
// Shape:  12 B an object and 6 B a reference, the snapshot's own columns; while the halves are joined, the second half's
//         references exist twice. O(bytes), one index lookup a reference.
// Zone:   offline.   Errors: ImportFailure (memory, kTooMany references, kCancelled).
#pragma once

#include <cstdint>
#include <span>

#include "analysis/import/hprof_sizes.h"
#include "analysis/import/hprof_threads.h"
#include "common/snapshot/snapshot.h"

namespace holdfast::analysis {

// What decoding reads; all of it is complete and unchanging by then.
struct HprofTables {
  const HprofSurvey& survey;
  const ObjectIndex& index;
  const HprofClasses& classes;
  const HprofSizes& sizes;
  std::span<const Strength> referent;              // [class] as ClassRow::referent
  std::span<const ThreadLocalReference> locals;    // by thread object
  std::uint32_t boot_loader = ObjectIndex::kNone;  // MAT's pseudo object; none otherwise
  bool like_mat = false;
};

struct HprofGraph {
  GrowingArray<ClassId> class_of;
  GrowingArray<std::uint32_t> shallow_units;
  GrowingArray<std::uint32_t> first_ref;
  GrowingArray<ObjectId> target;
  GrowingArray<RefLabel> label;
  std::uint64_t unit_bytes = kShallowUnitBytes;
  std::uint64_t unknown_references = 0;
  std::uint64_t without_class = 0;
};

HprofGraph read_hprof_graph(const HprofTables& tables, Ledger& ledger,
                            const ImportProgress& progress);

}  // namespace holdfast::analysis
