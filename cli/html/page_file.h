// `--html OUT`: where a page goes, for every command that makes one.
// Shape:  written once, whole.   Zone: offline.
// Errors: Stop of output_file.h: complete or absent; only an empty file or a page of ours is replaced. Stop (4) where
//         this command was built without pages.
#pragma once

#include <string>

#include "cli/output_file.h"

namespace holdfast::cli {

bool pages_built();  // HOLDFAST_BUILD_WEB
OutputFile page_file(const std::string& path);
void write_page(const OutputFile& file, const std::string& page);

}  // namespace holdfast::cli
