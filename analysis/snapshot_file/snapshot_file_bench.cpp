// Size and speed of snapshot files on generated heaps: bytes per object and per reference (blocks of references apart from all
// others), MB of raw columns per second.
// Raw columns: 12 B an object + 6 B a reference, what the snapshot itself takes.
#include <doctest/doctest.h>

#include <cstdio>
#include <string>

#include "analysis/lab/heap_like.h"
#include "analysis/lab/test_arena.h"
#include "analysis/snapshot_file/block_reader.h"
#include "analysis/snapshot_file/snapshot_file_generated.h"
#include "analysis/snapshot_file/snapshot_reader.h"
#include "analysis/snapshot_file/snapshot_writer.h"
#include "platforms/clock.h"
#include "platforms/process.h"

using namespace holdfast;
using namespace holdfast::analysis;

namespace {

std::uint64_t write(const Snapshot& snapshot, const char* name, double& seconds) {
  lab::TestArena arena;
  const DumpRecord record;
  const CancelToken cancel;
  const std::uint64_t began = platforms::monotonic_ns();
  const auto info = write_snapshot_file(snapshot, record, arena.arena(), cancel, ".", name);
  seconds = static_cast<double>(platforms::monotonic_ns() - began) / 1e9;
  REQUIRE(info.ok());
  return info->file_bytes;
}

// What the blocks of references take; all others count as the objects'.
std::uint64_t reference_bytes(const char* name) {
  platforms::MappedFile mapped;
  REQUIRE(platforms::map_file(name, mapped) == 0);
  lab::TestArena arena;
  BlockReader blocks;
  REQUIRE(blocks.open({mapped.data, mapped.bytes}, arena.arena()).ok());
  std::uint64_t bytes = 0;
  while (!blocks.at_end()) {
    const std::uint64_t start = blocks.offset();
    const auto block = blocks.next();
    REQUIRE((block.ok() && *block != nullptr));
    if ((*block)->kind() == snapshot_file::BlockKind::References) bytes += blocks.offset() - start;
  }
  platforms::unmap_file(mapped);
  return bytes;
}

double read_seconds(const char* name, const Snapshot& wanted) {
  const std::uint64_t began = platforms::monotonic_ns();
  SnapshotFile file;
  REQUIRE(file.open(name).ok());
  const double seconds = static_cast<double>(platforms::monotonic_ns() - began) / 1e9;
  CHECK(file.snapshot().object_count() == wanted.object_count());
  CHECK(file.snapshot().reference_count() == wanted.reference_count());
  return seconds;
}

void measure(std::uint32_t objects, lab::ObjectOrder order) {
  lab::LabGraph graph = lab::heap_like(objects, 42, order);
  std::vector<LoaderRow> boot(1);
  for (ClassRow& row : graph.classes) row.loader = LoaderId{0};
  Snapshot whole = graph.snapshot();
  whole.catalog.loaders = boot;
  const std::string name =
      "snapshot_file_bench." + std::to_string(platforms::process_id()) + ".hfs";
  double writing = 0;
  const auto bytes = static_cast<double>(write(whole, name.c_str(), writing));
  const auto references = static_cast<double>(reference_bytes(name.c_str()));
  const double reading = read_seconds(name.c_str(), whole);
  std::remove(name.c_str());
  const double n = whole.object_count();
  const auto m = static_cast<double>(whole.reference_count());
  const double raw = 12 * n + 6 * m;
  std::printf(
      "%-9s %9u objects %9.0f references: %10.0f B, %.2f B/object + %.2f B/reference, write %.2f s "
      "(%.0f MB/s), read %.2f s (%.0f MB/s)\n",
      order == lab::ObjectOrder::kCapture ? "capture" : "shuffled", whole.object_count(), m, bytes,
      (bytes - references) / n, references / m, writing, raw / writing / 1e6, reading,
      raw / reading / 1e6);
  CHECK(bytes <= 6 * n + 3 * m);
  CHECK(references / m <= (order == lab::ObjectOrder::kCapture ? 2.1 : 3.1));
}

}  // namespace

TEST_CASE("size and speed of snapshot files") {
  for (const std::uint32_t objects : {100'000u, 1'000'000u, 10'000'000u}) {
    measure(objects, lab::ObjectOrder::kCapture);
    measure(objects, lab::ObjectOrder::kShuffled);
  }
}
