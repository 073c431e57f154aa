// From the identifier that a dump gives an object (its address) to its number, which is its place in the file.
// Why not a hash table alone: a heap of ten million objects asks 25 million times. Addresses rise through most of a file, so
//      for 64 slots of 8 bytes each, one bitmap and the number of its first object answer in one cache miss.
// Shape:  blocks of 64 words of 64 slots (32 KiB of heap at 8 bytes a slot), 1 KiB each, made only where at least 64 objects
//         lie; a word's number is word.first + the set bits below. What does not fit (class objects, objects that come out of
//         order, thinly used stretches) goes to a hash table. At most 16 B an object in blocks, 32 B in the table, 4 B a
//         block of address range up to 4 a object.
// Zone:   offline.   Errors: ImportFailure (kOutOfBudget, kOutOfMemory, kTooMany).
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "analysis/import/growing_array.h"
#include "common/typed_index.h"

namespace holdfast::analysis {

class ObjectIndex {
 public:
  static constexpr std::uint32_t kNone = ObjectId::kNoneValue;

  ObjectIndex() = default;
  // ids[i] is the identifier of object i; 0 names nothing. `out_of_line`: rising numbers of objects known to lie apart from
  // their neighbours in the file (class objects). Objects whose identifier came before are told in repeated().
  ObjectIndex(std::span<const std::uint64_t> ids, std::span<const std::uint32_t> out_of_line,
              Ledger& ledger);

  std::uint32_t find(std::uint64_t id) const noexcept {
    const std::uint64_t distance = id - lowest_;
    if (distance > span_ || (distance & low_bits_) != 0) return kNone;
    const std::uint64_t slot = distance >> shift_;
    const std::uint32_t block = blocks_.empty() ? kNoBlock : blocks_[slot >> kBlockShift];
    if (block == kNoBlock) return find_apart(id);
    const Word& word = words_[std::size_t{block} * kWords + ((slot >> 6) & (kWords - 1))];
    const std::uint64_t bit = std::uint64_t{1} << (slot & 63);
    if ((word.bits & bit) != 0)
      return word.first + static_cast<std::uint32_t>(std::popcount(word.bits & (bit - 1)));
    return word.apart ? find_apart(id) : kNone;
  }
  // Objects that repeat an identifier, rising; they exist nowhere else.
  std::span<const std::uint32_t> repeated() const noexcept { return repeated_; }
  std::uint64_t apart() const noexcept { return apart_count_; }

 private:
  static constexpr unsigned kWords = 64;
  static constexpr unsigned kBlockShift = 12;  // 64 words of 64 slots
  static constexpr std::uint32_t kNoBlock = 0xFFFFFFFFu;
  static constexpr std::uint64_t kObjectsForBlock = 64;

  struct Word {
    std::uint64_t bits = 0;
    std::uint32_t first = 0;
    std::uint32_t apart = 0;  // 1: objects of this word are in the table
  };

  void measure(std::span<const std::uint64_t> ids) noexcept;
  void make_blocks(std::span<const std::uint64_t> ids, Ledger& ledger);
  Word* word_of(std::uint64_t id) noexcept;
  void place(std::uint64_t id, std::uint32_t object, Ledger& ledger);
  void place_apart(std::uint64_t id, std::uint32_t object, Ledger& ledger);
  void grow_table(Ledger& ledger);
  std::uint32_t find_apart(std::uint64_t id) const noexcept;
  std::size_t home(std::uint64_t id) const noexcept {
    return static_cast<std::size_t>((id * 0x9E3779B97F4A7C15u) >> table_shift_);
  }

  std::uint64_t lowest_ = 0, span_ = 0, low_bits_ = 0;
  unsigned shift_ = 0;
  GrowingArray<std::uint32_t> block_memory_;
  GrowingArray<Word> word_memory_;
  std::span<const std::uint32_t> blocks_;
  Word* words_ = nullptr;
  GrowingArray<std::uint64_t> table_ids_;  // 0: free
  GrowingArray<std::uint32_t> table_objects_;
  unsigned table_shift_ = 64;
  std::uint64_t apart_count_ = 0;
  std::vector<std::uint32_t> repeated_;
};

}  // namespace holdfast::analysis
