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
};

enum class ColourChoice : unsigned char { kAuto, kAlways, kNever };

inline constexpr std::size_t kDefaultColumns = 80;
inline constexpr std::size_t kLeastColumns = 40;
inline constexpr std::size_t kMostColumns = 500;

// --width, else COLUMNS, else the terminal's, else 80; the last three within the limits above.
std::size_t choose_columns(std::size_t asked, const Surroundings& surroundings);
bool choose_colour(ColourChoice asked, const Surroundings& surroundings);

}  // namespace holdfast::cli
