// Where patterns come from, one after the other: the value of `accounts=` itself, or the lines of a file that it names.
// Shape:  the text is read or copied into the arena, and pieces point into it. next() answers what is left of a line
//         without white space at its ends and without its comment; a piece of the option may be empty, a line of a file is not.
// Zone:   load.   Errors: open(): an errno value and "cannot be read", or what is wrong with the file, in `error`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "common/accounts/account_patterns.h"

namespace holdfast {

class AccountPatterns::Source {
 public:
  Result<void> open(std::string_view value, Arena& arena, PatternError& error) noexcept;
  bool next(std::string_view& piece) noexcept;
  // So many pieces at most.
  std::uint32_t most_patterns() const noexcept;
  std::size_t text_bytes() const noexcept { return text_.size(); }

  // "accounts=VALUE: why", with the line of the file that next() answered last.
  Error refuse(PatternError& error, std::string_view piece, const char* why) const noexcept;
  Error refuse_all(PatternError& error, const char* why) const noexcept;

 private:
  Result<void> read(Arena& arena, PatternError& error) noexcept;
  std::string_view take_piece() noexcept;

  std::string_view value_;
  std::string_view text_;
  std::string_view rest_;
  std::uint32_t line_ = 0;
  bool is_file_ = false;
  bool at_end_ = false;
};

}  // namespace holdfast
