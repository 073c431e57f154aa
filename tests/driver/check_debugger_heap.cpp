// check_debugger_heap SNAPSHOT.hfs GRAPH [MOST]: proves that a snapshot shows the same heap as a debugger's library, which read the same quiet CLR.
// GRAPH is what tests/dotnet/programs/Inspector writes. MOST: so many objects may differ, since a runtime that is looked at allocates
// for itself. Prints what was compared at each depth and what differs first; exit code 0 when every other object has its counterpart
// and none is lacking that is reached, 1 when not, 2 when a file cannot be read.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "analysis/lab/debugger_heap.h"
#include "analysis/snapshot_file/snapshot_reader.h"

using namespace holdfast;
using namespace holdfast::analysis;

namespace {

void print(const lab::DebuggerComparison& result) {
  for (std::size_t i = 0; i < result.depths.size(); ++i) {
    const auto& depth = result.depths[i];
    std::printf(
        "depth %zu: %llu alike, only in the snapshot %llu, only in the debugger %llu and %llu "
        "unreached\n",
        i, static_cast<unsigned long long>(depth.alike),
        static_cast<unsigned long long>(depth.only_in_snapshot),
        static_cast<unsigned long long>(depth.only_reached),
        static_cast<unsigned long long>(depth.only_unreached));
  }
  for (const std::string& line : result.lines) std::printf("  %s\n", line.c_str());
}

}  // namespace

int main(int count, char** words) {
  if (count != 3 && count != 4)
    return std::fprintf(stderr, "usage: check_debugger_heap SNAPSHOT.hfs GRAPH [MOST]\n"), 2;
  SnapshotFile file;
  if (const auto opened = file.open(words[1]); !opened || file.cut().cut)
    return std::fprintf(stderr, "%s: %s\n", words[1], opened ? "cut" : "not readable"), 2;
  std::ifstream stream(words[2], std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  const auto debugger = lab::read_debugger_heap(std::as_bytes(std::span(bytes)));
  if (!debugger) return std::fprintf(stderr, "%s: not readable\n", words[2]), 2;
  const lab::DebuggerComparison result = compare_with_debugger(file.snapshot(), *debugger);
  print(result);
  const std::uint64_t most = count == 4 ? std::strtoull(words[3], nullptr, 10) : 0;
  return result.most_different() <= most && result.depths.back().alike > most ? 0 : 1;
}
