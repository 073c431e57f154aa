// How references become columns since 1.1, and back; files of 1.0 have two columns of deltas (graph_blocks.cpp).
// Why planes: a target that is far from what is expected is as good as random, and a varint of its difference costs up to 5 bytes.
//      Its bits by themselves, low bytes apart from high ones, cost little more than log2(objects); small differences keep to one
//      byte. Labels are mostly as expected, so only the others are written, with the distance to the one before.
// Why no branches in target(): near and far follow each other at random, and a third of 25 million wrong guesses is what varints
//      cost. Both kinds are written or read each time, and only the pointers of the right one move on.
// Shape:  a token a reference: below kNearToken the zigzag of the difference to the expected target; kNearToken: that much more in
//         two bytes; kFarToken: the target itself: bits 0-7, bits 8-15, rest_bits, and the highest (at most 6) in a byte of their
//         own. Six, because zstd takes 153 equally frequent values for incompressible, and 64 not.
//         At most kReferenceWidths bytes a reference in each column; kPackedReferencesPerBlock fit whatever they are.
// Zone:   encoder: worker; decoder: offline.
// Errors: a decoder refuses columns whose lengths are not what their tokens say; label() turns the columns bad as columns.h says. A
//         far target may be any number below 2^33.
#pragma once

#include <array>
#include <bit>

#include "analysis/snapshot_file/columns.h"

namespace holdfast::analysis {

enum ReferenceColumn : std::size_t {
  kTokens,
  kNearLow,
  kNearHigh,
  kFarLow,
  kFarMiddle,
  kFarRest,  // bits, low ones first
  kFarTop,
  kLabelGaps,
  kLabelCodes,
  kPackedReferenceColumns,
};
inline constexpr std::array<std::size_t, kPackedReferenceColumns> kReferenceWidths = {1, 1, 1, 1, 1,
                                                                                      2, 1, 1, 3};
inline constexpr std::size_t kPackedReferencesPerBlock = rows_per_block(kReferenceWidths);

inline constexpr std::uint32_t kNearToken = 254;
inline constexpr std::uint32_t kFarToken = 255;
inline constexpr std::uint32_t kNearCodes = kNearToken + 0x10000u;  // zigzags that are near

// How the bits of a far target are shared out: 16 + rest_bits + at most 6.
struct FarShape {
  unsigned rest_bits = 0;  // at most 10
  static constexpr FarShape of(std::uint64_t objects) noexcept {
    constexpr unsigned kLowAndTop = 16 + 6;
    const auto bits = static_cast<unsigned>(std::bit_width(objects));
    return {bits > kLowAndTop ? bits - kLowAndTop : 0};
  }
  constexpr std::uint32_t rest_mask() const noexcept { return (1u << rest_bits) - 1; }
  constexpr unsigned top_shift() const noexcept { return 16 + rest_bits; }
};

// Writes one block's references. A value, so that its pointers stay in registers while a block is filled.
class ReferenceEncoder {
 public:
  ReferenceEncoder() = default;  // for who starts later
  ReferenceEncoder(ColumnWriter& columns, FarShape shape) noexcept : shape_(shape) {
    columns.start(kReferenceWidths);
    for (std::size_t c = 0; c < kPackedReferenceColumns; ++c) at_[c] = columns.end(c);
  }
  void target(std::uint32_t value, std::uint32_t expected) noexcept {
    const std::uint32_t code = zigzag(value - expected);
    const bool far = code >= kNearCodes;
    const bool near = !far && code >= kNearToken;
    put(kTokens, far ? kFarToken : near ? kNearToken : code, true);
    put(kNearLow, code - kNearToken, near);
    put(kNearHigh, (code - kNearToken) >> 8, near);
    put(kFarLow, value, far);
    put(kFarMiddle, value >> 8, far);
    put_rest(far ? (value >> 16) & shape_.rest_mask() : 0, far ? shape_.rest_bits : 0);
    put(kFarTop, value >> shape_.top_shift(), far);
  }
  void label(std::uint32_t value, std::uint32_t expected) noexcept {
    if (value == expected) {
      ++run_;
      return;
    }
    at_[kLabelGaps] = ColumnWriter::put_number(at_[kLabelGaps], run_);
    at_[kLabelCodes] = ColumnWriter::put_number(at_[kLabelCodes], zigzag(value - expected));
    run_ = 0;
  }
  void finish(ColumnWriter& columns) noexcept {
    put(kFarRest, rest_, rest_count_ > 0);
    for (std::size_t c = 0; c < kPackedReferenceColumns; ++c) columns.set_end(c, at_[c]);
  }

