#include "cli/talk/dump_teller.h"

#include "cli/talk/dump_words.h"
#include "cli/text/display_text.h"
#include "cli/text/number_text.h"

namespace holdfast::cli {
namespace {

constexpr const char* kClearLine = "\r\x1b[K";

const char* doing(DumpStage stage) {
  switch (stage) {
    case DumpStage::kWaiting:
      return "waiting for its turn";
    case DumpStage::kPlanned:
      return "reading the heap";
    case DumpStage::kAnalysing:
      return "analysing at low priority";
    case DumpStage::kReported:
    case DumpStage::kFailed:
      return "done";
  }
  return "at a stage that only a newer holdfast knows";
}

}  // namespace

DumpTeller::DumpTeller(Surroundings& surroundings, std::uint32_t pid, bool quiet)
    : out_(surroundings.err),
      live_(surroundings.err_is_terminal && !surroundings.dumb_terminal && !quiet),
      quiet_(quiet),
      who_("process " + std::to_string(pid)) {}

void DumpTeller::clear() {
  if (line_shown_) out_ << kClearLine << std::flush;
  line_shown_ = false;
}

void DumpTeller::say(const std::string& text) {
  if (!quiet_) warn(text);
}

void DumpTeller::warn(const std::string& text) {
  clear();
  out_ << who_ << ": " << printable(text) << '\n' << std::flush;
}

void DumpTeller::tick(std::uint64_t waited_ns) {
  if (!live_) return;
  out_ << kClearLine << who_ << ": " << doing(last_.stage) << ", " << human_duration(waited_ns)
       << std::flush;
  line_shown_ = true;
}

// A plan may be changed before the application is stopped, or after a first attempt was given up.
void DumpTeller::tell_plan(const DumpProgress& dump) {
  if (dump.pause_limit_ns == 0) return;
  const bool known = last_.pause_limit_ns != 0;
  if (known && last_.rung == dump.rung && last_.predicted_pause_ns == dump.predicted_pause_ns)
    return;
  say(std::string(known ? "instead " : "") + prediction_sentence(dump) + ": " + rung_phrase(dump));
}

void DumpTeller::tell_pause(const DumpProgress& dump) {
  if (pause_told_ || dump.pause_ns == 0) return;
  pause_told_ = true;
  if (dump.rung != last_.rung && last_.pause_limit_ns != 0)
    say("stepped down to " + rung_phrase(dump));
  say("stopped for " + pause_phrase(dump.pause_ns) + "; the application runs again");
}

// Once, and again where it turns out to be another by more than half.
void DumpTeller::tell_expectation(const DumpProgress& dump) {
  const std::uint64_t expected_ns = dump.expected.all_ns;
  if (dump.stage != DumpStage::kAnalysing || expected_ns == 0) return;
  const bool alike = expected_ns <= expectation_told_ns_ + expectation_told_ns_ / 2 &&
                     expected_ns >= expectation_told_ns_ - expectation_told_ns_ / 3;
  if (alike) return;
  const bool again = expectation_told_ns_ != 0;
  expectation_told_ns_ = expected_ns;
  say((again ? "instead " : thousands(dump.objects) + " objects; the analysis takes ") +
      expectation_phrase(dump));
}

void DumpTeller::tell_basic(const DumpProgress& dump) {
  if (basic_told_ || dump.stage != DumpStage::kAnalysing || dump.report_path[0] == '\0') return;
  basic_told_ = true;
  say("the basic report is there; the optional parts go on");
}

// Less than was asked for is a warning; a remark on the way is not.
void DumpTeller::tell_note(const DumpProgress& dump) {
  if (dump.stage != DumpStage::kReported || dump.note.text[0] == '\0') return;
  const std::string note = dump.note.text;
  if (dump.extended)
    say("note: " + note);
  else
    warn("warning: " + note);
}

void DumpTeller::tell(const DumpProgress& dump) {
  if (dump.stage != DumpStage::kWaiting) tell_plan(dump);
  if (dump.stage != DumpStage::kPlanned) tell_pause(dump);
  tell_expectation(dump);
  tell_basic(dump);
  tell_note(dump);
  if (dump.stage == DumpStage::kReported && dump.missing.text[0] != '\0')
    warn(std::string("the report is not complete: ") + dump.missing.text);
  if (dump.stage == DumpStage::kReported)
    say("report of " + human_bytes(dump.report_bytes) + " after " +
        human_duration(dump.elapsed_ns));
  last_ = dump;
}

}  // namespace holdfast::cli
