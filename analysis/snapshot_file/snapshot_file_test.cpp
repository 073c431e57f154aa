#include <doctest/doctest.h>

#include <algorithm>
#include <random>

#include "analysis/snapshot_file/block_format.h"
#include "analysis/snapshot_file/columns.h"
#include "analysis/snapshot_file/embedded_report.h"
#include "analysis/snapshot_file/reference_coding.h"
#include "analysis/snapshot_file/same_snapshot_for_test.h"
#include "analysis/snapshot_file/snapshot_fixture.h"
#include "analysis/snapshot_file/snapshot_reader.h"
#include "common/tries_for_test.h"

using namespace holdfast;
using namespace holdfast::analysis;

namespace {

constexpr SnapshotReading kWithAddresses{SnapshotReading::kDefaultLimitBytes, true};

// Where each block starts, and the file's end.
std::vector<std::size_t> block_starts(std::span<const std::byte> file) {
  std::vector<std::size_t> starts;
  std::size_t at = kSnapshotHeaderBytes;
  while (at < file.size()) {
    starts.push_back(at);
    auto header = read_block_header(file.subspan(at).first<kBlockHeaderBytes>());
    REQUIRE(header.ok());
    at += kBlockHeaderBytes + header->stored_bytes;
  }
  starts.push_back(at);
  return starts;
}

}  // namespace

TEST_CASE("random snapshots come back as they were") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SnapshotFixture f(seed, static_cast<std::uint32_t>(1 + seed * seed),
                      static_cast<std::uint32_t>(1 + seed % 40));
    SnapshotFile file;
    f.snapshot.shallow_unit_bytes = std::uint64_t{1} << seed % 4;
    f.snapshot.roots_alike = seed % 3 == 0;
    REQUIRE(file.read(f.file(), kWithAddresses).ok());
    check_same(f.snapshot, file.snapshot());
    CHECK_FALSE(file.cut().cut);
    CHECK(same_bytes(file.addresses(), f.extras.addresses));
    CHECK(file.report_bytes() == f.extras.report.size());
    CHECK(file.record().pid == 4242);
    CHECK(std::string(file.record().vm.vm_name) == "Test VM");
  }
}

TEST_CASE("a snapshot of many blocks comes back, with long rows over block borders") {
  SnapshotFixture f(7, 300'000, 30'000);
  const std::vector<std::byte> bytes = f.file();
  CHECK(block_starts(bytes).size() > 15);
  SnapshotFile file;
  REQUIRE(file.read(bytes).ok());
  check_same(f.snapshot, file.snapshot());

  SnapshotFixture g(8, 100);  // one object with more references than a block holds
  g.target.assign(3 * kPackedReferencesPerBlock + 17, ObjectId{3});
  g.label.assign(g.target.size(), RefLabel::element(5));
  for (std::uint32_t v = 0; v <= 100; ++v)
    g.first_ref[v] = v <= 50 ? 0 : static_cast<std::uint32_t>(g.target.size());
  g.snapshot.target = g.target;
  g.snapshot.label = g.label;
  SnapshotFile other;
  REQUIRE(other.read(g.file()).ok());
  check_same(g.snapshot, other.snapshot());
}

TEST_CASE("an empty heap comes back") {
  SnapshotFixture f(1, 0);
  f.first_ref = {0};
  f.snapshot.first_ref = f.first_ref;
  SnapshotFile file;
  REQUIRE(file.read(f.file()).ok());
  CHECK(file.snapshot().object_count() == 0);
  f.snapshot = Snapshot{};  // not even a string table
  f.extras = {};
  SnapshotFile nothing;
  REQUIRE(nothing.read(f.file()).ok());
  CHECK(nothing.snapshot().catalog.strings.size() == 1);
}

TEST_CASE("cut at every byte: refused before the first object, else read up to the cut") {
  SnapshotFixture f(3, 40);
  const std::vector<std::byte> bytes = f.file();
  std::uint32_t usable = 0;
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    SnapshotFile file;
    const auto read = file.read(std::span(bytes).first(size));
    if (!read) {
      REQUIRE(read.error().code == ErrorCode::kDamaged);
      continue;
    }
    ++usable;
    REQUIRE(file.cut().cut);
    REQUIRE(verify(file.snapshot()).ok());
    REQUIRE(file.snapshot().object_count() > 0);
  }
  CHECK(usable > 0);
}

