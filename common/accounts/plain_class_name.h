// A class's name as patterns see it: without type arguments and arity, nested classes behind a '.', and where its package ends.
// Why one form: "shop.Cart$Line" (Java), "Shop.Cart+Line", "Shop.Cart<int>.Line" and "Shop.Cart`1+Line" (CLR) are written differently,
//         and none of a pattern's authors shall have to know which of them the VM speaks.
// Shape:  "shop.Cart.Line", package_bytes 4; at most kMaxPatternBytes + 1 bytes, because no pattern is longer than that. Dropped are
//         <...> (and what follows where a part begins with it: closures, state machines), `N, [] and the address of a hidden class.
//         A '.' parts packages, until a '+' or a '>' has begun a nested class.
// Zone:   any.   Errors: none.
#pragma once

#include <cstddef>
#include <string_view>

namespace holdfast {

inline constexpr std::size_t kMaxPatternBytes = 255;

class PlainClassName {
 public:
  explicit PlainClassName(std::string_view class_name) noexcept;

  std::string_view text() const noexcept { return {text_, bytes_}; }
  std::size_t package_bytes() const noexcept { return package_bytes_; }
  // Parts behind text() were dropped: it names an outer class, or a package.
  bool has_more_parts() const noexcept { return has_more_parts_; }

 private:
  // Answers how many bytes of `rest` are dealt with; 0: the name ends here.
  std::size_t take(std::string_view rest) noexcept;
  std::size_t take_dot() noexcept;
  bool begins_part() const noexcept { return bytes_ == 0 || text_[bytes_ - 1] == '.'; }
  void end_without_dot() noexcept;

  char text_[kMaxPatternBytes + 1];
  std::size_t bytes_ = 0;
  std::size_t package_bytes_ = 0;
  bool nested_ = false;
  bool has_more_parts_ = false;
};

}  // namespace holdfast
