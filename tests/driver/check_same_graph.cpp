// check_same_graph FIRST.hfs SECOND.hfs [CLASS | --by-name]: proves that two snapshots of the same quiet process show the same graph. The first is the
// standard interface's, the second may be a reading of the memory. With a class only what its static fields hold is compared.
// --by-name: the second numbers fields in its own way and tells no slots of frames, so fields are compared by their names.
// Prints what was compared and every kind of difference with its count; exit code 0 when only allowed ones are among them, 1 when
// not, 2 when a file cannot be read.
#include <cstdio>
#include <string_view>

#include "analysis/lab/named_labels.h"
#include "analysis/lab/same_graph.h"
#include "analysis/snapshot_file/snapshot_reader.h"

using namespace holdfast;
using namespace holdfast::analysis;

namespace {

bool open(SnapshotFile& file, const char* path) {
  if (const auto opened = file.open(path); opened && !file.cut().cut) return true;
  std::fprintf(stderr, "%s: cut or not readable\n", path);
  return false;
}

void describe(const char* which, const Snapshot& s) {
  std::printf("%s: %u objects, %llu references, %zu roots, %u classes\n", which, s.object_count(),
              static_cast<unsigned long long>(s.reference_count()), s.roots.size(),
              s.catalog.class_count());
}

void print_lines(const lab::GraphDifferences& differences, lab::GraphDifference kind) {
  for (const auto& line : differences.lines())
    if (line.kind == kind) std::printf("    %s\n", line.text.c_str());
}

void print(const lab::GraphDifferences& differences) {
  for (std::size_t i = 0; i < lab::kGraphDifferenceCount; ++i) {
    const auto kind = static_cast<lab::GraphDifference>(i);
    if (differences.count(kind) == 0) continue;
    std::printf("  %s %s: %llu\n", lab::is_error(kind) ? "ERROR" : "allowed",
                lab::graph_difference_name(kind).data(),
                static_cast<unsigned long long>(differences.count(kind)));
    print_lines(differences, kind);
  }
}

lab::GraphComparison compare(const Snapshot& first, const Snapshot& second, std::string_view what) {
  if (what.empty()) return lab::compare_graphs(first, second);
  if (what != "--by-name") return lab::compare_held_by(first, second, what);
  const lab::NamedLabels named(first, second);
  return lab::compare_graphs(named.first(), named.second(), lab::ClassesOfSecond::kSomeUntold);
}

}  // namespace

int main(int count, char** words) {
  if (count != 3 && count != 4)
    return std::fprintf(stderr,
                        "usage: check_same_graph FIRST.hfs SECOND.hfs [CLASS | --by-name]\n"),
           2;
  SnapshotFile first;
  SnapshotFile second;
  if (!open(first, words[1]) || !open(second, words[2])) return 2;
  describe("first", first.snapshot());
  describe("second", second.snapshot());
  const std::string_view what = count == 4 ? words[3] : "";
  const lab::GraphComparison result = compare(first.snapshot(), second.snapshot(), what);
  std::printf("pairs: %llu; errors: %llu\n", static_cast<unsigned long long>(result.pairs),
              static_cast<unsigned long long>(result.differences.errors()));
  if (result.references_in_first != 0)
    std::printf("references of pairs: %llu and %llu\n",
                static_cast<unsigned long long>(result.references_in_first),
                static_cast<unsigned long long>(result.references_in_second));
  print(result.differences);
  return result.differences.errors() == 0 && result.pairs > 0 ? 0 : 1;
}