TEST_CASE("cut at block borders: what is there is right, what is missing is counted") {
  SnapshotFixture f(7, 300'000, 300);
  const std::vector<std::byte> bytes = f.file();
  for (const std::size_t start : block_starts(bytes)) {
    SnapshotFile file;
    const auto read = file.read(std::span(bytes).first(start), kWithAddresses);
    if (!read) {
      CHECK(read.error().code == ErrorCode::kDamaged);
      continue;
    }
    const Snapshot& s = file.snapshot();
    if (start == bytes.size()) {
      CHECK_FALSE(file.cut().cut);
      continue;
    }
    CHECK(file.cut().cut);
    CHECK(file.cut().offset == start);
    CHECK(s.object_count() + file.cut().objects_missing == f.snapshot.object_count());
    CHECK(s.reference_count() + file.cut().references_missing == f.snapshot.reference_count());
    CHECK(s.roots.size() + file.cut().roots_dropped == f.snapshot.roots.size());
    CHECK(file.cut().addresses_missing <= f.addresses.size());
    CHECK(file.addresses().size() == (file.cut().addresses_missing == 0 ? s.object_count() : 0));
    CHECK(same_bytes(s.class_of, f.snapshot.class_of.first(s.object_count())));
    CHECK(same_bytes(s.target, f.snapshot.target.first(s.target.size())));
  }
}

TEST_CASE("every flipped bit is noticed") {
  SnapshotFixture f(3, 40);
  std::vector<std::byte> bytes = f.file();
  for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    const std::size_t at = bit / 8;
    // A newer minor version is read; none of 1.0 has the flag.
    const bool minor = (at == 10 && bit % 8 != 0) || at == 11;
    bytes[at] ^= static_cast<std::byte>(1u << (bit % 8));
    SnapshotFile file;
    const bool good = file.read(bytes).ok() && !file.cut().cut;
    REQUIRE(good == minor);
    bytes[at] ^= static_cast<std::byte>(1u << (bit % 8));
  }
}

TEST_CASE("flipped bits under a right checksum are refused or give a snapshot that verifies") {
  SnapshotFixture f(3, 200);
  const std::vector<std::byte> good = f.file();
  const std::vector<std::size_t> starts = block_starts(good);
  std::mt19937_64 random(5);
  for (std::uint64_t round = 0; round < tries(20000); ++round) {
    std::vector<std::byte> bytes = good;
    const auto block = static_cast<std::size_t>(random() % (starts.size() - 1));
    const std::size_t stored = starts[block] + kBlockHeaderBytes;
    const std::size_t size = starts[block + 1] - stored;
    for (std::uint64_t flips = 1 + random() % 3; flips > 0; --flips) {
      const auto at = static_cast<std::size_t>(random() % size);
      bytes[stored + at] ^= static_cast<std::byte>(1u << (random() % 8));
    }
    const std::span<std::byte> whole(bytes);
    const auto header = read_block_header(whole.subspan(starts[block]).first<kBlockHeaderBytes>());
    REQUIRE(header.ok());
    write_block_header(*header, whole.subspan(stored, size),
                       whole.subspan(starts[block]).first<kBlockHeaderBytes>());
    SnapshotFile file;
    if (file.read(bytes, {std::uint64_t{64} << 20, true})) REQUIRE(verify(file.snapshot()).ok());
  }
}

TEST_CASE("blocks that are left out, repeated or swapped are noticed") {
  SnapshotFixture f(3, 40);
  const std::vector<std::byte> bytes = f.file();
  const std::vector<std::size_t> starts = block_starts(bytes);
  const auto block = [&](std::size_t i) {
    return std::span(bytes).subspan(starts[i], starts[i + 1] - starts[i]);
  };
  for (std::size_t wrong = 0; wrong + 2 < starts.size(); ++wrong) {
    std::vector<std::byte> without(bytes.begin(),
                                   bytes.begin() + static_cast<std::ptrdiff_t>(starts[wrong]));
    std::vector<std::byte> twice = without;
    twice.insert(twice.end(), block(wrong).begin(), block(wrong).end());
    for (std::size_t i = wrong; i + 1 < starts.size(); ++i) {
      twice.insert(twice.end(), block(i).begin(), block(i).end());
      if (i > wrong) without.insert(without.end(), block(i).begin(), block(i).end());
    }
    SnapshotFile a;
    CHECK_FALSE(a.read(without).ok());
    SnapshotFile b;
    CHECK_FALSE(b.read(twice).ok());
  }
}

