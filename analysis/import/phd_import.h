// IBM's portable heap dump (PHD) as a Snapshot.
// Shape:  two passes over the records: a survey (addresses, classes, counts), then the graph. 8 B an object for its address,
//         its index, 250 B a class; then the snapshot's 12 B + 6 B a reference.
//         An instance has the size that its class record tells, class objects have none in the format: 0. No GC roots
//         (heap_roots.h chooses them), no field names, no loaders. Each object refers to its class object.
// Zone:   offline.
// Errors: ImportFailure (kNotOurs, kNewerVersion, kDamaged, kRefused for MAT's rules, kTooMany, kCancelled, memory).
#pragma once

#include "analysis/import/import.h"
#include "analysis/import/phd_reader.h"

namespace holdfast::analysis {

// `file` must outlive the call only.
std::unique_ptr<ImportedHeap> import_phd(std::span<const std::byte> file,
                                         const ImportOptions& options);

}  // namespace holdfast::analysis
