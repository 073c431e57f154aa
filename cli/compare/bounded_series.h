// What many of a kind (classes, accounts) had in report after report: so many points at most, so many series at most, each found by its key.
// Shape:  a series is found in O(log series); One says itself what it keeps at each of room() points.
// Zone:   offline.   Errors: none; what finds no room is counted in dropped(), once each time that it is asked for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace holdfast::cli {

template <class Point, class One>
class BoundedSeries {
 public:
  BoundedSeries(std::size_t most_points, std::size_t most_series)
      : most_points_(most_points), most_series_(most_series) {}

  std::size_t room() const { return most_points_; }
  bool full() const { return points_.size() >= most_points_; }
  void add_point(Point point) { points_.push_back(std::move(point)); }

  // nullptr: there is no room for one more. make(): the first of its key.
  template <class Make>
  One* find_or_add(std::string key, Make make) {
    if (const auto at = places_.find(key); at != places_.end()) return &all_[at->second];
    if (all_.size() >= most_series_) {
      ++dropped_;
      return nullptr;
    }
    places_.emplace(std::move(key), all_.size());
    all_.push_back(make());
    return &all_.back();
  }

  const std::vector<Point>& points() const { return points_; }
  const std::vector<One>& all() const { return all_; }
  std::uint64_t dropped() const { return dropped_; }

 private:
  std::size_t most_points_;
  std::size_t most_series_;
  std::vector<Point> points_;
  std::vector<One> all_;
  std::map<std::string, std::size_t> places_;
  std::uint64_t dropped_ = 0;
};

}  // namespace holdfast::cli
