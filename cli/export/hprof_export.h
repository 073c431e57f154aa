// A snapshot as an HPROF dump without contents: every object, class, reference and root, and zeros for all values.
// Why: MAT, VisualVM and their kin open nothing else; and a dump without contents may leave the house.
// Shape:  HPROF 1.0.2, 8-byte identifiers (hprof_layout.h): names, classes, frames and traces, then heap segments of about
//         1 MiB; the file is about as large as the heap. Memory: the snapshot, the layout, 2 MiB.
//         A reference goes into its field; what no field holds (a label that is no field's, a second one in one field) into
//         fields made for it, of class objects into static ones. Elements whose index the label does not hold any more stand
//         behind the others. Names of threads and loaders are contents of strings, and so are gone.
// Zone:   offline.   Errors: those of the sink.
// Source: HPROF agent manual (hprof_b_spec.h of OpenJDK 8).
#pragma once

#include "cli/export/export_format.h"
#include "common/dump_record.h"
#include "common/snapshot/snapshot.h"

namespace holdfast::cli {

// How many arrays were longer than a dump can hold and were cut.
std::uint64_t write_hprof(const Snapshot& snapshot, const DumpRecord& record, const Sink& sink);

// "java.lang.String[]" as the VM writes it: "[Ljava/lang/String;".
std::string binary_class_name(std::string_view name);

}  // namespace holdfast::cli
