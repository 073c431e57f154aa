// check_reachable FILE.hfs|server-like COUNT SEED: reachable sizes of that many random objects against breadth-first search, on a real graph or on one like the
// thesis' largest server heap; then a tenth of them, or kLeastEstimates, once more as estimates, against their stated error. Prints two lines; exit code 0 when all is as promised, 1 when not, 2 when the file cannot be read.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "analysis/lab/reachable_check.h"
#include "analysis/lab/test_arena.h"
#include "analysis/lab/thesis/server_like.h"
#include "analysis/snapshot_file/snapshot_reader.h"

using namespace holdfast;
using namespace holdfast::analysis;

namespace {

constexpr StrengthSet kHolding = holding_strengths(kRetainStrong | kRetainSoft);
constexpr std::uint64_t kMemoryBytes = std::uint64_t{8} << 30;
// What objects of one heap reach has much in common, and so have their errors: half of them may reach the same, and then a heap is one draw, of
// which one in a million is 60 % too large with 128 ranks. The mean over many graphs is tested in reachable_size_test.cpp.
constexpr double kMostError = 0.6, kMostBeyond3Sigma = 0.03;
// Of fewer, a single one beyond three sigma would be too many.
constexpr std::uint64_t kLeastEstimates = 200;

bool check(const Snapshot& s, const ReachableLimits& limits, std::uint64_t count,
           std::uint64_t seed) {
  lab::TestArena memory(kMemoryBytes);
  const auto found = lab::check_reachable(s, kHolding, limits, count, seed, memory.arena());
  if (!found) return std::fprintf(stderr, "the passes failed\n"), false;
  std::printf(
      "%u objects: %llu checked, %zu wrong, %llu estimates, mean error %.1f %%, %.2f %% beyond 3 "
      "sigma; %u shared, %u lanes\n",
      s.object_count(), static_cast<unsigned long long>(found->checked), found->wrong.size(),
      static_cast<unsigned long long>(found->estimates), 100 * found->mean_error,
      100 * found->beyond_3_sigma, found->sizes.work.shared, found->sizes.work.lanes);
  for (const auto& wrong : found->wrong)
    std::printf("  object %u: reachable %llu, by search %llu\n", wrong.object.value,
                static_cast<unsigned long long>(wrong.reachable_bytes),
                static_cast<unsigned long long>(wrong.searched_bytes));
  return found->checked > 0 && found->wrong.empty() && found->largest_error < kMostError &&
         found->beyond_3_sigma < kMostBeyond3Sigma;
}

int check_both(const Snapshot& s, const char* count, const char* seed_word) {
  const std::uint64_t objects = std::strtoull(count, nullptr, 10);
  const std::uint64_t seed = std::strtoull(seed_word, nullptr, 10);
  const bool exact = check(s, {}, objects, seed);
  return check(s, {0, 128}, std::max(objects / 10, kLeastEstimates), seed) && exact ? 0 : 1;
}

}  // namespace

int main(int count, char** words) {
  if (count != 4)
    return std::fprintf(stderr, "usage: check_reachable FILE.hfs|server-like COUNT SEED\n"), 2;
  if (std::strcmp(words[1], "server-like") == 0) {
    lab::LabGraph graph = lab::server_like(lab::table_5_2_rows().back(), 1);
    return check_both(graph.snapshot(), words[2], words[3]);
  }
  SnapshotFile file;
  if (const auto opened = file.open(words[1]); !opened || file.cut().cut) {
    std::fprintf(stderr, "%s: cut or not readable\n", words[1]);
    return 2;
  }
  return check_both(file.snapshot(), words[2], words[3]);
}
