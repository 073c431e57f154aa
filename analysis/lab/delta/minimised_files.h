// A minimised graph on disk: a snapshot (.hfs), with which everything can be run again, and a picture (.dot).
// Shape:  O(objects + references).
//         A generated graph gets what every file has and it lacks: a loader, and names for its classes.
// Zone:   offline.
// Errors: "" or one sentence, which names the file. A file that is there already is left as it is.
#pragma once

#include <string>

#include "common/dump_record.h"
#include "common/snapshot/snapshot.h"

namespace holdfast::analysis::lab {

std::string write_snapshot(const Snapshot& snapshot, const DumpRecord& record,
                           const std::string& path);
std::string write_picture(const Snapshot& snapshot, const std::string& path);

}  // namespace holdfast::analysis::lab
