// A report as folded stacks, for flame graphs: "heap;class_shop.Registry;java.util.HashMap 61234", bytes.
// Shape:  one line a sample of tree_stacks.h that has bytes, the root first. Names are shortened to kMaxNameColumns: a line has
//         up to 256 of them.
//         What would be taken for the format is replaced: ';' by ':', white space by '_', control characters by \u001b.
// Zone:   offline.   Errors: those of the sink.
// Source: what Brendan Gregg's flamegraph.pl reads: frames joined by ';', a space, a number.
#pragma once

#include "cli/export/export_format.h"
#include "cli/export/tree_stacks.h"

namespace holdfast::cli {

inline constexpr std::size_t kMaxNameColumns = 250;

void write_folded(const ReportView& view, StackKind kind, const Sink& sink);

}  // namespace holdfast::cli
