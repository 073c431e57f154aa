#include "analysis/accounts/live_calibration.h"

#include <algorithm>
#include <numeric>

#include "analysis/dominator_arrays.h"

namespace holdfast::analysis {
namespace {

struct LiveClass {
  StringId name;
  CalibratedAmount live;     // estimated, over all rows
  CalibratedAmount counted;  // by the dump, over all loaders
  CalibratedAmount given;    // to rows so far
};

// live : all_live as the answer : counted, and never more than what is left of it.
std::uint64_t scaled(std::uint64_t live, std::uint64_t all_live, std::uint64_t counted,
                     std::uint64_t given) noexcept {
  if (all_live == 0) return 0;
  const double share = static_cast<double>(live) / static_cast<double>(all_live);
  const double wanted = share * static_cast<double>(counted) + 0.5;
  const std::uint64_t left = counted - given;
  return wanted < static_cast<double>(left) ? static_cast<std::uint64_t>(wanted) : left;
}

class Calibration {
 public:
  Calibration(const AccountFigures& figures, const Catalog& catalog, Arena& arena) noexcept
      : figures_(figures), catalog_(catalog), arena_(arena) {}

  // -> classes_ by the name's number, each name once, with what lives of it
  Result<void> gather() noexcept {
    HF_TRY(order, arena_.make<std::uint32_t>(figures_.rows.size()));
    std::iota(order.begin(), order.end(), 0u);
    std::sort(order.begin(), order.end(), [this](std::uint32_t a, std::uint32_t b) {
      return figures_.rows[a].class_name < figures_.rows[b].class_name;
    });
    HF_TRY(classes, arena_.make_filled<LiveClass>(names_in(order), LiveClass{}));
    std::size_t count = 0;
    for (const std::uint32_t i : order) {
      const AccountRow& row = figures_.rows[i];
      if (count == 0 || classes[count - 1].name != row.class_name)
        classes[count++].name = row.class_name;
      classes[count - 1].live.objects += row.live.objects;
      classes[count - 1].live.bytes += row.live.bytes;
    }
    classes_ = classes;
    return sort_by_text();
  }

  // Adds the figures of the classes that rows name; a name that has no text stands for rows whose class found no room.
  Result<void> count(std::span<const ClassFigures> counted, const CancelToken& cancel) noexcept {
    const auto known = std::min<std::size_t>(catalog_.class_count(), counted.size());
    return forward_in_strides(0, static_cast<std::uint32_t>(known), cancel,
                              [&](std::uint32_t from, std::uint32_t to) {
                                for (std::uint32_t c = from; c < to; ++c)
                                  add_class(catalog_.class_name(ClassId{c}), counted[c]);
                              });
  }

  CalibratedAmount give(const AccountRow& row) noexcept {
    const auto at =
        std::lower_bound(classes_.begin(), classes_.end(), row.class_name,
                         [](const LiveClass& one, StringId name) { return one.name < name; });
    LiveClass& of = *at;
    const CalibratedAmount all = to_give(of);
    const CalibratedAmount part{
        scaled(row.live.objects, of.live.objects, all.objects, of.given.objects),
        scaled(row.live.bytes, of.live.bytes, all.bytes, of.given.bytes)};
    of.given.objects += part.objects;
    of.given.bytes += part.bytes;
    return part;
  }

 private:
  // What was counted needs no more than a bound.
  CalibratedAmount to_give(const LiveClass& of) const noexcept {
    if (figures_.mode != AccountMode::kExactLive) return of.counted;
    return {std::min(of.live.objects, of.counted.objects),
            std::min(of.live.bytes, of.counted.bytes)};
  }
  std::size_t names_in(std::span<const std::uint32_t> order) const noexcept {
    std::size_t names = 0;
    for (std::size_t i = 0; i < order.size(); ++i)
      names +=
          i == 0 || figures_.rows[order[i]].class_name != figures_.rows[order[i - 1]].class_name
              ? 1
              : 0;
    return names;
  }
  std::string_view text(std::uint32_t at) const noexcept {
    return figures_.strings.view(classes_[at].name);
  }
  Result<void> sort_by_text() noexcept {
    HF_TRY(order, arena_.make<std::uint32_t>(classes_.size()));
    std::iota(order.begin(), order.end(), 0u);
    std::sort(order.begin(), order.end(),
              [this](std::uint32_t a, std::uint32_t b) { return text(a) < text(b); });
    by_text_ = order;
    return {};
  }
  void add_class(std::string_view name, const ClassFigures& figures) noexcept {
    const auto at = std::lower_bound(
        by_text_.begin(), by_text_.end(), name,
        [this](std::uint32_t one, std::string_view wanted) { return text(one) < wanted; });
    if (name.empty() || at == by_text_.end() || text(*at) != name) return;
    CalibratedAmount& counted = classes_[*at].counted;
    counted.objects += figures.instances + figures.unheld_instances;
    counted.bytes += figures.shallow_bytes + figures.unheld_bytes;
  }

  const AccountFigures& figures_;
  const Catalog& catalog_;
  Arena& arena_;
  std::span<LiveClass> classes_;
  std::span<std::uint32_t> by_text_;
};

}  // namespace

Result<LiveCalibration> calibrate_live(const AccountFigures& figures, const Catalog& catalog,
                                       std::span<const ClassFigures> counted, Arena& arena,
                                       const CancelToken& cancel) noexcept {
  LiveCalibration made;
  HF_TRY(rows, arena.make_filled<CalibratedAmount>(figures.rows.size(), CalibratedAmount{}));
  made.rows = rows;
  for (const ClassFigures& row : counted) {
    made.heap.objects += row.instances + row.unheld_instances;
    made.heap.bytes += row.shallow_bytes + row.unheld_bytes;
  }
  const ArenaScope scratch(arena);
  Calibration calibration(figures, catalog, arena);
  HF_CHECK_OK(calibration.gather());
  HF_CHECK_OK(calibration.count(counted, cancel));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i] = calibration.give(figures.rows[i]);
    made.explained.objects += rows[i].objects;
    made.explained.bytes += rows[i].bytes;
  }
  return made;
}

}  // namespace holdfast::analysis
