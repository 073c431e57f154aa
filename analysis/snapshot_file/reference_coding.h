// How references become columns since 1.1, and back; files of 1.0 are read by graph_coding.h's code_reference().
// Why planes: a target that is far from what is expected is as good as random, and a varint of its difference costs up to 5 bytes.
//      Its bits by themselves, low bytes apart from high ones, cost little more than log2(objects); small differences keep to one
//      byte. Labels are mostly as expected, so only the others are written, with the distance to the one before.
// Shape:  a token a reference: below kNearToken the zigzag of the difference to the expected target; kNearToken: that much more in
//         two bytes; kFarToken: the target itself: bits 0-7, bits 8-15, rest_bits, and the highest (at most 6) in a byte of their
//         own. Six, because zstd takes 153 equally frequent values for incompressible, and 64 not.
//         At most kReferenceWidths bytes a reference in each column; kPackedReferencesPerBlock fit whatever they are.
// Zone:   as columns.h.   Errors: as columns.h; a far target may be any number below 2^33.
#pragma once

#include <array>
#include <bit>

#include "analysis/snapshot_file/columns.h"
#include "analysis/snapshot_file/graph_coding.h"

namespace holdfast::analysis {

enum ReferenceColumn : std::size_t {
  kTokens,
  kNearLow,
  kNearHigh,
  kFarLow,
  kFarMiddle,
  kFarRest,  // bits, not bytes
  kFarTop,
  kLabelGaps,
  kLabelCodes,
  kPackedReferenceColumns,
};
inline constexpr std::array<std::size_t, kPackedReferenceColumns> kReferenceWidths = {
    1, 1, 1, 1, 1, 2, 1, 1, 3};
inline constexpr std::size_t kPackedReferencesPerBlock = rows_per_block(kReferenceWidths);

inline constexpr std::uint8_t kNearToken = 254;
inline constexpr std::uint8_t kFarToken = 255;
inline constexpr std::uint32_t kNearCodes = kNearToken + 0x10000u;  // zigzags that are near

// How the bits of a far target are shared out: 16 + rest_bits + at most 6.
struct FarShape {
  unsigned rest_bits = 0;
  static constexpr FarShape of(std::uint64_t objects) noexcept {
    constexpr unsigned kLowAndTop = 16 + 6;
    const auto bits = static_cast<unsigned>(std::bit_width(objects));
    return {bits > kLowAndTop ? bits - kLowAndTop : 0};
  }
};

template <class Columns>
void code_far_target(Columns& columns, FarShape shape, std::uint64_t& target) noexcept {
  auto low = static_cast<std::uint8_t>(target);
  auto middle = static_cast<std::uint8_t>(target >> 8);
  auto rest = static_cast<std::uint32_t>(target >> 16) & ((1u << shape.rest_bits) - 1);
  auto top = static_cast<std::uint8_t>(target >> (16 + shape.rest_bits));
  columns.octet(kFarLow, low);
  columns.octet(kFarMiddle, middle);
  columns.bits(kFarRest, rest, shape.rest_bits);
  columns.octet(kFarTop, top);
  if constexpr (Columns::kReading) {
    target = low | std::uint64_t{middle} << 8 | std::uint64_t{rest} << 16 |
             std::uint64_t{top} << (16 + shape.rest_bits);
  }
}

template <class Columns>
void code_target(Columns& columns, FarShape shape, std::uint32_t expected,
                 std::uint64_t& target) noexcept {
  std::uint32_t code = zigzag(static_cast<std::uint32_t>(target) - expected);
  auto token = static_cast<std::uint8_t>(code < kNearToken   ? code
                                         : code < kNearCodes ? kNearToken
                                                             : kFarToken);
  columns.octet(kTokens, token);
  if (token == kFarToken) return code_far_target(columns, shape, target);
  if (token == kNearToken) {
    auto low = static_cast<std::uint8_t>(code - kNearToken);
    auto high = static_cast<std::uint8_t>((code - kNearToken) >> 8);
    columns.octet(kNearLow, low);
    columns.octet(kNearHigh, high);
    code = kNearToken + (low | std::uint32_t{high} << 8);
  } else {
    code = token;
  }
  if constexpr (Columns::kReading) target = expected + unzigzag(code);
}

// Labels of one block: as expected for a while, then another one.
class LabelRun {
 public:
  void code(ColumnWriter& columns, std::uint32_t label, std::uint32_t expected) noexcept {
    if (label == expected) {
      ++run_;
      return;
    }
    columns.number(kLabelGaps, run_);
    columns.number(kLabelCodes, zigzag(label - expected));
    run_ = 0;
  }

  // Before the first label of a block is read.
  void start(ColumnReader& columns) noexcept { next_gap(columns); }
  void code(ColumnReader& columns, std::uint32_t& label, std::uint32_t expected) noexcept {
    if (run_ > 0) {
      --run_;
      label = expected;
      return;
    }
    columns.delta(kLabelCodes, label, expected);
    next_gap(columns);
  }

 private:
  void next_gap(ColumnReader& columns) noexcept {
    run_ = 0xFFFFFFFFu;  // no more: longer than any block
    if (columns.bytes_left(kLabelGaps) != 0) columns.number(kLabelGaps, run_);
  }
  std::uint32_t run_ = 0;
};

}  // namespace holdfast::analysis
