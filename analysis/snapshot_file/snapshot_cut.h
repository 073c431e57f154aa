// What is done to a snapshot whose file was cut, and what is checked in every snapshot beyond verify().
// Zone:   offline.   Errors: kDamaged.
#pragma once

#include "analysis/snapshot_file/snapshot_parts.h"
#include "analysis/snapshot_file/snapshot_reader.h"

namespace holdfast::analysis {

// Drops or empties everything that points behind the cut.
void mend_cut(SnapshotParts& parts, SnapshotCut& cut) noexcept;
// Names and kinds: every string id is one or none, every enum value is known.
bool names_and_kinds_good(const SnapshotParts& parts) noexcept;

}  // namespace holdfast::analysis
