// The memory accounts of a watch as lines of a frame.
// Shape:  a blank line, the headers, at most `rows` rows; nothing where accounting is off. Where there was no room, a line that says so.
// Zone:   offline.   Errors: none.
#pragma once

#include <cstddef>

#include "cli/talk/account_watch.h"
#include "cli/text/page.h"

namespace holdfast::cli {

inline constexpr std::size_t kAccountsShown = 5;

// How many lines write_watched_accounts() writes.
std::size_t watched_account_lines(const AccountWatch& watch, std::size_t rows);
// `changes`: against the sample before; else what was allocated since accounting began.
void write_watched_accounts(const AccountWatch& watch, std::size_t rows, bool changes, Page& page);

}  // namespace holdfast::cli
