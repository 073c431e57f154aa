#include "cli/compare/object_series.h"

#include "cli/report/words.h"

namespace holdfast::cli {

bool listed_at(const OneObject& one, std::size_t point) { return (one.listed >> point & 1) != 0; }

OneObject* ObjectSeries::series_of(const ObjectView& object, std::uint64_t began_utc_ms) {
  std::string key = std::to_string(began_utc_ms) + '#' + std::to_string(object.identity);
  return series_.find_or_add(std::move(key), [&] {
    return OneObject{object.identity,
                     began_utc_ms,
                     std::string(object.class_name),
                     std::string(object.loader),
                     std::string(object.class_object_of),
                     object_text(object),
                     object.first_sequence,
                     object.first_utc_ms,
                     0,
                     std::vector<std::uint64_t>(series_.room())};
  });
}

void ObjectSeries::add(const ReportView& view) {
  if (series_.full()) return;
  const std::size_t at = points().size();
  const bool told = view.tracking && view.has_retained();
  series_.add_point({view.origin.started_utc_ms, told ? view.tracking->began_utc_ms : 0});
  if (!told) return;
  for (const ObjectView& object : view.tracking->objects) {
    OneObject* const one = series_of(object, view.tracking->began_utc_ms);
    if (one == nullptr) continue;
    one->listed |= std::uint64_t{1} << at;
    one->retained[at] = object.retained_bytes;
  }
}

std::vector<std::size_t> ObjectSeries::compared() const {
  std::vector<std::size_t> best;
  for (std::size_t first = 0; first < points().size(); ++first) {
    if (points()[first].began_utc_ms == 0) continue;
    std::vector<std::size_t> same;
    for (std::size_t i = first; i < points().size(); ++i)
      if (points()[i].began_utc_ms == points()[first].began_utc_ms) same.push_back(i);
    if (same.size() >= best.size()) best = std::move(same);
  }
  return best;
}

}  // namespace holdfast::cli
