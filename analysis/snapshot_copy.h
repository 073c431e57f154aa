// The whole graph as a .hfs file beside the report, for who asked for it with snapshot=on.
// Shape:  same name as the report, ending .hfs.   Zone: worker.
// Errors: none that stop the report: a note says why there is no snapshot.
#pragma once

#include "common/dump_engine.h"
#include "common/file_name.h"

namespace holdfast::analysis {

void keep_snapshot(AnalysisInput& input, const FileName& report_name) noexcept;

}  // namespace holdfast::analysis
