#include "analysis/lab/delta/ddmin.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

#include "analysis/lab/random.h"

namespace holdfast::analysis::lab {

namespace {

using Parts = std::vector<Part>;

// Two sums of independent mixes: 128 bits, so that no two parts of any run are ever taken for one.
std::pair<std::uint64_t, std::uint64_t> fingerprint(const Part& part) {
  std::pair<std::uint64_t, std::uint64_t> sum{part.size(), 0};
  for (const std::uint32_t element : part) {
    Random mix(element);
    sum.first += mix.next();
    sum.second += mix.next();
  }
  return sum;
}

Parts split(const Part& whole, std::size_t count) {
  Parts parts;
  std::size_t begin = 0;
  for (std::size_t i = 1; i <= count; ++i) {
    const std::size_t end = whole.size() * i / count;
    parts.emplace_back(whole.begin() + static_cast<std::ptrdiff_t>(begin),
                       whole.begin() + static_cast<std::ptrdiff_t>(end));
    begin = end;
  }
  return parts;
}

Part joined_without(const Parts& parts, std::size_t left_out) {
  Part joined;
  for (std::size_t i = 0; i < parts.size(); ++i)
    if (i != left_out) joined.insert(joined.end(), parts[i].begin(), parts[i].end());
  return joined;
}

class Search {
 public:
  Search(const PartTest& shows, const DdminLimits& limits) : shows_(shows), limits_(limits) {}

  DdminResult run(std::uint32_t size) {
    result_.kept.resize(size);
    std::iota(result_.kept.begin(), result_.kept.end(), 0u);
    if (!asked(result_.kept)) {
      if (!stopped_) result_.end = DdminEnd::kNeverShown;
      return result_;
    }
    if (size > 0 && asked({})) result_.kept.clear();
    std::size_t count = 2;
    while (!stopped_ && result_.kept.size() > 1) {
      count = std::min(count, result_.kept.size());
      if (reduced_to_a_part(count)) {
        count = 2;
        continue;
      }
      const std::size_t left = parts_left(count);
      // The round with single elements is repeated until it takes nothing away: that is what 1-minimal means.
      if (left == count && count == result_.kept.size()) break;
      count = std::max<std::size_t>(2, left * 2);
    }
    return result_;
  }

 private:
  bool reduced_to_a_part(std::size_t count) {
    for (const Part& part : split(result_.kept, count)) {
      if (!asked(part)) continue;
      result_.kept = part;
      return true;
    }
    return false;
  }

  // Leaves out one part after the other for good where it still shows; how many parts are left.
  std::size_t parts_left(std::size_t count) {
    Parts parts = split(result_.kept, count);
    for (std::size_t i = 0; i < parts.size() && parts.size() > 1;) {
      const Part rest = joined_without(parts, i);
      if (!asked(rest)) {
        ++i;
        continue;
      }
      result_.kept = rest;
      parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(i));
    }
    return parts.size();
  }

  bool asked(const Part& part) {
    if (stopped_) return false;
    const auto print = fingerprint(part);
    if (silent_.count(print) != 0) return ++result_.remembered, false;
    if (result_.tests >= limits_.max_tests) return stop(DdminEnd::kTestsSpent);
    if (std::chrono::steady_clock::now() >= limits_.deadline) return stop(DdminEnd::kOutOfTime);
    ++result_.tests;
    if (shows_(part)) return true;
    silent_.insert(print);
    return false;
  }

  bool stop(DdminEnd end) {
    stopped_ = true;
    result_.end = end;
    return false;
  }

  const PartTest& shows_;
  const DdminLimits& limits_;
  // What showed became `kept` at once, which only shrinks, so it is never asked about again.
  std::set<std::pair<std::uint64_t, std::uint64_t>> silent_;
  DdminResult result_;
  bool stopped_ = false;
};

}  // namespace

DdminResult ddmin(std::uint32_t size, const PartTest& shows, const DdminLimits& limits) {
  return Search(shows, limits).run(size);
}

}  // namespace holdfast::analysis::lab