 private:
  // A column that is full is not written to again, as then the block is.
  void put(std::size_t c, std::uint32_t byte, bool keep) noexcept {
    *at_[c] = static_cast<std::byte>(byte);
    at_[c] += keep;
  }
  void put_rest(std::uint32_t bits, unsigned count) noexcept {
    rest_ |= bits << rest_count_;
    rest_count_ += count;  // at most 7 + 10
    at_[kFarRest][0] = static_cast<std::byte>(rest_);
    at_[kFarRest][1] = static_cast<std::byte>(rest_ >> 8);
    at_[kFarRest] += rest_count_ / 8;
    rest_ >>= rest_count_ / 8 * 8;
    rest_count_ %= 8;
  }

  FarShape shape_;
  std::byte* at_[kPackedReferenceColumns] = {};
  std::uint32_t rest_ = 0;
  unsigned rest_count_ = 0;
  std::uint32_t run_ = 0;  // labels as expected since the last other one
};

// Reads one block's references. It looks at bytes behind the end of a column, without using them: kReadAhead must be there.
class ReferenceDecoder {
 public:
  static constexpr std::size_t kReadAhead = 4;

  ReferenceDecoder(const ColumnReader& columns, FarShape shape) noexcept
      : labels_(columns), shape_(shape) {
    for (std::size_t c = 0; c < kLabelGaps; ++c) at_[c] = columns.rest(c).data();
    next_gap();
  }
  // Do the columns have what `rows` tokens ask for, and no more?
  bool lengths_right(std::size_t rows) const noexcept {
    std::size_t near = 0;
    std::size_t far = 0;
    for (const std::byte token : labels_.rest(kTokens)) {
      near += token == std::byte{kNearToken};
      far += token == std::byte{kFarToken};
    }
    const auto has = [this](std::size_t c, std::size_t bytes) {
      return labels_.rest(c).size() == bytes;
    };
    return has(kTokens, rows) && has(kNearLow, near) && has(kNearHigh, near) && has(kFarLow, far) &&
           has(kFarMiddle, far) && has(kFarRest, (far * shape_.rest_bits + 7) / 8) &&
           has(kFarTop, far);
  }
  std::uint64_t target(std::uint32_t expected) noexcept {
    const std::uint32_t token = take(kTokens, true);
    const bool near = token == kNearToken;
    const bool far = token == kFarToken;
    const std::uint32_t low = take(kNearLow, near);
    const std::uint32_t more = low | take(kNearHigh, near) << 8;
    const std::uint32_t near_target = expected + unzigzag(token + (near ? more : 0));
    std::uint64_t far_target = take(kFarLow, far);
    far_target |= take(kFarMiddle, far) << 8;
    far_target |= take_rest(far) << 16;
    far_target |= std::uint64_t{take(kFarTop, far)} << shape_.top_shift();
    return far ? far_target : near_target;
  }
  std::uint32_t label(std::uint32_t expected) noexcept {
    if (run_ > 0) {
      --run_;
      return expected;
    }
    std::uint32_t value = 0;
    labels_.delta(kLabelCodes, value, expected);
    next_gap();
    return value;
  }
  bool labels_right() const noexcept {
    return !labels_.bad() && labels_.rest(kLabelGaps).empty() && labels_.rest(kLabelCodes).empty();
  }

 private:
  std::uint32_t take(std::size_t c, bool keep) noexcept {
    const auto byte = std::to_integer<std::uint32_t>(*at_[c]);
    at_[c] += keep;
    return byte;
  }
  std::uint32_t take_rest(bool keep) noexcept {
    std::uint32_t bits = 0;
    std::memcpy(&bits, at_[kFarRest] + rest_at_ / 8, sizeof bits);
    bits = (bits >> rest_at_ % 8) & shape_.rest_mask();
    rest_at_ += keep ? shape_.rest_bits : 0;
    return bits;
  }
  void next_gap() noexcept {
    run_ = 0xFFFFFFFFu;  // no more: longer than any block
    if (!labels_.rest(kLabelGaps).empty()) labels_.number(kLabelGaps, run_);
  }

  ColumnReader labels_;
  FarShape shape_;
  const std::byte* at_[kLabelGaps] = {};
  std::uint64_t rest_at_ = 0;  // in bits
  std::uint32_t run_ = 0;
};

}  // namespace holdfast::analysis
