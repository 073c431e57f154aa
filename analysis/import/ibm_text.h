// An IBM heap dump as text, the input of HeapRoots, as a Snapshot.
// Shape:  two passes over the text: a survey (addresses, the greatest common divisor of the sizes, counts), then classes,
//         sizes and references. 8 B an object for its address, its index, then the snapshot's 12 B + 6 B a reference.
//         Sizes are those of the dump. The format has no GC roots (heap_roots.h chooses them, kind: other), no field names
//         (every reference counts as strong) and no loaders (named "unknown"; java.*, javax.* and their like are the
//         platform's). Class objects are objects of java.lang.Class like any other: their instances refer to them only
//         where the dump says so.
// Zone:   offline.
// Errors: ImportFailure (kDamaged when there is no object, kRefused for MAT's rules, kTooMany, kCancelled, memory).
#pragma once

#include "analysis/import/ibm_text_lines.h"
#include "analysis/import/import.h"

namespace holdfast::analysis {

// `file` must outlive the call only.
std::unique_ptr<ImportedHeap> import_ibm_text(std::span<const std::byte> file,
                                              const ImportOptions& options);

}  // namespace holdfast::analysis
