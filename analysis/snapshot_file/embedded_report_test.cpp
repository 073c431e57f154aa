#include "analysis/snapshot_file/embedded_report.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "analysis/snapshot_file/block_forgery_for_test.h"
#include "analysis/snapshot_file/same_snapshot_for_test.h"
#include "analysis/snapshot_file/snapshot_reader.h"

using namespace holdfast;
using namespace holdfast::analysis;

namespace {

using snapshot_file::Block;
using snapshot_file::BlockKind;
using snapshot_file::Counts;

// How long the file is up to the end of its last report block.
std::size_t head_bytes(std::span<const std::byte> file, std::size_t report_blocks) {
  std::size_t at = kSnapshotHeaderBytes;
  for (std::size_t i = 0; i < 1 + report_blocks; ++i) {
    const auto header = read_block_header(file.subspan(at).first<kBlockHeaderBytes>());
    REQUIRE(header.ok());
    at += kBlockHeaderBytes + header->stored_bytes;
  }
  return at;
}

void check_damaged(const std::vector<std::byte>& file) {
  EmbeddedReport report;
  const auto read = report.read(file);
  REQUIRE_FALSE(read.ok());
  CHECK(read.error().code == ErrorCode::kDamaged);
  CHECK(report.image().empty());
}

// Both announcements, in the header and in the end block.
std::vector<std::byte> with_count(const std::vector<std::byte>& file, flatbuffers::voffset_t field,
                                  std::uint64_t value) {
  return forged(file, [&](const Block& block) {
    if (block.counts() != nullptr) forge(*block.counts(), field, value);
  });
}

bool readable(const std::vector<std::byte>& file) {
  SnapshotFile snapshot;
  return snapshot.read(file, {std::uint64_t{64} << 20, true}).ok();
}

}  // namespace

TEST_CASE("a report comes back from the head of the file, whatever is behind") {
  SnapshotFixture f(3, 400);
  const std::vector<std::byte> file = f.file();
  const std::size_t head = head_bytes(file, 1);
  REQUIRE(head < file.size() / 2);
  for (std::size_t size = 0; size < file.size(); ++size) {
    EmbeddedReport report;
    const auto read = report.read(std::span(file).first(size));
    REQUIRE(read.ok() == (size >= head));
    if (read) REQUIRE(same_bytes(report.image(), f.extras.report));
    if (!read) REQUIRE(read.error().code == ErrorCode::kDamaged);
  }
}

TEST_CASE("a report of several blocks comes back, and an empty one is none") {
  SnapshotFixture f(4, 10);
  const std::size_t bytes = 2 * kMaxColumnBytes + 1;
  while (f.report.size() < bytes) f.report.push_back(static_cast<std::byte>(f.random.next()));
  f.extras.report = f.report;
  EmbeddedReport report;
  REQUIRE(report.read(f.file()).ok());
  CHECK(same_bytes(report.image(), f.extras.report));
  CHECK(reinterpret_cast<std::uintptr_t>(report.image().data()) % 8 == 0);
  CHECK(head_bytes(f.file(), 3) > bytes);
  f.extras.report = {};
  EmbeddedReport none;
  REQUIRE(none.read(f.file()).ok());
  CHECK(none.image().empty());
}

TEST_CASE("every flipped bit of the head is noticed") {
  SnapshotFixture f(3, 5);
  std::vector<std::byte> file = f.file();
  const std::size_t head = head_bytes(file, 1);
  for (std::size_t bit = kSnapshotHeaderBytes * 8; bit < head * 8; ++bit) {
    file[bit / 8] ^= static_cast<std::byte>(1u << (bit % 8));
    EmbeddedReport report;
    REQUIRE_FALSE(report.read(file).ok());
    file[bit / 8] ^= static_cast<std::byte>(1u << (bit % 8));
  }
}

TEST_CASE("forged counts of the report are refused") {
  SnapshotFixture f(3, 40);
  const std::vector<std::byte> file = f.file();
  for (const std::uint64_t wrong :
       {std::uint64_t{599}, std::uint64_t{601}, std::uint64_t{100} << 20,
        kMaxEmbeddedReportBytes + 1, UINT64_MAX}) {
    const auto bytes = with_count(file, Counts::VT_REPORT_BYTES, wrong);
    check_damaged(bytes);
    CHECK_FALSE(readable(bytes));
  }
  // None announced, but one is there.
  CHECK_FALSE(readable(with_count(file, Counts::VT_REPORT_BYTES, 0)));
  for (const auto field : {Block::VT_ROWS, Block::VT_FIRST}) {
    f.report.resize(kMaxColumnBytes + 5);
    f.extras.report = f.report;
    const auto bytes = forged(f.file(), [&](const Block& block) {
      if (block.kind() == BlockKind::Report && block.first() != 0)
        forge(block, field, std::uint32_t{4});
    });
    check_damaged(bytes);
    CHECK_FALSE(readable(bytes));
  }
}

TEST_CASE("forged counts of addresses are refused") {
  SnapshotFixture f(3, 40);
  const std::vector<std::byte> file = f.file();
  CHECK(readable(file));
  for (const std::uint64_t wrong :
       {std::uint64_t{0}, std::uint64_t{39}, std::uint64_t{41}, UINT64_MAX})
    CHECK_FALSE(readable(with_count(file, Counts::VT_ADDRESSES, wrong)));
  for (const std::uint32_t rows : {0u, 39u, 41u, 0xFFFFFFFFu}) {
    CHECK_FALSE(readable(forged(file, [&](const Block& block) {
      if (block.kind() == BlockKind::Addresses) forge(block, Block::VT_ROWS, rows);
    })));
  }
}

TEST_CASE("shallow units that no heap has are refused") {
  SnapshotFixture f(3, 40);
  f.snapshot.shallow_unit_bytes = 2;
  const std::vector<std::byte> file = f.file();
  for (const int unit : {0, 1, 2, 3, 4, 5, 8, 16, 255}) {
    const auto bytes = forged(file, [&](const Block& block) {
      if (block.kind() == BlockKind::Header)
        forge(block, Block::VT_SHALLOW_UNIT_BYTES, static_cast<std::uint8_t>(unit));
    });
    CHECK(readable(bytes) == (unit == 1 || unit == 2 || unit == 4 || unit == 8));
  }
  f.snapshot.shallow_unit_bytes = 16;
  CHECK(f.write("x.hfs").error().code == ErrorCode::kInconsistent);
  f.snapshot.shallow_unit_bytes = 8;
  f.extras.addresses = f.extras.addresses.first(39);
  CHECK(f.write("x.hfs").error().code == ErrorCode::kInconsistent);
}

TEST_CASE("kinds of later versions are skipped where they are optional, else refused") {
  SnapshotFixture f(3, 40);
  const auto with_kind = [&](BlockKind from, std::uint8_t to) {
    return forged(f.file(), [&](const Block& block) {
      if (block.counts() != nullptr)
        forge(*block.counts(), Counts::VT_REPORT_BYTES, std::uint64_t{0});
      if (block.kind() == from) forge(block, Block::VT_KIND, to);
    });
  };
  SnapshotFile skipped;
  REQUIRE(skipped.read(with_kind(BlockKind::Report, 200)).ok());
  check_same(f.snapshot, skipped.snapshot());
  CHECK(skipped.report_bytes() == 0);
  CHECK_FALSE(readable(with_kind(BlockKind::Strings, 200)));
}
