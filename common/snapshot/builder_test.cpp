#include "common/snapshot/builder.h"

#include <doctest/doctest.h>

#include <memory>
#include <utility>
#include <vector>

using namespace holdfast;

namespace {

constexpr std::uint64_t kMemory = 8u << 20;

// A ledger, a reservation and a catalog of two classes (their class objects are objects 0 and 1).
struct Bench {
  Ledger ledger{kMemory};
  Reservation reservation;
  CaptureMemory memory;
  SnapshotBuilder builder;
  Catalog catalog;
  std::vector<ClassRow> classes;
  std::vector<LoaderRow> loaders{LoaderRow{}};

  explicit Bench(std::uint32_t preassigned = 2) {
    REQUIRE(reservation.open(CaptureMemory::address_space_bytes(kMemory)).ok());
    REQUIRE(memory.open(reservation, ledger).ok());
    REQUIRE(memory.begin_dump().ok());
    REQUIRE(builder.prepare(memory, preassigned).ok());
    for (std::uint32_t c = 0; c < 2; ++c) {
      ClassRow row;
      row.loader = LoaderId{0};
      row.mirror = ObjectId{c};
      classes.push_back(row);
    }
    catalog.classes = classes;
    catalog.loaders = loaders;
  }
  ~Bench() { memory.end_dump(); }
};

}  // namespace

TEST_CASE("seal numbers objects by row and renames every target") {
  Bench bench;
  SnapshotBuilder& b = bench.builder;
  // 2 -> 4, 3 (elements 0, 1); 4 -> 2; 3 has no row; class object 1 is never reached.
  b.reach_preassigned(ObjectId{0}, ClassId{1}, 96);
  const ObjectId a = b.add_object(ClassId{0}, 24);
  const ObjectId c = b.add_object(ClassId{1}, 40);
  REQUIRE(b.add_root(RawRoot{a, ThreadId{}, 77, 5, 2, 1, RootKind::kStackLocal}));
  REQUIRE(b.begin_row(a));
  const ObjectId d = b.add_object(ClassId{0}, 16);
  REQUIRE(b.add_reference(d, RefLabel::element(0)));
  REQUIRE(b.add_reference(c, RefLabel::element(1)));
  REQUIRE(b.begin_row(d));
  REQUIRE(b.add_reference(a, RefLabel::instance_field(3)));

  std::vector<MethodRow> methods(1);
  bench.catalog.methods = methods;
  Snapshot s;
  const auto method_of = [](void*, std::uint64_t raw) {
    return raw == 77 ? MethodId{0} : MethodId{};
  };
  REQUIRE(b.seal(bench.catalog, method_of, nullptr, s).ok());
  REQUIRE(verify(s).ok());
  REQUIRE(s.object_count() == 4);
  CHECK(s.reference_count() == 3);
  // Rows first: a is 0, d is 1; then the rowless in old order: class object 0 is 2, c is 3.
  CHECK(s.class_of[0] == ClassId{0});
  CHECK(s.shallow_bytes(ObjectId{0}) == 24);
  CHECK(s.shallow_bytes(ObjectId{1}) == 16);
  CHECK(s.shallow_bytes(ObjectId{2}) == 96);
  CHECK(s.class_of[3] == ClassId{1});
  CHECK(s.first_ref[0] == 0);
  CHECK(s.first_ref[1] == 2);
  CHECK(s.target[0] == ObjectId{1});
  CHECK(s.target[1] == ObjectId{3});
  CHECK(s.target[2] == ObjectId{0});
  CHECK(s.label[1] == RefLabel::element(1));
  CHECK(s.catalog.classes[0].mirror == ObjectId{2});
  CHECK_FALSE(s.catalog.classes[1].mirror.valid());
  REQUIRE(s.roots.size() == 1);
  CHECK(s.roots[0].object == ObjectId{0});
  CHECK(s.roots[0].method == MethodId{0});
  CHECK(s.roots[0].slot == 1);
  CHECK(s.implied_class_object(ObjectId{1}) == ObjectId{2});
}

TEST_CASE("two rows of one object are refused") {
  Bench bench;
  const ObjectId a = bench.builder.add_object(ClassId{0}, 16);
  const ObjectId b = bench.builder.add_object(ClassId{0}, 16);
  bench.builder.begin_row(a);
  bench.builder.begin_row(b);
  bench.builder.begin_row(a);
  Snapshot s;
  const Result<void> sealed = bench.builder.seal(bench.catalog, nullptr, nullptr, s);
  REQUIRE_FALSE(sealed.ok());
  CHECK(sealed.error().code == ErrorCode::kInconsistent);
}

