#include "clrprofiler/heap/reference_map_stopped.h"

#include <doctest/doctest.h>

#include <vector>

using namespace holdfast::clr;

namespace {

struct Series {
  std::int64_t bytes;
  std::uint64_t first;
};

// A method table with its map below it, and an object.
class Laid {
 public:
  Laid(const std::vector<Series>& series, std::int64_t object_bytes) : object_(128, 0) {
    words_.resize(2 * series.size() + 3, 0);
    std::size_t at = words_.size() - 2;
    table_ = reinterpret_cast<std::uint64_t>(&words_[at + 1]);
    words_[at--] = static_cast<std::int64_t>(series.size());
    for (const Series& one : series) {
      words_[at--] = static_cast<std::int64_t>(one.first);
      words_[at--] = one.bytes - object_bytes;
    }
  }
  std::uint64_t table() const { return table_; }
  std::uint64_t object() const { return reinterpret_cast<std::uint64_t>(object_.data()); }
  std::uint64_t& word(std::size_t offset) { return object_[offset / 8]; }
  void set_series(std::int64_t count) { words_[words_.size() - 2] = count; }
  std::vector<std::uint64_t> offsets(std::uint64_t object_bytes) const {
    std::vector<std::uint64_t> found;
    if (!ReferenceMap(table_).for_each(object_bytes, [&](std::uint64_t offset) {
          found.push_back(offset);
          return true;
        }))
      found.push_back(0);
    return found;
  }

 private:
  std::vector<std::int64_t> words_;
  std::vector<std::uint64_t> object_;
  std::uint64_t table_ = 0;
};

}  // namespace

TEST_CASE("offsets in the order of the series") {
  const Laid one({{24, 8}}, 40);
  CHECK(one.offsets(40) == std::vector<std::uint64_t>{8, 16, 24});
  const Laid two({{8, 32}, {16, 8}}, 48);
  CHECK(two.offsets(48) == std::vector<std::uint64_t>{32, 8, 16});
  // An array of references: the series is as long as the object is.
  const Laid array({{0, 16}}, 24);
  CHECK(array.offsets(24 + 3 * 8) == std::vector<std::uint64_t>{16, 24, 32});
}

TEST_CASE("a map that cannot be is none") {
  Laid laid({{24, 8}}, 40);
  CHECK(laid.offsets(16).empty());
  CHECK(laid.offsets(8) == std::vector<std::uint64_t>{0});
  for (const std::int64_t count :
       {std::int64_t{0}, std::int64_t{-1}, std::int64_t{65}, INT64_MAX}) {
    laid.set_series(count);
    CHECK(laid.offsets(40) == std::vector<std::uint64_t>{0});
  }
  CHECK(Laid({Series{24, 0}}, 40).offsets(40) == std::vector<std::uint64_t>{0});
  CHECK(Laid({Series{24, 24}}, 40).offsets(40) == std::vector<std::uint64_t>{0});
  CHECK(Laid({Series{-8, 8}}, 40).offsets(40) == std::vector<std::uint64_t>{0});
}

TEST_CASE("which references are set") {
  Laid laid({{24, 8}}, 40);
  laid.word(8) = 1;
  laid.word(24) = 1;
  std::uint64_t set = 0;
  CHECK(references_set(laid.object(), laid.table(), 40, set) == 3);
  CHECK(set == 0b101);
  Laid wide({{65 * 8, 8}}, 66 * 8);
  CHECK(references_set(wide.object(), wide.table(), 66 * 8, set) == 0);
  Laid most({{63 * 8, 8}}, 64 * 8);
  most.word(63 * 8) = 5;
  CHECK(references_set(most.object(), most.table(), 64 * 8, set) == 63);
  CHECK(set == std::uint64_t{1} << 62);
}
