// The report writer: findings in, one finished and verified flatbuffer in the arena out.
// Shape:  report_bound_bytes() is computed first and the builder never outgrows it. Lists are cut to the limits below, and
//         what is cut is summed up in the report itself. When the arena has no room for that, once more with every limit a
//         quarter, then a sixteenth. The file stays under 2 MB for any heap. Layout: report-format.md. Besides the image the arena holds
//         the writer's scratch (at most 1 MB) until the caller rewinds it; local roots cost 4 B each while threads are written.
// Zone:   worker (inside a VM: no heap but the arena: the test counts), offline.
// Errors: kOutOfBudget when the bound does not fit, kInconsistent when our own verifier refuses the result, kIo.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "analysis/results.h"
#include "common/dump_engine.h"

namespace holdfast::analysis {

inline constexpr std::uint32_t kMaxReportClasses = 4000;
inline constexpr std::uint32_t kMaxReportLoaders = 500;
inline constexpr std::uint32_t kMaxReportPackages = 500;
inline constexpr std::uint32_t kMaxReportThreads = 500;
inline constexpr std::uint32_t kMaxReportTree = 2000;
inline constexpr std::uint32_t kMaxReportTopObjects = 50;
inline constexpr std::uint32_t kMaxReportSuspects = 20;
inline constexpr std::uint32_t kMaxReportHidden = 20;
inline constexpr std::uint32_t kMaxReportImportant = 20;  // of each of the two lists
inline constexpr std::uint32_t kMaxReportCuts = 20;
inline constexpr std::uint32_t kMaxReportHolderClasses = 620;   // with those of suspects
inline constexpr std::uint32_t kMaxReportHolderPlaces = 1'600;  // of all of them
inline constexpr std::uint32_t kMaxReportStateClasses = 20;     // of each state that matters
inline constexpr std::uint32_t kMaxReportStateGroups = 4;
inline constexpr std::uint32_t kMaxReportBacklogs = 8;
inline constexpr std::uint32_t kMaxReportBacklogFrames = 6;  // topmost first
inline constexpr std::uint32_t kMaxReportAging = 200;    // classes with the ages of their samples
inline constexpr std::uint32_t kMaxReportAged = 500;     // classes with their ages
inline constexpr std::uint32_t kMaxReportFrames = 1000;  // of all listed threads
inline constexpr std::uint32_t kMaxReportFramesPerThread = 64;  // topmost first
inline constexpr std::uint32_t kMaxReportLevels = 16;           // of one suspect
inline constexpr std::uint32_t kMaxReportTracked =
    600;  // all that an agent knows, and what one dump names
inline constexpr std::uint32_t kMaxReportFixedBytes =
    1'910'000;  // everything but classes, at all these limits

// The finished file image (header, checksum, flatbuffer) in input.arena.
Result<std::span<const std::byte>> write_report(AnalysisInput& input,
                                                const Findings& findings) noexcept;

}  // namespace holdfast::analysis
