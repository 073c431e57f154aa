// A report as a profile for pprof: who retains how much, along the dominator tree.
// Shape:  profile.proto, gzip'd: inuse_space in bytes and inuse_objects (of what accounts allocated alloc_space and alloc_objects); one sample a node (tree_stacks.h) with its path as
//         stack, classes as functions, the class loader as label; when it was and of which process in time and comments.
// Zone:   offline.   Errors: those of the sink.
// Source: pprof's description of profile.proto (field numbers); RFC 1952 (gzip).
#pragma once

#include "cli/export/export_format.h"
#include "cli/export/tree_stacks.h"

namespace holdfast::cli {

// How these files begin: gzip's header with a comment that no other program writes.
inline constexpr char kPprofComment[] = "holdfast export";
inline constexpr std::string_view kPprofMark{"\x1f\x8b\x08\x10\0\0\0\0\x02\x03holdfast export",
                                             10 + sizeof kPprofComment};

void write_pprof(const ReportView& view, StackKind kind, const Sink& sink);

}  // namespace holdfast::cli
