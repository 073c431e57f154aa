#include "analysis/snapshot_file/reference_coding.h"

#include <doctest/doctest.h>

#include <vector>

#include "analysis/lab/random.h"
#include "common/snapshot/snapshot.h"

using namespace holdfast;
using namespace holdfast::analysis;

namespace {

struct Reference {
  std::uint32_t target = 0, expected_target = 0, label = 0, expected_label = 0;
};

// One block's columns, with what a decoder may look at behind them.
struct Columns {
  std::vector<std::byte> memory = std::vector<std::byte>(kMaxColumnBytes + 64);
  ColumnWriter writer{std::span(memory)};

  Columns(const std::vector<Reference>& references, FarShape shape) {
    ReferenceEncoder encoder(writer, shape);
    for (const Reference& r : references) {
      encoder.target(r.target, r.expected_target);
      encoder.label(r.label, r.expected_label);
    }
    encoder.finish(writer);
  }
  // Column `odd`, if any, is a byte longer or shorter than it was.
  ColumnReader reader(std::size_t odd = kPackedReferenceColumns, int bytes = 0) const {
    ColumnReader columns;
    columns.start();
    for (std::size_t c = 0; c < kPackedReferenceColumns; ++c) {
      const auto column = writer.column(c);
      const std::size_t size =
          c == odd ? column.size() + static_cast<std::size_t>(bytes) : column.size();
      columns.add({column.data(), size});
    }
    return columns;
  }
};

// Differences of every kind around each border, and far targets of all sizes.
std::vector<Reference> references(std::uint32_t objects, std::size_t count, std::uint64_t seed) {
  constexpr std::uint32_t kCodes[] = {
      0, 1, 2, 127, 252, 253, 254, 255, 256, kNearCodes - 1, kNearCodes, kNearCodes + 1};
  lab::Random random(seed);
  std::vector<Reference> out;
  while (out.size() < count) {
    Reference r;
    r.expected_target = random.below(objects);
    r.target = random.chance(50) ? r.expected_target + unzigzag(kCodes[random.below(12)])
                                 : random.below(objects);
    if (r.target >= objects) r.target = objects - 1;
    r.expected_label = random.below(0x10001);
    r.label =
        random.chance(80) && r.expected_label <= 0xFFFF ? r.expected_label : random.below(0x10000);
    out.push_back(r);
  }
  return out;
}

void check_round(std::uint32_t objects, std::size_t count) {
  const auto wanted = references(objects, count, objects);
  const FarShape shape = FarShape::of(objects);
  const Columns columns(wanted, shape);
  ReferenceDecoder decoder(columns.reader(), shape);
  REQUIRE(decoder.lengths_right(count));
  for (const Reference& r : wanted) {
    REQUIRE(decoder.target(r.expected_target) == r.target);
    REQUIRE(decoder.label(r.expected_label) == r.label);
  }
  CHECK(decoder.labels_right());
}

}  // namespace

TEST_CASE("references come back, whatever the number of objects") {
  for (const std::uint32_t objects : {1u, 2u, 0xFFFFu, 0x10000u, 0x3FFFFFu, 0x400000u, 0x400001u,
                                      10'000'000u, 0x1000000u, 0x40000000u, kMaxObjects}) {
    for (const std::size_t count : {std::size_t{1}, std::size_t{2}, std::size_t{1000}})
      check_round(objects, count);
  }
}

TEST_CASE("a full block of the widest references fits its columns") {
  std::vector<Reference> all(kPackedReferencesPerBlock);
  for (std::uint32_t i = 0; i < all.size(); ++i)
    all[i] = {kMaxObjects - 1 - i, i, i % 2 == 0 ? 0xFFFFu : 0u, i % 2 == 0 ? 0u : 0x10000u};
  const FarShape shape = FarShape::of(kMaxObjects);
  const Columns columns(all, shape);
  for (std::size_t c = 0; c < kPackedReferenceColumns; ++c)
    CHECK(columns.writer.column(c).size() <= kReferenceWidths[c] * kPackedReferencesPerBlock);
  CHECK(columns.writer.column(kFarTop).size() == all.size());
  CHECK(columns.writer.column(kLabelCodes).size() == 3 * all.size());
  ReferenceDecoder decoder(columns.reader(), shape);
  REQUIRE(decoder.lengths_right(all.size()));
  for (const Reference& r : all) {
    REQUIRE(decoder.target(r.expected_target) == r.target);
    REQUIRE(decoder.label(r.expected_label) == r.label);
  }
}

TEST_CASE("what references cost: little more than the bits of a random target") {
  constexpr std::uint32_t kObjects = 10'000'000;
  lab::Random random(1);
  std::vector<Reference> all(kPackedReferencesPerBlock);
  for (Reference& r : all) r = {random.below(kObjects), random.below(kObjects), 7, 7};
  const Columns columns(all, FarShape::of(kObjects));
  std::size_t bytes = 0;
  for (std::size_t c = 0; c < kPackedReferenceColumns; ++c)
    bytes += columns.writer.column(c).size();
  CHECK(static_cast<double>(bytes) / static_cast<double>(all.size()) < 4.3);  // before zstd
  for (const std::byte top : columns.writer.column(kFarTop)) REQUIRE(top < std::byte{64});
}

TEST_CASE("columns that are longer or shorter than their tokens say are refused") {
  const auto some = references(10'000'000, 999, 5);
  const FarShape shape = FarShape::of(10'000'000);
  const Columns columns(some, shape);
  for (std::size_t c = 0; c < kLabelGaps; ++c) {
    for (const int bytes : {-1, 1})
      CHECK_FALSE(ReferenceDecoder(columns.reader(c, bytes), shape).lengths_right(some.size()));
  }
  CHECK_FALSE(ReferenceDecoder(columns.reader(), shape).lengths_right(some.size() - 1));
  for (const std::size_t c : {kLabelGaps, kLabelCodes}) {
    for (const int bytes : {-1, 1}) {
      ReferenceDecoder decoder(columns.reader(c, bytes), shape);
      for (const Reference& r : some) decoder.label(r.expected_label);
      CHECK_FALSE(decoder.labels_right());
    }
  }
}
