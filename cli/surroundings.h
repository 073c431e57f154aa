// What a command is given by its caller: where to write, and what kind of terminal that is.
// Why a value: commands are tested without a process; only main.cpp asks the operating system.
// Shape:  plain values.   Zone: offline.   Errors: none.
#pragma once

#include <cstddef>
#include <ostream>
#include <string>

namespace holdfast::cli {

struct Surroundings {
  std::ostream& out;
  std::ostream& err;
  bool out_is_terminal = false;
  bool err_is_terminal = false;
  std::size_t terminal_columns = 0;   // 0: unknown
  std::string columns_variable = {};  // COLUMNS
  bool no_color = false;              // NO_COLOR is set and not empty
  bool dumb_terminal = false;         // TERM=dumb
  bool utf8 = true;                   // the locale has block characters
};

enum class ColourChoice : unsigned char { kAuto, kAlways, kNever };

inline constexpr std::size_t kDefaultColumns = 80;
inline constexpr std::size_t kLeastColumns = 40;
inline constexpr std::size_t kMostColumns = 500;

// --width, else COLUMNS, else the terminal's, else 80; the last three within the limits above.
std::size_t choose_columns(std::size_t asked, const Surroundings& surroundings);
// Of the first that is set of LC_ALL, LC_CTYPE and LANG; where none is, most terminals understand UTF-8 all the same.
bool locale_is_utf8(const std::string& lc_all, const std::string& lc_ctype,
                    const std::string& lang);
bool choose_colour(ColourChoice asked, const Surroundings& surroundings);

}  // namespace holdfast::cli
