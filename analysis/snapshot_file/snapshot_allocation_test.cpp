// Inside a VM the snapshot is written with arena memory only: nothing of ours, of zstd or of flatbuffers reaches malloc.
#include <doctest/doctest.h>

#include "analysis/lab/allocation_meter.h"
#include "analysis/snapshot_file/snapshot_fixture.h"

#if HF_COUNTS_MALLOC
using namespace holdfast::analysis;
using holdfast::analysis::lab::allocations;

TEST_CASE("writing a snapshot file allocates nothing, and at most 4 MiB of the arena") {
  SnapshotFixture f(7, 200'000, 3000);
  const std::string name = "snapshot_allocation_test." + std::to_string(::getpid()) + ".hfs";
  f.arena.take_peak_bytes();
  const std::uint64_t before = allocations;
  const bool written = f.write(name).ok();
  const std::uint64_t after = allocations;
  std::remove(name.c_str());
  CHECK(written);
  CHECK(after == before);
  const std::size_t used = f.arena.take_peak_bytes();
  MESSAGE("scratch for writing: " << used << " bytes");
  CHECK(used <= (std::size_t{4} << 20) + 3001 * 24);
}
#endif
