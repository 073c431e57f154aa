#include "common/snapshot/snapshot_fill.h"

#include <doctest/doctest.h>

#include <vector>

#include "platforms/fault_points.h"
#include "platforms/pages.h"

using namespace holdfast;

namespace {

constexpr std::uint64_t kMemory = 8u << 20;

struct Bench {
  Ledger ledger{kMemory};
  Reservation reservation;
  CaptureMemory memory;
  Catalog catalog;
  std::vector<ClassRow> classes{ClassRow{}, ClassRow{}};
  std::vector<LoaderRow> loaders{LoaderRow{}};

  Bench() {
    REQUIRE(reservation.open(CaptureMemory::address_space_bytes(kMemory)).ok());
    REQUIRE(memory.open(reservation, ledger).ok());
    REQUIRE(memory.begin_dump().ok());
    for (ClassRow& row : classes) row.loader = LoaderId{0};
    catalog.classes = classes;
    catalog.loaders = loaders;
  }
  ~Bench() {
    memory.end_dump();
    CHECK(ledger.total_bytes() == 0);
  }
};

// Objects 0 -> 1, 2; 1 -> 0; 2 has none.
void fill_three(SnapshotFill& fill) {
  fill.begin_object(ClassId{1}, 24);
  fill.add_reference(ObjectId{1}, RefLabel::element(0));
  fill.add_reference(ObjectId{2}, RefLabel::element(1));
  fill.begin_object(ClassId{0}, 17);
  fill.add_reference(ObjectId{0}, RefLabel::instance_field(3));
  fill.begin_object(ClassId{}, 8);
}

}  // namespace

TEST_CASE("what is announced and filled is the snapshot, and costs its columns alone") {
  Bench bench;
  SnapshotFill fill;
  REQUIRE(fill.prepare(bench.memory, 3, 3).ok());
  auto roots = bench.memory.commit_column(kRootColumn);
  REQUIRE(roots);
  auto* root = reinterpret_cast<RootRecord*>(*roots);
  *root = RootRecord{};
  root->object = ObjectId{2};
  fill_three(fill);
  ++fill.losses().references_to_unknown;
  Snapshot s;
  REQUIRE(fill.finish(bench.catalog, {root, 1}, s).ok());
  REQUIRE(verify(s).ok());
  CHECK(s.object_count() == 3);
  CHECK(s.reference_count() == 3);
  CHECK(s.class_of[0] == ClassId{1});
  CHECK_FALSE(s.class_of[2].valid());
  CHECK(s.shallow_bytes(ObjectId{0}) == 24);
  CHECK(s.shallow_bytes(ObjectId{1}) == 24);  // in whole units
  CHECK(std::vector<std::uint32_t>(s.first_ref.begin(), s.first_ref.end()) ==
        std::vector<std::uint32_t>{0, 2, 3, 3});
  CHECK(s.target[1] == ObjectId{2});
  CHECK(s.label[2] == RefLabel::instance_field(3));
  CHECK(s.roots[0].object == ObjectId{2});
  CHECK(s.losses.objects_unknown_class == 1);
  CHECK(s.losses.references_to_unknown == 1);
  // One page for each of five columns and the roots; the promise is given back.
  CHECK(bench.ledger.category_bytes(MemoryCategory::kGraph) == 6 * platforms::page_bytes());
  CHECK(bench.ledger.category_bytes(MemoryCategory::kCapture) == 0);
}

TEST_CASE("fewer references than announced are as good; the columns shrink to them") {
  Bench bench;
  SnapshotFill fill;
  REQUIRE(fill.prepare(bench.memory, 3, 200'000).ok());
  fill_three(fill);
  Snapshot s;
  REQUIRE(fill.finish(bench.catalog, {}, s).ok());
  CHECK(verify(s).ok());
  CHECK(s.reference_count() == 3);
  CHECK(s.label.size() == 3);
  CHECK(bench.ledger.category_bytes(MemoryCategory::kGraph) == 5 * platforms::page_bytes());
}

TEST_CASE("fewer objects than announced, or more of anything, is no snapshot") {
  const auto filled = [](std::uint64_t objects, std::uint64_t references) {
    Bench bench;
    SnapshotFill fill;
    REQUIRE(fill.prepare(bench.memory, objects, references).ok());
    fill_three(fill);
    Snapshot s;
    const Result<void> done = fill.finish(bench.catalog, {}, s);
    return done ? 0 : static_cast<int>(done.error().code);
  };
  const int inconsistent = static_cast<int>(ErrorCode::kInconsistent);
  CHECK(filled(3, 3) == 0);
  CHECK(filled(4, 3) == inconsistent);
  CHECK(filled(2, 3) == inconsistent);
  CHECK(filled(3, 2) == inconsistent);
  CHECK(filled(3, 0) == inconsistent);
  CHECK(filled(0, 0) == inconsistent);
}

TEST_CASE("nothing at all is a snapshot too") {
  Bench bench;
  SnapshotFill fill;
  REQUIRE(fill.prepare(bench.memory, 0, 0).ok());
  Snapshot s;
  REQUIRE(fill.finish(bench.catalog, {}, s).ok());
  CHECK(s.object_count() == 0);
  CHECK(s.first_ref.size() == 1);
}

TEST_CASE("a size beyond all units is the largest there is") {
  Bench bench;
  SnapshotFill fill;
  REQUIRE(fill.prepare(bench.memory, 1, 0).ok());
  fill.begin_object(ClassId{0}, std::uint64_t{1} << 40);
  Snapshot s;
  REQUIRE(fill.finish(bench.catalog, {}, s).ok());
  CHECK(s.shallow_units[0] == 0xFFFFFFFFu);
}

TEST_CASE("what memory= does not allow is refused before anything is committed") {
  Bench bench;
  SnapshotFill fill;
  const auto code = [&](std::uint64_t objects, std::uint64_t references) {
    const Result<void> done = fill.prepare(bench.memory, objects, references);
    REQUIRE_FALSE(done);
    return done.error().code;
  };
  CHECK(code(std::uint64_t{kMaxObjects} + 1, 0) == ErrorCode::kTooMany);
  CHECK(code(1, 0xFFFFFFFFu) == ErrorCode::kTooMany);
  const std::uint64_t budget = bench.memory.budget().left_bytes;
  CHECK(code(budget / 12 + 1, 0) == ErrorCode::kOutOfBudget);
  CHECK(code(0, budget / 6 + 1) == ErrorCode::kOutOfBudget);
  CHECK(code(budget / 24, budget / 12 + 2) == ErrorCode::kOutOfBudget);
  // The sum fits, but not one column: its address space is a share.
  CHECK(code(bench.memory.column_bytes(kClassColumn) / 4 + 1, 0) == ErrorCode::kOutOfBudget);
  CHECK(fill.prepare(bench.memory, 1000, 1000).ok());
}

#if defined(HF_FAULT_POINTS)
TEST_CASE("pages that the system refuses are told") {
  for (std::uint32_t column = 0; column < 5; ++column) {
    Bench bench;
    SnapshotFill fill;
    const platforms::FaultScope fault(platforms::FaultPoint::kCommit, {column});
    const Result<void> done = fill.prepare(bench.memory, 10, 10);
    REQUIRE_FALSE(done);
    CHECK(done.error().code == ErrorCode::kOutOfMemory);
  }
}
#endif
