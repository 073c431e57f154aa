// Every rule about a report that the flatbuffers verifier does not know: indices, list lengths, enums, order, UTF-8.
// Why here and nowhere else: whoever holds a Report* from the reader may follow any index without looking again.
// Shape:  one pass over all rows. Every list element takes at least 4 bytes in an honest file, so a file whose lists share their
//         bytes to look larger than it is runs out of `elements_left_` and is refused: work stays linear in the file's size.
// Zone:   worker, offline; no allocation.
// Errors: kDamaged (detail: offset of the row at fault, in bytes from the start of the payload).
#pragma once

#include <cstddef>
#include <span>

#include "common/result.h"

namespace holdfast::report {
struct Report;
}

namespace holdfast::analysis {

inline constexpr std::uint32_t kNoRow = 0xFFFFFFFFu;

// `newer`: of a later minor version. Its enums may have values that are not known here, which stay as they are.
Result<void> check_indices(const report::Report& report, std::span<const std::byte> payload,
                           bool newer) noexcept;

}  // namespace holdfast::analysis