TEST_CASE("static fields among the roots: a file of 1.3, which older readers refuse as newer") {
  SnapshotFixture f(3, 40);
  f.roots.front().kind = RootKind::kStaticField;
  std::vector<std::byte> bytes = f.file();
  CHECK(bytes[10] == std::byte{3});
  CHECK(bytes[12] == std::byte{5});
  SnapshotFile file;
  REQUIRE(file.read(bytes).ok());
  CHECK(file.snapshot().roots.front().kind == RootKind::kStaticField);
  bytes[10] = std::byte{2};
  SnapshotFile older;
  CHECK(older.read(bytes).error().code == ErrorCode::kDamaged);
  bytes[10] = std::byte{5};
  bytes[12] = std::byte{16 + 5};
  SnapshotFile newer;
  CHECK(newer.read(bytes).error().code == ErrorCode::kNewerVersion);
}

TEST_CASE("made by MAT's rules: a file of 1.4, and the rules come back") {
  SnapshotFixture f(3, 40);
  f.snapshot.roots_alike = true;
  std::vector<std::byte> bytes = f.file();
  CHECK(bytes[10] == std::byte{4});
  CHECK(bytes[12] == std::byte{8 + 1});
  SnapshotFile file;
  REQUIRE(file.read(bytes).ok());
  CHECK(file.snapshot().roots_alike);
  bytes[10] = std::byte{3};
  SnapshotFile older;
  CHECK(older.read(bytes).error().code == ErrorCode::kDamaged);
}

TEST_CASE("foreign and newer files, and more than memory allows") {
  SnapshotFixture f(3, 40);
  std::vector<std::byte> bytes = f.file();
  SnapshotFile small;
  const auto refused = small.read(bytes, {1000, false});
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == ErrorCode::kOutOfBudget);
  bytes[8] = std::byte{2};
  SnapshotFile newer;
  CHECK(newer.read(bytes).error().code == ErrorCode::kNewerVersion);
  const std::string foreign = "JAVA PROFILE 1.0.2 and then some more text";
  SnapshotFile other;
  CHECK(other.read(std::as_bytes(std::span(foreign))).error().code == ErrorCode::kNotOurs);
  SnapshotFile missing;
  CHECK(missing.open("no such file.hfs").error().code == ErrorCode::kIo);
}

TEST_CASE("a cancelled or refused writing leaves no file behind and gives its memory back") {
  SnapshotFixture f(3, 40);
  const std::size_t used = f.arena.used_bytes();
  f.cancel.cancel();
  const auto cancelled = f.write("cancelled.hfs");
  REQUIRE_FALSE(cancelled.ok());
  CHECK(cancelled.error().code == ErrorCode::kCancelled);
  CHECK_FALSE(std::ifstream("cancelled.hfs").good());
  CHECK(f.arena.used_bytes() == used);
  f.cancel.reset();
  const auto nowhere =
      write_snapshot_file(f.snapshot, f.record, f.arena, f.cancel, "no such folder", "x.hfs");
  REQUIRE_FALSE(nowhere.ok());
  CHECK(nowhere.error().code == ErrorCode::kIo);
}

TEST_CASE("numbers of any size come back, overlong ones turn the reader bad") {
  std::vector<std::byte> memory(kMaxColumnBytes);
  ColumnWriter writer{std::span(memory)};
  writer.start(2);
  for (unsigned shift = 0; shift < 64; ++shift) writer.wide(0, std::uint64_t{1} << shift);
  writer.wide(0, UINT64_MAX);
  for (const std::uint32_t value : {0u, 1u, 0x7FFFFFFFu, 0x80000000u, 0xFFFFFFFFu})
    writer.delta(1, value, 5);
  ColumnReader reader;
  reader.start();
  reader.add(writer.column(0));
  reader.add(writer.column(1));
  for (unsigned shift = 0; shift < 64; ++shift) {
    std::uint64_t value = 0;
    reader.wide(0, value);
    CHECK(value == std::uint64_t{1} << shift);
  }
  std::uint64_t most = 0;
  reader.wide(0, most);
  CHECK(most == UINT64_MAX);
  for (const std::uint32_t wanted : {0u, 1u, 0x7FFFFFFFu, 0x80000000u, 0xFFFFFFFFu}) {
    std::uint32_t value = 0;
    reader.delta(1, value, 5);
    CHECK(value == wanted);
  }
  CHECK(reader.at_end());
  const std::vector<std::byte> overlong(11, std::byte{0xFF});
  ColumnReader bad;
  bad.start();
  bad.add(overlong);
  std::uint64_t value = 0;
  bad.wide(0, value);
  CHECK(bad.bad());
}
