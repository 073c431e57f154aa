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
