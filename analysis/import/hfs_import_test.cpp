#include "analysis/import/hfs_import.h"

#include <doctest/doctest.h>

#include "analysis/import/archives_for_test.h"
#include "analysis/import/import_failure.h"
#include "analysis/passes.h"
#include "analysis/snapshot_file/block_format.h"
#include "analysis/snapshot_file/snapshot_fixture.h"
#include "common/options.h"
#include "platforms/scratch_for_test.h"

using namespace holdfast;
using namespace holdfast::analysis;

namespace {

bool same_graph(const Snapshot& a, const Snapshot& b) {
  return std::ranges::equal(a.class_of, b.class_of) &&
         std::ranges::equal(a.shallow_units, b.shallow_units) &&
         std::ranges::equal(a.first_ref, b.first_ref) && std::ranges::equal(a.target, b.target) &&
         std::ranges::equal(a.label, b.label) && a.roots.size() == b.roots.size() &&
         a.catalog.class_count() == b.catalog.class_count() &&
         a.shallow_unit_bytes == b.shallow_unit_bytes;
}

Findings analyse(ImportedHeap& heap) {
  Capture capture;
  capture.rung = CaptureRung::kImported;
  capture.has_graph = true;
  capture.snapshot = heap.snapshot;
  Options options;
  CancelToken cancel;
  AnalysisInput input{capture, heap.record, options, heap.arena(), heap.ledger(), cancel};
  Findings findings;
  REQUIRE(run_passes(input, findings).ok());
  return findings;
}

ErrorCode code_of(std::span<const std::byte> file, const ImportOptions& options,
                  std::string* reason = nullptr) {
  try {
    import_snapshot(file, options);
  } catch (const ImportFailure& failure) {
    if (reason != nullptr) *reason = failure.what();
    return failure.code;
  }
  FAIL("it was read");
  return ErrorCode::kInconsistent;
}

}  // namespace

TEST_CASE("a snapshot file is an imported heap, and the passes run on it") {
  SnapshotFixture fixture(3, 500);
  const Bytes file = fixture.file();
  CHECK(looks_like_snapshot(file));
  const auto heap = import_snapshot(file, {});
  CHECK(same_graph(heap->snapshot, fixture.snapshot));
  CHECK(heap->format.starts_with("holdfast snapshot 1."));
  CHECK(heap->input_bytes == file.size());
  CHECK(heap->losses.empty());
  CHECK(std::string(heap->record.host) == "web1");
  CHECK(heap->record.started_utc_ms == fixture.record.started_utc_ms);
  CHECK(heap->ledger().category_bytes(MemoryCategory::kGraph) >=
        500 * 12 + 6 * fixture.snapshot.reference_count());
  const Findings findings = analyse(*heap);
  CHECK(findings.dominators.idom.size() == 500);
}

TEST_CASE("import_heap reads snapshot files, plain and packed") {
  SnapshotFixture fixture(4, 300);
  const Bytes file = fixture.file();
  const platforms::ScratchDirectory scratch;
  const std::string path = scratch.file("a.hfs");
  write_bytes(path, file);
  CHECK(same_graph(import_heap(path, {})->snapshot, fixture.snapshot));
  write_bytes(path, gzip_member(file));
  const auto packed = import_heap(path, {});
  CHECK(same_graph(packed->snapshot, fixture.snapshot));
  CHECK(packed->format.ends_with(", packed with gzip"));
  CHECK(packed->losses.empty());
}

TEST_CASE("a snapshot that was cut is read up to the cut and says so, in an archive as well") {
  SnapshotFixture fixture(5, 400);
  const Bytes file = fixture.file();
  std::size_t read_short = 0;
  for (std::size_t size = 0; size < file.size(); ++size) {
    CAPTURE(size);
    try {
      const auto heap = import_snapshot(std::span(file).first(size), {});
      ++read_short;
      REQUIRE(heap->losses.size() == 1);
      CHECK(heap->losses[0].starts_with("the snapshot is cut at offset "));
      CHECK(verify(heap->snapshot).ok());
    } catch (const ImportFailure& failure) {
      CHECK((failure.code == ErrorCode::kDamaged || failure.code == ErrorCode::kNotOurs));
    }
  }
  CHECK(read_short > 0);
  // The cut of the archive comes first: it is the cause of the other.
  const platforms::ScratchDirectory scratch;
  const Bytes packed = gzip_member(file, 0);
  write_bytes(scratch.file("cut.gz"), std::span(packed).first(packed.size() - 40));
  const auto heap = import_heap(scratch.file("cut.gz"), {});
  REQUIRE(heap->losses.size() == 2);
  CHECK(heap->losses[0].starts_with("the gzip archive ends early"));
  CHECK(heap->losses[1].starts_with("the snapshot is cut"));
}

TEST_CASE("what cannot be read is refused with its reason") {
  SnapshotFixture fixture(6, 2000);
  Bytes file = fixture.file();
  std::string reason;
  ImportOptions options;
  options.like_mat = true;
  CHECK(code_of(file, options, &reason) == ErrorCode::kRefused);
  CHECK(reason.find("MAT") != std::string::npos);
  CHECK(reason.find('\n') == std::string::npos);
  options.like_mat = false;
  for (const std::uint64_t limit :
       {std::uint64_t{0}, std::uint64_t{1000}, std::uint64_t{1} << 20}) {
    options.memory_limit_bytes = limit;
    CHECK(code_of(file, options) == ErrorCode::kOutOfBudget);
  }
  file[40] ^= std::byte{1};
  CHECK(code_of(file, {}) == ErrorCode::kDamaged);
  file[8] = std::byte{9};
  CHECK(code_of(file, {}, &reason) == ErrorCode::kNewerVersion);
  CHECK(reason.find("format 9") != std::string::npos);
}
