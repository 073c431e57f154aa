#include "cli/talk/dump_words.h"

#include <array>
#include <cstring>
#include <nlohmann/json.hpp>

#include "cli/text/number_text.h"
#include "cli/text/unknown_word.h"

namespace holdfast::cli {
namespace {

constexpr std::array<std::string_view, 5> kStages = {"waiting", "planned", "analysing", "reported",
                                                     "failed"};
constexpr std::uint64_t kNoLimit = UINT64_MAX;
constexpr std::uint64_t kShortNs = 1'000'000;
constexpr std::uint64_t kSoonNs = 100'000'000;
// The agent's least share of a core beside a busy thread on each is 4.5 % (platforms/thread.h).
constexpr std::uint64_t kBusyTimes = 22;

bool planned(const DumpProgress& dump) {
  return dump.stage != DumpStage::kWaiting && dump.pause_limit_ns != 0;
}
bool captured(const DumpProgress& dump) { return dump.pause_ns != 0; }

Json known_milliseconds(bool known, std::uint64_t duration_ns) {
  return known ? milliseconds(duration_ns) : Json(nullptr);
}

Json counted_or_null(std::uint64_t count) { return count != 0 ? Json(count) : Json(nullptr); }

// Of one that has ended.
Json analysis_ms(const DumpProgress& dump) {
  const std::uint64_t end_ms = dump.asked_utc_ms + dump.elapsed_ns / kShortNs;
  if (!ended(dump) || dump.analysis_began_utc_ms == 0 || end_ms < dump.analysis_began_utc_ms)
    return nullptr;
  return end_ms - dump.analysis_began_utc_ms;
}

}  // namespace

std::string_view stage_word(DumpStage stage) {
  const auto index = static_cast<std::size_t>(stage);
  return index < kStages.size() ? kStages[index] : unknown_word(index);
}

std::string_view trigger_word(Trigger trigger) {
  const auto index = static_cast<std::size_t>(trigger);
  return index < kTriggerCount ? trigger_name(trigger) : unknown_word(index);
}

std::string_view rung_word(CaptureRung rung) {
  const auto index = static_cast<std::size_t>(rung);
  return rung <= CaptureRung::kImported ? capture_rung_name(rung) : unknown_word(index);
}

std::string rung_phrase(const DumpProgress& dump) {
  switch (dump.rung) {
    case CaptureRung::kFrozen:
      return dump.extended ? "an object graph from a frozen copy of the heap"
                           : "a class histogram from a frozen copy of the heap";
    case CaptureRung::kFrozenWritten:
      return "an object graph from a frozen copy of the heap, written without being analysed";
    case CaptureRung::kWalk:
      return "an object graph by a walk through the heap";
    case CaptureRung::kHistogram:
    case CaptureRung::kImported:
      return "a class histogram, no object graph";
  }
  return "capture method " + std::string(rung_word(dump.rung)) + " of a newer agent";
}

std::string pause_phrase(std::uint64_t pause_ns) {
  return pause_ns < kShortNs ? "less than 1 ms" : human_duration(pause_ns);
}

std::string prediction_sentence(const DumpProgress& dump) {
  std::string text = "will stop the application for ";
  if (dump.predicted_pause_ns >= kShortNs) text += "about ";
  text += pause_phrase(dump.predicted_pause_ns);
  if (dump.pause_limit_ns == kNoLimit) return text + " (no limit)";
  text += " (limit " + human_duration(dump.pause_limit_ns);
  return text + (dump.predicted_pause_ns > dump.pause_limit_ns ? ", which cannot be kept)" : ")");
}

std::string failure_text(const DumpProgress& dump) {
  std::string text(error_text(dump.error.code));
  if (dump.error.code == ErrorCode::kIo && dump.error.detail > 0)
    text = std::strerror(static_cast<int>(dump.error.detail));
  if (dump.note.text[0] != '\0') text += std::string(": ") + dump.note.text;
  return text;
}

namespace {

// No more digits than are meant: "0.2 s".
std::string about(std::uint64_t duration_ns) {
  constexpr std::uint64_t kTenthNs = 100'000'000;
  const std::uint64_t tenths = (duration_ns + kTenthNs / 2) / kTenthNs;
  return tenths < 10 ? "0." + std::to_string(tenths) + " s" : human_duration(duration_ns);
}

}  // namespace

std::string expectation_phrase(const DumpProgress& dump) {
  if (dump.expected.all_ns == 0) return {};
  const std::uint64_t all_ns = dump.expected.all_ns;
  if (all_ns < kSoonNs) return "less than 0.1 s on a free core";
  return "about " + about(all_ns) + " on a free core, " + about(all_ns * kBusyTimes) +
         " beside busy ones";
}

Json dump_progress_json(const DumpProgress& dump) {
  const bool has_plan = planned(dump);
  const bool limited = has_plan && dump.pause_limit_ns != kNoLimit;
  return {
      {"number", dump.number},
      {"trigger", trigger_word(dump.trigger)},
      {"stage", stage_word(dump.stage)},
      {"asked_utc", utc_for_programs(dump.asked_utc_ms)},
      {"asked_utc_ms", dump.asked_utc_ms},
      {"kind", has_plan ? Json(dump.extended ? "extended" : "simple") : Json(nullptr)},
      {"rung", has_plan ? Json(rung_word(dump.rung)) : Json(nullptr)},
      {"merged_requests", dump.merged},
      {"predicted_pause_ms", known_milliseconds(has_plan, dump.predicted_pause_ns)},
      {"pause_limit_ms", known_milliseconds(limited, dump.pause_limit_ns)},
      {"pause_ms", known_milliseconds(captured(dump), dump.pause_ns)},
      {"elapsed_ms", milliseconds(dump.elapsed_ns)},
      {"report_bytes", dump.report_bytes},
      {"report_path", optional_text(dump.report_path)},
      {"note", optional_text(dump.note.text)},
      {"error", dump.stage == DumpStage::kFailed ? Json(failure_text(dump)) : Json(nullptr)},
      {"not_complete", optional_text(dump.missing.text)},
      {"objects", counted_or_null(dump.objects)},
      {"references", dump.objects != 0 ? Json(dump.references) : Json(nullptr)},
      {"expected_basic_ms",
       known_milliseconds(dump.expected.basic_ns != 0, dump.expected.basic_ns)},
      {"expected_analysis_ms", known_milliseconds(dump.expected.all_ns != 0, dump.expected.all_ns)},
      {"analysis_ms", analysis_ms(dump)}};
}

}  // namespace holdfast::cli
