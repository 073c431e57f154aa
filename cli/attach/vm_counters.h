// What a HotSpot VM says of itself in its counters file: the options that it was started with, and its collector.
// Why: a command line does not show options from an @file, -XX:Flags= or -XX:VMOptionsFile=, nor a collector that the VM has chosen.
// Shape:  the file's beginning, of which all texts are constants. Options are those of a file of flags first, then all others, in the
//         order in which the VM obeys them. The VM cuts a text at 1,024 bytes.
// Zone:   offline.   Errors: none; what is damaged or not there is empty and not whole.
// Source: HotSpot, runtime/perfMemory.hpp (PerfDataPrologue, PerfDataEntry), version 2.0; perfData.hpp; as observed on JDK 17 and 25.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace holdfast::cli {

struct VmCounters {
  bool options_whole = false;  // false: they are not there or were cut; then `options` is empty
  std::vector<std::string> options;
  std::string collector;  // "G1"; empty: not known, Epsilon among them
};
VmCounters counters_from(std::string_view file);

// `path` as the process names it, below its `root`, with an identity that may read it.
VmCounters read_vm_counters(int root, const std::string& path);

}  // namespace holdfast::cli
