// What grew old while the application ran, as plain values: the classes that pile up, and sampled objects by class.
// Shape:  figures of samples are estimates; lists by doublings of the age (0, 1, 2-3, 4-7 ...), kAgeDoublings long.
// Zone:   offline.   Errors: none, the reader has checked lengths and indices.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace holdfast::report {
struct AgingFacts;
}

namespace holdfast::cli {

class ReportNames;

struct AgingSuspectView {
  std::string_view class_name;
  std::uint64_t instances = 0, shallow_bytes = 0, more_instances = 0, more_bytes = 0;
  std::uint64_t collections = 0, window_ms = 0;
  std::uint32_t looks = 0, old_samples = 0, ages = 0, old_percent = 0, confidence_percent = 0;
};

struct AgingClassView {
  std::string_view class_name;
  std::uint64_t samples = 0;
  std::uint64_t live_objects = 0, live_bytes = 0, old_objects = 0, old_bytes = 0;
  std::uint64_t died_samples = 0;
  std::vector<std::uint64_t> live_ages, died_ages;
  std::uint64_t born_before = 0;  // collections since the last one was sampled
};

struct AgingView {
  std::uint64_t collections = 0, looked_utc_ms = 0, candidates = 0, looks = 0;
  bool sampled_told = false;
  std::uint64_t sample_interval_bytes = 0;
  std::vector<AgingSuspectView> suspects;
  std::vector<AgingClassView> classes;  // by old bytes
  std::uint64_t classes_total = 0;
};

AgingView aging_view(const ReportNames& names, const report::AgingFacts& from);

}  // namespace holdfast::cli