TEST_CASE("the budget stops the columns, and everything goes back") {
  Bench bench;
  const std::uint64_t budget = bench.memory.budget().left_bytes + bench.memory.budget().drawn_bytes;
  std::uint64_t objects = 0;
  while (bench.builder.add_object(ClassId{0}, 16).valid()) ++objects;
  CHECK(bench.builder.overflowed());
  CHECK(objects * 8 <= budget);
  CHECK(objects * 8 > budget / 2 - Column<ClassId>::kGrantBytes * 4);
  Snapshot s;
  CHECK_FALSE(bench.builder.seal(bench.catalog, nullptr, nullptr, s).ok());
  bench.memory.end_dump();
  CHECK(bench.ledger.total_bytes() == 0);
}

TEST_CASE("after sealing the ledger holds the graph alone") {
  Bench bench(0);
  constexpr std::uint32_t kObjects = 50'000;
  for (std::uint32_t i = 0; i < kObjects; ++i) bench.builder.add_object(ClassId{0}, 16);
  bench.classes.clear();
  bench.catalog.classes = bench.classes;
  for (std::uint32_t i = 0; i < kObjects; ++i) {
    bench.builder.begin_row(ObjectId{i});
    bench.builder.add_reference(ObjectId{(i + 1) % kObjects}, RefLabel::instance_field(0));
  }
  Snapshot s;
  REQUIRE(bench.builder.seal(bench.catalog, nullptr, nullptr, s).ok());
  const std::uint64_t exact = kObjects * 12u + kObjects * 6u;
  CHECK(bench.ledger.category_bytes(MemoryCategory::kGraph) >= exact);
  CHECK(bench.ledger.category_bytes(MemoryCategory::kGraph) <= exact + 8 * 4096);
  CHECK(bench.ledger.category_bytes(MemoryCategory::kCapture) == 0);
  CHECK(bench.ledger.category_bytes(MemoryCategory::kAnalysis) == 0);
}

TEST_CASE("verify names the index at fault") {
  Bench bench;
  const ObjectId a = bench.builder.add_object(ClassId{0}, 16);
  bench.builder.reach_preassigned(ObjectId{0}, ClassId{1}, 96);
  bench.builder.begin_row(a);
  bench.builder.add_reference(ObjectId{0}, RefLabel::instance_field(0));
  Snapshot s;
  REQUIRE(bench.builder.seal(bench.catalog, nullptr, nullptr, s).ok());
  REQUIRE(verify(s).ok());
  const ObjectId wrong[] = {ObjectId{9}};
  s.target = wrong;
  const Result<void> verdict = verify(s);
  REQUIRE_FALSE(verdict.ok());
  CHECK(verdict.error().code == ErrorCode::kInconsistent);
  CHECK(verdict.error().detail == 0);
}

TEST_CASE("what was named and never reached is left out, with what refers to it") {
  Bench bench;
  SnapshotBuilder& b = bench.builder;
  const ObjectId first = b.preassign(), missing = b.preassign(), last = b.preassign();
  b.reach_preassigned(first, ClassId{5}, 24);
  b.reach_preassigned(last, ClassId{6}, 16);
  REQUIRE(b.add_root(RawRoot{missing, {}, 0, 0, 0, 0, RootKind::kOther}));
  REQUIRE(b.add_root(RawRoot{first, {}, 0, 0, 0, 0, RootKind::kOther}));
  REQUIRE(b.begin_row(first));
  REQUIRE(b.add_reference(missing, RefLabel::instance_field(0)));
  REQUIRE(b.add_reference(last, RefLabel::instance_field(1)));
  REQUIRE(b.begin_row(last));
  REQUIRE(b.add_reference(missing, RefLabel::instance_field(2)));
  REQUIRE(b.add_reference(ObjectId{77}, RefLabel::instance_field(3)));
  REQUIRE(b.add_reference(first, RefLabel::instance_field(4)));

  CHECK(b.drop_unreached() == 3);
  const ClassId renamed[] = {ClassId{0}, ClassId{1}, ClassId{},  ClassId{},
                             ClassId{},  ClassId{1}, ClassId{0}, ClassId{}};
  b.rename_classes(renamed);
  Snapshot s;
  REQUIRE(b.seal(bench.catalog, nullptr, nullptr, s).ok());
  REQUIRE(verify(s).ok());
  REQUIRE(s.object_count() == 2);
  REQUIRE(s.reference_count() == 2);
  CHECK(s.target[0] == ObjectId{1});
  CHECK(s.label[0] == RefLabel::instance_field(1));
  CHECK(s.target[1] == ObjectId{0});
  CHECK(s.label[1] == RefLabel::instance_field(4));
  CHECK(s.class_of[0] == ClassId{1});
  CHECK(s.class_of[1] == ClassId{0});
  CHECK(s.roots.size() == 1);
  CHECK(s.losses.references_to_unknown == 3);
  CHECK(s.losses.roots_dropped == 1);
}
