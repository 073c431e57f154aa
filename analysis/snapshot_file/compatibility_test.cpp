// Snapshots that older versions wrote stay readable for ever. The files lie with the fuzzer's seeds; each was written when its
// version was the newest, of the fixtures below.
#include <doctest/doctest.h>

#include <filesystem>

#include "analysis/snapshot_file/embedded_report.h"
#include "analysis/snapshot_file/same_snapshot_for_test.h"
#include "analysis/snapshot_file/snapshot_fixture.h"
#include "analysis/snapshot_file/snapshot_reader.h"

using namespace holdfast;
using namespace holdfast::analysis;

namespace {

constexpr SnapshotReading kWithAddresses{SnapshotReading::kDefaultLimitBytes, true};

std::string seed(const char* name) {
  return std::filesystem::path(__FILE__).parent_path() / "snapshot_file_fuzz_seeds" / name;
}

// So many objects more that references have far targets; alike, so that the file stays small.
void widen(SnapshotFixture& f) {
  constexpr std::uint32_t kObjects = 100'000;
  f.snapshot.shallow_unit_bytes = 4;
  f.class_of.resize(kObjects, ClassId{1});
  f.units.resize(kObjects, 6);
  for (const std::uint32_t to : {0u, 5u, 99'999u, 50'000u, 50'300u}) {
    f.target.push_back(ObjectId{to});
    f.label.push_back(RefLabel::element(to / 2));
  }
  f.first_ref.resize(kObjects, f.first_ref.back());
  f.first_ref.push_back(static_cast<std::uint32_t>(f.target.size()));
  while (f.addresses.size() < kObjects) f.addresses.push_back(f.addresses.back() + 24);
  f.snapshot.class_of = f.class_of;
  f.snapshot.shallow_units = f.units;
  f.snapshot.first_ref = f.first_ref;
  f.snapshot.target = f.target;
  f.snapshot.label = f.label;
  f.extras.addresses = f.addresses;
}

// More references of one object than a block has, so that objects come behind them; all alike.
void lengthen(SnapshotFixture& f) {
  constexpr std::uint32_t kReferences = 90'000;
  const std::uint32_t row = f.first_ref[6];
  f.target.insert(f.target.begin() + row, kReferences, ObjectId{3});
  f.label.insert(f.label.begin() + row, kReferences, RefLabel::element(7));
  for (std::size_t v = 6; v < f.first_ref.size(); ++v) f.first_ref[v] += kReferences;
  f.snapshot.first_ref = f.first_ref;
  f.snapshot.target = f.target;
  f.snapshot.label = f.label;
}

}  // namespace

TEST_CASE("a snapshot of version 1.0 is read, without what came later") {
  const SnapshotFixture wanted(11, 60);
  const std::string path = seed("snapshot-1.0.hfs");
  SnapshotFile file;
  REQUIRE(file.open(path.c_str(), kWithAddresses).ok());
  CHECK_FALSE(file.cut().cut);
  check_same(wanted.snapshot, file.snapshot());
  CHECK(file.snapshot().shallow_unit_bytes == 8);
  CHECK(file.addresses().empty());
  CHECK(file.report_bytes() == 0);
  EmbeddedReport none;
  REQUIRE(none.open(path.c_str()).ok());
  CHECK(none.image().empty());
}

TEST_CASE("a snapshot of version 1.1 is read, with addresses and report") {
  SnapshotFixture wanted(11, 60);
  widen(wanted);
  const std::string path = seed("snapshot-1.1.hfs");
  SnapshotFile file;
  REQUIRE(file.open(path.c_str(), kWithAddresses).ok());
  CHECK_FALSE(file.cut().cut);
  check_same(wanted.snapshot, file.snapshot());
  CHECK(same_bytes(file.addresses(), wanted.extras.addresses));
  EmbeddedReport report;
  REQUIRE(report.open(path.c_str()).ok());
  CHECK(same_bytes(report.image(), wanted.extras.report));
}

TEST_CASE("a snapshot of version 1.2 is read, whose references stand between its objects") {
  SnapshotFixture wanted(11, 60);
  widen(wanted);
  lengthen(wanted);
  const std::string path = seed("snapshot-1.2.hfs");
  SnapshotFile file;
  REQUIRE(file.open(path.c_str(), kWithAddresses).ok());
  CHECK_FALSE(file.cut().cut);
  check_same(wanted.snapshot, file.snapshot());
  CHECK(file.addresses().empty());
  EmbeddedReport report;
  REQUIRE(report.open(path.c_str()).ok());
  CHECK(same_bytes(report.image(), wanted.extras.report));
}
