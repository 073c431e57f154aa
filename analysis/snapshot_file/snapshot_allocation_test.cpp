// Inside a VM the snapshot is written with arena memory only: nothing of ours, of zstd or of flatbuffers reaches malloc.
#include <doctest/doctest.h>

#include "analysis/lab/allocation_meter.h"
#include "analysis/snapshot_file/snapshot_fixture.h"
#include "analysis/snapshot_stream.h"

#if HF_COUNTS_MALLOC
using namespace holdfast;
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

TEST_CASE("streaming a snapshot file allocates nothing") {
  SnapshotFixture f(7, 200'000, 300);
  const Snapshot& s = f.snapshot;
  std::vector<ClassCount> instances(301);
  const Capture capture;
  const Options options;
  AnalysisInput input{capture, f.record, options, f.arena, f.ledger, f.cancel};
  FileName name;
  std::snprintf(name.text, sizeof name.text, "snapshot_allocation_test.%d.hfs", ::getpid());
  const SnapshotStreamFacts facts{s.catalog, s.roots, instances, 200'000, s.reference_count()};
  const std::uint64_t before = allocations;
  SnapshotStream stream;
  bool good = stream.open(input, name, facts).ok();
  for (std::size_t first = 0; good && first < s.class_of.size(); first += 4000) {
    const std::size_t from = s.first_ref[first];
    const std::size_t count = s.first_ref[first + 4000] - from;
    good = stream
               .append(s.class_of.subspan(first, 4000), s.shallow_units.subspan(first, 4000),
                       s.first_ref.subspan(first, 4001), s.target.subspan(from, count),
                       s.label.subspan(from, count))
               .ok();
  }
  good = good && stream.finish().ok();
  const std::uint64_t after = allocations;
  std::remove(name.text);
  CHECK(good);
  CHECK(after == before);
}
#endif
