// The classes of a process over the samples of a watch: what each takes now, and how that changed.
// Shape:  a row a class that was ever among a sample's rows, at most kMaxWatched; the last kMaxSeries samples of its bytes. A class
//         that a sample does not list has no instances where the sample lists all classes, and is not shown where it does not.
//         Samples of what is reachable and samples with garbage cannot be compared: where one follows the other, all begins anew.
//         Changes are against the sample before and against the first sample; a class that was not in the first one counts
//         from nothing where that listed all classes, else from its first sample.
// Zone:   offline.   Errors: none; classes beyond the limit are counted in `dropped`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "common/class_histogram.h"

namespace holdfast::cli {

enum class WatchOrder : std::uint8_t { kGrowth, kBytes, kInstances };

struct WatchedClass {
  std::string name;
  std::uint64_t identity = 0;
  std::uint64_t instances = 0;
  std::uint64_t shallow_bytes = 0;
  std::int64_t change_bytes = 0;  // since the sample before
  std::int64_t growth_bytes = 0;  // since the first sample
  std::uint64_t first_bytes = 0;
  std::uint32_t sample = 0;  // of the watch, the last one that listed it
  std::vector<std::uint64_t> series;
};

// Whether a filter lets a class through: a pattern as --group-by takes it; without a star a part of the name; empty: all.
bool chosen_by(const std::string& filter, std::string_view name);

class WatchedClasses {
 public:
  // Sixteen times what an agent sends at once: classes come and go for days.
  static constexpr std::size_t kMaxWatched = 32'000;
  static constexpr std::size_t kMaxSeries = 64;

  void add(const ClassHistogram& histogram);
  // Of the last sample, the first in `order` first; ties by name. `filter`: a pattern as --group-by takes it; empty: all.
  std::vector<const WatchedClass*> rows(WatchOrder order, const std::string& filter,
                                        std::size_t top) const;
  std::uint32_t samples() const { return samples_; }  // that can be compared
  std::uint32_t taken() const { return taken_; }      // in all
  std::uint64_t dropped() const { return dropped_; }

 private:
  void add_row(const HistogramRow& row);
  void move_to(WatchedClass& known, std::uint64_t instances, std::uint64_t bytes);

  std::unordered_map<std::uint64_t, WatchedClass> classes_;
  std::uint32_t samples_ = 0;
  std::uint32_t taken_ = 0;
  std::uint64_t dropped_ = 0;
  bool first_was_whole_ = false;
  bool reachable_only_ = false;
};

}  // namespace holdfast::cli
