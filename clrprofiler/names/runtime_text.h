// A buffer that the runtime writes UTF-16 into, and says how long the text really was.
// Why a type: every such call counts the terminating zero, answers the full length of a text that it cut, and leaves the buffer
//             as it was on an error; each of it once here instead of at every call.
// Shape:  kUnits UTF-16 units on the stack, the zero included; a text that did not fit gets "…".
// Zone:   any but stopped.   Errors: none.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "clrprofiler/com.h"
#include "clrprofiler/names/name_text.h"

namespace holdfast::clr {

template <std::size_t kUnits>
class RuntimeText {
 public:
  char16_t* data() noexcept { return units_; }
  static constexpr ULONG size() noexcept { return static_cast<ULONG>(kUnits); }
  ULONG* out_count() noexcept { return &count_; }

  std::u16string_view view() const noexcept {
    const std::size_t told = std::min<std::size_t>(count_, kUnits);
    return {units_, static_cast<std::size_t>(std::find(units_, units_ + told, u'\0') - units_)};
  }
  void append_to(NameText& out) const noexcept {
    out.append(view());
    if (count_ > kUnits) out.append(std::u16string_view(u"\u2026"));
  }

 private:
  char16_t units_[kUnits];
  ULONG count_ = 0;
};

}  // namespace holdfast::clr
