// check_retained FILE.hfs COUNT SEED: retained sizes of that many random objects against removal and marking, on a real graph.
// Prints one line; exit code 0 when all are equal, 1 when one is not, 2 when the file cannot be read.
#include <cstdio>
#include <cstdlib>

#include "analysis/counted_references.h"
#include "analysis/lab/removal_check.h"
#include "analysis/snapshot_file/snapshot_reader.h"

using namespace holdfast;
using namespace holdfast::analysis;

int main(int count, char** words) {
  if (count != 4) return std::fprintf(stderr, "usage: check_retained FILE.hfs COUNT SEED\n"), 2;
  SnapshotFile file;
  if (const auto opened = file.open(words[1]); !opened || file.cut().cut) {
    std::fprintf(stderr, "%s: cut or not readable\n", words[1]);
    return 2;
  }
  const Snapshot& s = file.snapshot();
  const auto check = lab::check_retained(s, holding_strengths(kRetainStrong | kRetainSoft),
                                         std::strtoull(words[2], nullptr, 10),
                                         std::strtoull(words[3], nullptr, 10));
  if (!check) return std::fprintf(stderr, "the passes failed\n"), 2;
  std::printf("%u objects, %llu references, %zu roots: %llu checked, %zu wrong\n", s.object_count(),
              static_cast<unsigned long long>(s.reference_count()), s.roots.size(),
              static_cast<unsigned long long>(check->checked), check->wrong.size());
  for (const auto& wrong : check->wrong)
    std::printf("  object %u: retained %llu, by removal %llu\n", wrong.object.value,
                static_cast<unsigned long long>(wrong.retained_bytes),
                static_cast<unsigned long long>(wrong.removed_bytes));
  return check->wrong.empty() && check->checked > 0 ? 0 : 1;
}
