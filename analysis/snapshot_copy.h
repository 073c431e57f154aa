// The whole graph as a .hfs file beside the report, for who asked for it with snapshot=on. The report is inside as well.
// Why a name first: the report says that a snapshot is kept and is then embedded in it, so it is built before the snapshot is
//      written. Where that fails, the caller builds the report again, with the reason.
// Shape:  same name as the report, ending .hfs.   Zone: worker.
// Errors: as write_snapshot_file().
#pragma once

#include <cstddef>
#include <span>

#include "common/dump_engine.h"
#include "common/file_name.h"

namespace holdfast::analysis {

FileName snapshot_name(const FileName& report) noexcept;
Result<void> keep_snapshot(AnalysisInput& input, const FileName& name,
                           std::span<const std::byte> report_image) noexcept;

}  // namespace holdfast::analysis
