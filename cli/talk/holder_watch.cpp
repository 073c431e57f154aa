#include "cli/talk/holder_watch.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/output_file.h"
#include "cli/report/report_view.h"
#include "cli/report/text_holders.h"
#include "cli/talk/report_path.h"
#include "cli/talk/watched_classes.h"
#include "cli/text/display_text.h"
#include "cli/text/json_text.h"
#include "cli/text/number_text.h"
#include "common/time_units.h"

namespace holdfast::cli {
namespace {

constexpr std::uint64_t kLeastMsBetweenLooks = 1000;
constexpr std::size_t kLinesAround = 2;  // a blank one and the title

// An agent of protocol 1.3 tells its last dumps alone.
const DumpProgress* last_extended(const control::Status& status) {
  if (status.last_extended != nullptr) return status.last_extended;
  const auto at = std::ranges::find_if(status.dumps, [](const DumpProgress& dump) {
    return dump.extended && dump.stage == DumpStage::kReported;
  });
  return at == status.dumps.end() ? nullptr : &*at;
}

// "PATH: why", with the path last: on a narrow page it is what goes.
std::string without_path(const std::string& text, const std::string& path, std::uint32_t number) {
  const bool begins = text.starts_with(path + ": ");
  const std::string why = begins ? text.substr(path.size() + 2) : text;
  return "the report of dump " + std::to_string(number) + ": " + why +
         (begins ? " (" + path + ")" : "");
}

std::size_t lines_of(const HolderClassView& row) {
  const bool one_more = row.rest_references != 0 || row.places.empty();
  return 1 + row.places.size() + (one_more ? 1 : 0);
}

void write_cut_line(Page& page, const std::string& text, Style style) {
  const std::string shown = printable(text);
  page.line({{std::string(prefix_of_width(shown, page.columns())), style}});
}

}  // namespace

struct HolderWatch::Known {
  std::vector<std::byte> image;
  ReportSource source;
  ReportView view;
};

HolderWatch::HolderWatch(std::string pattern, std::uint32_t pid)
    : pattern_(std::move(pattern)), pid_(pid) {
  if (!asked()) return;
  try {
    reports_ = std::make_shared<const AgentReports>(pid);
  } catch (const Stop& stop) {
    say(stop.text);
  }
}

bool HolderWatch::wants_status(std::uint64_t sample_utc_ms) const {
  if (!asked() || reports_ == nullptr) return false;
  return !looked_ || sample_utc_ms >= looked_utc_ms_ + kLeastMsBetweenLooks;
}

void HolderWatch::say(std::string remark) {
  changed_ = changed_ || remark != remark_ || !looked_;
  remark_ = std::move(remark);
  rows_.clear();
  matching_ = 0;
}

void HolderWatch::could_not_look(const std::string& why, std::uint64_t sample_utc_ms) {
  looked_utc_ms_ = sample_utc_ms;
  say(why);
  looked_ = true;
}

void HolderWatch::look(const control::Status& status, std::uint64_t sample_utc_ms) {
  looked_utc_ms_ = sample_utc_ms;
  const DumpProgress* const dump = last_extended(status);
  if (dump == nullptr) {
    dump_ = 0;
    say("no extended report yet: holdfast dump " + std::to_string(pid_) + " --extended makes one");
  } else if (dump->number != dump_) {
    dump_ = dump->number;
    dump_utc_ms_ = dump->asked_utc_ms;
    report_path_ = dump->report_path;
    read(*dump);
    changed_ = true;
  }
  looked_ = true;
}

void HolderWatch::read(const DumpProgress& dump) {
  auto known = std::make_shared<Known>();
  const std::string shown = ProcessPaths(pid_).path_for_caller(dump.report_path);
  try {
    known->image = reports_->read(dump.report_path, dump.report_bytes, shown);
  } catch (const Stop& stop) {
    return say(without_path(stop.text, shown, dump.number));
  }
  if (const auto error = known->source.open_image(shown, known->image))
    return say(without_path(error->text, shown, dump.number));
  known->view = make_report_view(known->source.report(), known->source.report_bytes());
  known_ = std::move(known);
  choose();
}

void HolderWatch::choose() {
  if (!known_->view.holders)
    return say("the report of dump " + std::to_string(dump_) +
               " does not tell who holds instances (analyses= left that out, or memory did)");
  say("");
  for (const HolderClassView& row : known_->view.holders->classes)
    if (chosen_by(pattern_, row.class_name)) rows_.push_back(&row);
  // Who names a class means that one first.
  std::stable_partition(rows_.begin(), rows_.end(),
                        [this](const HolderClassView* row) { return row->class_name == pattern_; });
  matching_ = rows_.size();
  rows_.resize(std::min(rows_.size(), kMostHolderClasses));
  if (matching_ == 0)
    say("no class of dump " + std::to_string(dump_) + " matches '" + pattern_ + "'");
}

std::size_t HolderWatch::classes_in(std::size_t lines) const {
  std::size_t taken = kLinesAround + 1, count = 0;  // the line that counts the others
  while (count < rows_.size() && taken + lines_of(*rows_[count]) <= lines)
    taken += lines_of(*rows_[count++]);
  return count;
}

std::size_t HolderWatch::line_count(std::size_t lines) const {
  if (!looked_ && remark_.empty()) return 0;
  if (!remark_.empty()) return kLinesAround;
  const std::size_t classes = classes_in(lines);
  std::size_t count = kLinesAround + (matching_ > classes ? 1 : 0);
  for (std::size_t i = 0; i < classes; ++i) count += lines_of(*rows_[i]);
  return count;
}

std::string HolderWatch::title(std::uint64_t sample_utc_ms) const {
  const std::uint64_t age_ms = sample_utc_ms - std::min(sample_utc_ms, dump_utc_ms_);
  return "who holds " + pattern_ + " · dump " + std::to_string(dump_) + ", " +
         human_duration(age_ms * kNsPerMs) + " ago";
}

void HolderWatch::write(std::size_t lines, std::uint64_t sample_utc_ms, Page& page) const {
  if (line_count(lines) == 0) return;
  page.blank();
  if (!remark_.empty()) return write_cut_line(page, remark_, Style::kDim);
  write_cut_line(page, title(sample_utc_ms), Style::kBold);
  const std::size_t classes = classes_in(lines);
  for (std::size_t i = 0; i < classes; ++i) write_holder_class(*rows_[i], page);
  if (matching_ > classes)
    write_cut_line(page,
                   "  " + counted(matching_ - classes, "more class", "more classes") + " match",
                   Style::kDim);
}

std::optional<Json> HolderWatch::changed_json() {
  if (!asked() || !changed_) return std::nullopt;
  changed_ = false;
  const bool dump = dump_ != 0;
  Json json{{"pattern", pattern_},
            {"remark", optional_text(remark_)},
            {"dump", dump ? Json(dump_) : Json(nullptr)},
            {"dump_utc", dump ? Json(utc_for_programs(dump_utc_ms_)) : Json(nullptr)},
            {"dump_utc_ms", dump ? Json(dump_utc_ms_) : Json(nullptr)},
            {"report_path", dump ? Json(report_path_) : Json(nullptr)},
            {"classes_matching", matching_},
            {"classes", Json::array()}};
  for (const HolderClassView* row : rows_) json["classes"].push_back(holder_class_json(*row));
  return json;
}

}  // namespace holdfast::cli
