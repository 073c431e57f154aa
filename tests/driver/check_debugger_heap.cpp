// check_debugger_heap SNAPSHOT.hfs GRAPH [MOST]: proves that a snapshot shows the same heap as a debugger's library, which read the same quiet CLR.
// GRAPH is what tests/dotnet/programs/Inspector writes, or another snapshot (*.hfs). MOST: so many objects may differ, since a runtime that is looked at allocates
// for itself. Prints what was compared at each depth and what differs first; exit code 0 when every other object has its counterpart
// and none is lacking that is reached, 1 when not, 2 when a file cannot be read.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

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

bool open(SnapshotFile& file, const char* path) {
  const auto opened = file.open(path);
  if (opened && !file.cut().cut) return true;
  std::fprintf(stderr, "%s: %s\n", path, opened ? "cut" : "not readable");
  return false;
}

// Objects that a snapshot has are reached.
lab::DebuggerHeap heap_of(const Snapshot& s) {
  lab::DebuggerHeap heap;
  for (std::uint32_t c = 0; c < s.catalog.class_count(); ++c)
    heap.types.emplace_back(s.catalog.class_name(ClassId{c}));
  heap.types.emplace_back();  // of objects without a class
  for (std::uint32_t v = 0; v < s.object_count(); ++v) {
    lab::DebuggerHeap::Object object;
    object.shallow_bytes = s.shallow_bytes(ObjectId{v});
    object.type = s.class_of[v].valid() ? s.class_of[v].value : s.catalog.class_count();
    object.reached = true;
    for (std::uint32_t i = s.first_ref[v]; i < s.first_ref[v + 1]; ++i)
      object.referents.push_back(s.target[i].value);
    heap.objects.push_back(std::move(object));
  }
  return heap;
}

std::optional<lab::DebuggerHeap> read_graph(const char* path) {
  if (std::string_view(path).ends_with(".hfs")) {
    SnapshotFile file;
    return open(file, path) ? std::optional(heap_of(file.snapshot())) : std::nullopt;
  }
  std::ifstream stream(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  return lab::read_debugger_heap(std::as_bytes(std::span(bytes)));
}

}  // namespace

int main(int count, char** words) {
  if (count != 3 && count != 4)
    return std::fprintf(stderr, "usage: check_debugger_heap SNAPSHOT.hfs GRAPH [MOST]\n"), 2;
  SnapshotFile file;
  if (!open(file, words[1])) return 2;
  const auto debugger = read_graph(words[2]);
  if (!debugger) return std::fprintf(stderr, "%s: not readable\n", words[2]), 2;
  const lab::DebuggerComparison result = compare_with_debugger(file.snapshot(), *debugger);
  print(result);
  const std::uint64_t most = count == 4 ? std::strtoull(words[3], nullptr, 10) : 0;
  return result.most_different() <= most && result.depths.back().alike > most ? 0 : 1;
}
