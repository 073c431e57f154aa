// Changes as people read them: "+61.3 MB", "-1,204", "=".
// Shape:  pure functions.   Zone: offline.   Errors: none.
#pragma once

#include <cstdint>
#include <string>

#include "cli/compare/comparison.h"
#include "cli/text/page.h"

namespace holdfast::cli {

std::string signed_bytes(std::int64_t bytes);  // 0: "="
std::string signed_count(std::int64_t count);  // 0: "="
// A figure as `which` says: bytes or a count.
std::string figure_text(std::uint64_t value, ClassOrder which);
std::string change_text(std::int64_t value, ClassOrder which);
// The change of a row: "≥+1.2 MB" where only so much is certain.
std::string change_text(const Side& before, const Side& after, ClassOrder which);
// One side of a row: its figure, "-" where there is none, or "≤20.0 KB" where it is not listed.
std::string side_text(const Side& side, ClassOrder which);
Style change_style(std::int64_t change);
std::string_view figure_name(ClassOrder which);  // "retained size", "shallow size", "instances"
std::string_view figure_word(ClassOrder which);  // "retained", "shallow", "instances"

}  // namespace holdfast::cli
