// Our own snapshot (.hfs) as the input of an analysis, so that other rules of retention or a newer holdfast can be asked again.
// Shape:  the snapshot lives in the reader's own arena; what its arrays take is charged to the heap's ledger, too. A cut file
//         is read up to the cut.
// Zone:   offline.
// Errors: ImportFailure (kRefused for MAT's rules, which are applied while HPROF is read; kNewerVersion, kDamaged,
//         kOutOfBudget, kOutOfMemory).
#pragma once

#include "analysis/import/import.h"

namespace holdfast::analysis {

bool looks_like_snapshot(std::span<const std::byte> first_bytes) noexcept;
// `file` must outlive the call only.
std::unique_ptr<ImportedHeap> import_snapshot(std::span<const std::byte> file,
                                              const ImportOptions& options);

}  // namespace holdfast::analysis
