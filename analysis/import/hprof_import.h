// An HPROF dump as a Snapshot: survey, index, classes, roots, graph, in this order.
// Zone:   offline.   Errors: ImportFailure.
#pragma once

#include "analysis/import/import.h"

namespace holdfast::analysis {

// `file` must outlive the call only.
std::unique_ptr<ImportedHeap> import_hprof(std::span<const std::byte> file,
                                           const ImportOptions& options);

}  // namespace holdfast::analysis
