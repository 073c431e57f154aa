// What grew old while the application ran, as plain values: the classes that pile up, and sampled objects by class.
// Why loitering is said here: text, JSON, page and gates agree on it, and a filter changes nothing of it.
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
  std::uint64_t old_objects_error = 0, old_bytes_error = 0;
  std::uint64_t sampled = 0, sampled_collections = 0;  // ever, and in how many collections
  std::uint64_t first_before = 0;                      // collections since the first one
  std::uint64_t silent_samples = 0, silent_ms = 0;     // since the last one
  double silence_chance = 1;
  bool loiters = false;  // common/ages/loitering.h, by all classes of the report
  bool at_start_alone = false;
};

struct AgingView {
  std::uint64_t collections = 0, looked_utc_ms = 0, candidates = 0, looks = 0;
  bool sampled_told = false;
  std::uint64_t sample_interval_bytes = 0;
  std::vector<AgingSuspectView> suspects;
  std::vector<AgingClassView> classes;  // by old bytes
  std::uint64_t classes_total = 0;
  std::uint64_t live_bytes = 0;   // of all classes
  std::uint64_t followed_ms = 0;  // since the first sample; 0: none, or not told

  // Those that lie there and are allocated no more, by old bytes.
  std::vector<const AgingClassView*> loitering() const;
};

AgingView aging_view(const ReportNames& names, const report::AgingFacts& from);

}  // namespace holdfast::cli
