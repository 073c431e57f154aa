#include "cli/report/aging_view.h"

#include <algorithm>

#include "cli/report/report_view_names.h"
#include "common/ages/loitering.h"
#include "common/ages/object_age.h"

namespace holdfast::cli {
namespace {

AgingSuspectView suspect_view(const ReportNames& names, const report::AgingSuspect& from) {
  return {names.text(from.class_name()),
          from.instances(),
          from.shallow_bytes(),
          from.more_instances(),
          from.more_bytes(),
          from.collections(),
          from.window_ms(),
          from.looks(),
          from.old_samples(),
          from.ages(),
          from.old_percent(),
          from.confidence_percent()};
}

std::vector<std::uint64_t> doublings(const flatbuffers::Vector<std::uint64_t>& from) {
  std::vector<std::uint64_t> list(from.begin(), from.end());
  list.resize(kAgeDoublings);
  return list;
}

AgingClassView class_view(const ReportNames& names, const report::AgingClassRow& from) {
  AgingClassView view;
  view.class_name = names.text(from.class_name());
  view.samples = from.samples();
  view.live_objects = from.live_objects();
  view.live_bytes = from.live_bytes();
  view.old_objects = from.old_objects();
  view.old_bytes = from.old_bytes();
  view.died_samples = from.died_samples();
  view.live_ages = doublings(*from.live_ages());
  view.died_ages = doublings(*from.died_ages());
  view.born_before = from.born_before();
  view.old_objects_error = from.old_objects_error();
  view.old_bytes_error = from.old_bytes_error();
  view.sampled = from.sampled();
  view.sampled_collections = from.sampled_collections();
  view.first_before = from.first_before();
  view.silent_samples = from.silent_samples();
  view.silent_ms = from.silent_ms();
  view.silence_chance = static_cast<double>(from.silence_chance());
  return view;
}

void judge(const AgingView& all, AgingClassView& row) {
  row.at_start_alone = seen_at_start_alone(row.silent_ms, all.followed_ms);
  row.loiters = loiters({row.old_bytes, row.born_before, row.silent_ms, row.silence_chance,
                         all.live_bytes, all.classes_total, all.followed_ms});
}

}  // namespace

AgingView aging_view(const ReportNames& names, const report::AgingFacts& from) {
  AgingView view;
  view.collections = from.collections();
  view.looked_utc_ms = from.looked_utc_ms();
  view.candidates = from.candidates();
  view.looks = from.looks();
  view.sampled_told = from.sampled_told();
  view.sample_interval_bytes = from.sample_interval_bytes();
  for (const auto* row : *from.suspects()) view.suspects.push_back(suspect_view(names, *row));
  for (const auto* row : *from.classes()) view.classes.push_back(class_view(names, *row));
  view.classes_total = std::max<std::uint64_t>(from.classes_total(), view.classes.size());
  view.live_bytes = from.live_bytes();
  view.followed_ms = from.followed_ms();
  for (AgingClassView& row : view.classes) judge(view, row);
  return view;
}

std::vector<const AgingClassView*> AgingView::loitering() const {
  std::vector<const AgingClassView*> found;
  for (const AgingClassView& row : classes)
    if (row.loiters) found.push_back(&row);
  return found;
}

}  // namespace holdfast::cli
