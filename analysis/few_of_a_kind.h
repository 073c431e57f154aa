// The best rows of those that are offered, of a kind at most so many: a short list that one kind must not fill.
// Shape:  `rows` is the room; O(rows) an offer that is taken. Whatever is dropped would be dropped from any larger set, too: the
//         list never gets shorter, and rows of a kind are only displaced by better ones of it. So the order of offers does not matter.
//         Row: is_before(row, row), a strict order; same_kind(row, row). Both are found by name.
// Zone:   worker, offline, child.   Errors: none.
#pragma once

#include <cstdint>
#include <span>

namespace holdfast::analysis {

template <class Row>
class FewOfAKind {
 public:
  FewOfAKind(std::span<Row> rows, std::uint32_t most_of_a_kind) noexcept
      : rows_(rows), most_of_a_kind_(most_of_a_kind) {}

  // False: offer() would change nothing, whatever the row's kind.
  bool may_take(const Row& row) const noexcept {
    return count_ < rows_.size() || (count_ > 0 && is_before(row, rows_[count_ - 1]));
  }
  // Of a row that may be taken.
  void offer(const Row& row) noexcept {
    std::uint32_t of_kind = 0;
    std::uint32_t last_of_kind = 0;
    for (std::uint32_t i = 0; i < count_; ++i) {
      if (!same_kind(rows_[i], row)) continue;
      ++of_kind;
      last_of_kind = i;
    }
    if (of_kind == most_of_a_kind_) {
      if (!is_before(row, rows_[last_of_kind])) return;
      remove(last_of_kind);
    } else if (count_ == rows_.size()) {
      remove(count_ - 1);
    }
    insert(row);
  }
  std::span<const Row> rows() const noexcept { return rows_.first(count_); }

 private:
  void remove(std::uint32_t at) noexcept {
    for (--count_; at < count_; ++at) rows_[at] = rows_[at + 1];
  }
  void insert(const Row& row) noexcept {
    std::uint32_t at = count_++;
    for (; at > 0 && is_before(row, rows_[at - 1]); --at) rows_[at] = rows_[at - 1];
    rows_[at] = row;
  }

  std::span<Row> rows_;
  std::uint32_t most_of_a_kind_;
  std::uint32_t count_ = 0;
};

}  // namespace holdfast::analysis
