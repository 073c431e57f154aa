// What somebody wrote, fit for one line of ours: cut, and without what could break the line or speak to a terminal.
// Shape:  at most kMaxShown bytes, then "..."; whole code points; what is no UTF-8 and control characters become '?'.
// Zone:   load, offline.   Errors: none.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string_view>

#include "common/utf8.h"

namespace holdfast {

struct ShownText {
  static constexpr std::size_t kMaxShown = 100;
  char text[kMaxShown + 4];

  explicit ShownText(std::string_view from) noexcept {
    std::size_t used = 0;
    while (!from.empty()) {
      const std::size_t step = utf8_step(from);
      const bool plain = step > 1 || (step == 1 && from[0] >= ' ' && from[0] != 0x7F);
      const std::string_view piece = plain ? from.substr(0, step) : std::string_view("?");
      if (used + piece.size() > kMaxShown) break;
      std::memcpy(text + used, piece.data(), piece.size());
      used += piece.size();
      from.remove_prefix(std::max<std::size_t>(step, 1));
    }
    std::memcpy(text + used, from.empty() ? "" : "...", from.empty() ? 1 : 4);
  }
};

}  // namespace holdfast
