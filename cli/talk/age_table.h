// The classes that pile up in a watched process, as lines of a frame and as JSON.
// Shape:  a blank line, then either the headers and at most `rows` rows, or one line that says that no class does; nothing where ages are off.
// Zone:   offline.   Errors: none.
#pragma once

#include <cstddef>

#include "cli/report/json_value.h"
#include "cli/text/page.h"
#include "common/ages/age_suspect.h"

namespace holdfast::cli {

inline constexpr std::size_t kAgeSuspectsShown = 3;

// How many lines write_age_suspects() writes.
std::size_t age_suspect_lines(const AgeVerdict& verdict, std::size_t rows);
void write_age_suspects(const AgeVerdict& verdict, std::size_t rows, Page& page);
// null: ages are off.
Json ages_json(const AgeVerdict& verdict);

}  // namespace holdfast::cli
