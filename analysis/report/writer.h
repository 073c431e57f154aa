// The report writer: findings in, one finished and verified flatbuffer in the arena out; then a file, complete or absent.
// Shape:  report_bound_bytes() is computed first and the builder never outgrows it. Lists are cut to the limits below, and
//         what is cut is summed up in the report itself. File layout: FORMAT.md.
// Zone:   worker (inside a VM: no heap but the arena), offline.
// Errors: kOutOfBudget when the bound does not fit, kInconsistent when our own verifier refuses the result, kIo.
#pragma once

#include <cstddef>
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

// The finished file image (header, checksum, flatbuffer) in input.arena.
Result<std::span<const std::byte>> write_report(AnalysisInput& input, const Findings& findings) noexcept;

}  // namespace holdfast::analysis
