#include "analysis/import/object_index.h"

#include <algorithm>

namespace holdfast::analysis {
namespace {

constexpr std::uint64_t kBlocksPerObject = 4;  // address range: sparser heaps go to the table
constexpr std::uint64_t kBlocksAlways = 65536;
constexpr unsigned kLargestSlotShift = 3;
constexpr std::size_t kFirstTable = 1024;

}  // namespace

ObjectIndex::ObjectIndex(std::span<const std::uint64_t> ids,
                         std::span<const std::uint32_t> out_of_line, Ledger& ledger) {
  measure(ids);
  make_blocks(ids, ledger);
  for (const std::uint32_t object : out_of_line) place_apart(ids[object], object, ledger);
  std::size_t next = 0;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (next < out_of_line.size() && out_of_line[next] == i)
      ++next;
    else if (ids[i] == 0)
      repeated_.push_back(static_cast<std::uint32_t>(i));
    else
      place(ids[i], static_cast<std::uint32_t>(i), ledger);
  }
  std::ranges::sort(repeated_);
}

void ObjectIndex::measure(std::span<const std::uint64_t> ids) noexcept {
  std::uint64_t highest = 0;
  lowest_ = UINT64_MAX;
  for (const std::uint64_t id : ids) {
    if (id == 0) continue;
    lowest_ = std::min(lowest_, id);
    highest = std::max(highest, id);
  }
  if (highest == 0) lowest_ = 1;
  span_ = highest == 0 ? 0 : highest - lowest_;
  std::uint64_t differences = 0;
  for (const std::uint64_t id : ids)
    if (id != 0) differences |= id - lowest_;
  shift_ = differences == 0
               ? kLargestSlotShift
               : std::min<unsigned>(static_cast<unsigned>(std::countr_zero(differences)),
                                    kLargestSlotShift);
  low_bits_ = (std::uint64_t{1} << shift_) - 1;
}

void ObjectIndex::make_blocks(std::span<const std::uint64_t> ids, Ledger& ledger) {
  const std::uint64_t count = (span_ >> shift_ >> kBlockShift) + 1;
  if (count > kBlocksAlways && count / kBlocksPerObject > ids.size())
    return;  // all go to the table
  block_memory_ = GrowingArray<std::uint32_t>(count, ledger, MemoryCategory::kCapture);
  block_memory_.grow_to(count);
  const std::span<std::uint32_t> blocks = block_memory_.span();
  for (const std::uint64_t id : ids)
    if (id != 0) ++blocks[(id - lowest_) >> shift_ >> kBlockShift];
  std::uint32_t used = 0;
  for (std::uint32_t& block : blocks) block = block >= kObjectsForBlock ? used++ : kNoBlock;
  word_memory_ =
      GrowingArray<Word>(std::uint64_t{used} * kWords + 1, ledger, MemoryCategory::kCapture);
  word_memory_.grow_to(std::size_t{used} * kWords);
  words_ = word_memory_.span().data();
  blocks_ = blocks;
}

ObjectIndex::Word* ObjectIndex::word_of(std::uint64_t id) noexcept {
  const std::uint64_t slot = (id - lowest_) >> shift_;
  const std::uint32_t block = blocks_.empty() ? kNoBlock : blocks_[slot >> kBlockShift];
  return block == kNoBlock ? nullptr
                           : &words_[std::size_t{block} * kWords + ((slot >> 6) & (kWords - 1))];
}

void ObjectIndex::place(std::uint64_t id, std::uint32_t object, Ledger& ledger) {
  Word* const word = word_of(id);
  if (word == nullptr || (word->apart != 0 && find_apart(id) != kNone))
    return place_apart(id, object, ledger);
  const std::uint64_t bit = std::uint64_t{1} << (((id - lowest_) >> shift_) & 63);
  if ((word->bits & bit) != 0) return repeated_.push_back(object);
  if (word->bits == 0) word->first = object;
  const bool next_in_line =
      bit > word->bits &&
      object - word->first == static_cast<std::uint32_t>(std::popcount(word->bits));
  if (!next_in_line) return place_apart(id, object, ledger);
  word->bits |= bit;
}

void ObjectIndex::place_apart(std::uint64_t id, std::uint32_t object, Ledger& ledger) {
  if (id == 0 || find_apart(id) != kNone) return repeated_.push_back(object);
  if (2 * (apart_count_ + 1) > table_ids_.size()) grow_table(ledger);
  std::size_t at = home(id);
  while (table_ids_[at] != 0) at = (at + 1) & (table_ids_.size() - 1);
  table_ids_[at] = id;
  table_objects_[at] = object;
  ++apart_count_;
  if (Word* const word = word_of(id)) word->apart = 1;
}

void ObjectIndex::grow_table(Ledger& ledger) {
  const std::size_t size = table_ids_.size() == 0 ? kFirstTable : 2 * table_ids_.size();
  GrowingArray<std::uint64_t> ids(size, ledger, MemoryCategory::kCapture);
  GrowingArray<std::uint32_t> objects(size, ledger, MemoryCategory::kCapture);
  ids.grow_to(size);
  objects.grow_to(size);
  table_shift_ = 64 - static_cast<unsigned>(std::countr_zero(size));
  for (std::size_t i = 0; i < table_ids_.size(); ++i) {
    if (table_ids_[i] == 0) continue;
    std::size_t at = home(table_ids_[i]);
    while (ids[at] != 0) at = (at + 1) & (size - 1);
    ids[at] = table_ids_[i];
    objects[at] = table_objects_[i];
  }
  table_ids_ = std::move(ids);
  table_objects_ = std::move(objects);
}

std::uint32_t ObjectIndex::find_apart(std::uint64_t id) const noexcept {
  if (table_ids_.size() == 0 || id == 0) return kNone;
  for (std::size_t at = home(id);; at = (at + 1) & (table_ids_.size() - 1)) {
    if (table_ids_[at] == id) return table_objects_[at];
    if (table_ids_[at] == 0) return kNone;
  }
}

}  // namespace holdfast::analysis
