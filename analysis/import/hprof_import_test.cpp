// Whole imports against the oracle: random dumps, and the figures of the ledger.
#include "analysis/import/hprof_import.h"

#include <doctest/doctest.h>

#include "analysis/import/import_fixture.h"
#include "analysis/lab/random_hprof.h"

using namespace holdfast;
using namespace holdfast::analysis;

TEST_CASE("500 random dumps: every object as the oracle says") {
  std::uint64_t rows = 0;
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    CAPTURE(seed);
    const std::vector<std::byte> file = lab::random_hprof(seed);
    const lab::MatHeap mat = lab::mat_oracle(file);
    const ImportedDump ours(file, options_like_mat());
    CHECK(difference(ours.rows(), mat) == "");
    CHECK(ours.dominators.held_bytes == mat.held_bytes);
    rows += mat.rows.size();
  }
  CHECK(rows > 5000);
}

TEST_CASE("a large dump, which is decoded in two halves") {
  const std::vector<std::byte> file = lab::large_hprof(260'000, 1);
  const lab::MatHeap mat = lab::mat_oracle(file);
  const ImportedDump ours(file, options_like_mat());
  CHECK(difference(ours.rows(), mat) == "");
  CHECK(mat.rows.size() > 130'000);
  CHECK(mat.touched[10 - 1] > 100);  // locals on both sides of the middle
}

TEST_CASE("reading takes no more memory than import.h says") {
  const std::vector<std::byte> file = lab::large_hprof(1'000'000, 2);
  const auto heap = import_hprof(file, own_options());
  const Snapshot& s = heap->snapshot;
  constexpr std::uint64_t kNames = 64 << 10;
  const std::uint64_t bound = import_reading_bytes(s.object_count(), s.reference_count(), kNames);
  CHECK(heap->ledger().peak_bytes() <= bound);
  CHECK(2 * heap->ledger().peak_bytes() > bound);  // a bound that says something
}
