// The words of one dump's progress, for people and for programs: the same in `dump` and in `status`.
// Shape:  pure functions of a DumpProgress.   Zone: offline.   Errors: none.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "cli/report/json_value.h"
#include "common/dump_progress.h"

namespace holdfast::cli {

// "waiting", "planned", "analysing", "reported", "failed"; of a newer agent perhaps "unknown (17)", as the next two.
std::string_view stage_word(DumpStage stage);
std::string_view trigger_word(Trigger trigger);
std::string_view rung_word(CaptureRung rung);
std::string rung_phrase(const DumpProgress& dump);  // "an object graph from a frozen copy", ...
std::string pause_phrase(std::uint64_t pause_ns);   // "24.3 ms"; "less than 1 ms"
// "will stop the application for about 24 ms (limit 1.0 s)"
std::string prediction_sentence(const DumpProgress& dump);
// "about 4.1 s on a free core, 88.0 s beside busy ones"; empty: not known.
std::string expectation_phrase(const DumpProgress& dump);
// Why a dump left no report: "cancelled", "No space left on device", and the note behind it.
std::string failure_text(const DumpProgress& dump);

// kind, rung, pauses ...: from kPlanned on what is known; null before.
Json dump_progress_json(const DumpProgress& dump);

}  // namespace holdfast::cli
