// A name in the making: UTF-8 in a fixed buffer, from UTF-8 or from what metadata has, UTF-16.
// Why fixed: names are read inside the application's process, where nothing may grow; metadata may hold any number of units.
// Shape:  kMaxBytes, twice what a string table keeps. What does not fit is left out and the name ends with "…"; a code point is
//         kept whole. A surrogate without its partner becomes U+FFFD.
// Zone:   any but stopped.   Errors: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace holdfast::clr {

class NameText {
 public:
  static constexpr std::size_t kMaxBytes = 8192;

  void clear() noexcept;
  // UTF-8, of which a name that is cut keeps whole code points.
  void append(std::string_view text) noexcept;
  void append(std::u16string_view text) noexcept;
  void append_hex(std::uint32_t number) noexcept;  // "0x02000017"
  std::string_view view() const noexcept { return {text_, bytes_}; }
  bool is_cut() const noexcept { return cut_; }  // further text is left out, too

 private:
  void cut() noexcept;

  char text_[kMaxBytes];
  std::size_t bytes_ = 0;
  bool cut_ = false;
};

}  // namespace holdfast::clr
