// The report in one sentence: what piles up, how much it retains, what holds it.
// Shape:  O(1); names are shortened to `name_columns` (kFullNames: not at all).
// Zone:   offline.   Errors: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "cli/report/report_view.h"

namespace holdfast::cli {

inline constexpr std::size_t kFullNames = SIZE_MAX;

// "4,812 shop.Session retain 61.3 MB (72 % of the heap), held by static field shop.SessionRegistry.SESSIONS"
std::string suspect_sentence(const SuspectView& suspect, std::size_t name_columns);
// "static field shop.SessionRegistry.SESSIONS", "a local variable of shop.Worker.run() in thread "w"",
// "a stack slot that may hold it, of shop.Worker.run() in thread "w"", ...
std::string holder_text(const SuspectView& suspect, std::size_t name_columns);
// The same of one of its other ways.
std::string way_text(const SuspectView& suspect, const PathView& way, std::size_t name_columns);
std::string verdict_text(const ReportView& view, std::size_t name_columns);

}  // namespace holdfast::cli
