#include "common/accounts/plain_class_name.h"

namespace holdfast {

namespace {

// How long the type arguments are that `text` begins with.
std::size_t arguments_bytes(std::string_view text) noexcept {
  std::size_t depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '<') ++depth;
    if (text[i] == '>' && --depth == 0) return i + 1;
  }
  return text.size();
}

// "`12": how many type arguments there are.
std::size_t arity_bytes(std::string_view text) noexcept {
  std::size_t bytes = 1;
  while (bytes < text.size() && text[bytes] >= '0' && text[bytes] <= '9') ++bytes;
  return bytes;
}

}  // namespace

PlainClassName::PlainClassName(std::string_view class_name) noexcept {
  while (!class_name.empty()) {
    if (bytes_ == sizeof text_) {
      // Too long for any pattern; where its package ends is not seen any more.
      if (!nested_) package_bytes_ = bytes_;
      has_more_parts_ = true;
      return;
    }
    const std::size_t taken = take(class_name);
    if (taken == 0) break;
    class_name.remove_prefix(taken);
  }
}

std::size_t PlainClassName::take_dot() noexcept {
  if (!nested_) package_bytes_ = bytes_;
  text_[bytes_++] = '.';
  return 1;
}

// "shop.Cart." is what is left of "shop.Cart.<LoadAsync>d__5": its class is shop.Cart, not its package.
void PlainClassName::end_without_dot() noexcept {
  has_more_parts_ = true;
  if (bytes_ == 0) return;
  --bytes_;
  if (package_bytes_ != bytes_) return;
  const std::size_t dot = text().rfind('.');
  package_bytes_ = dot == std::string_view::npos ? 0 : dot;
}

std::size_t PlainClassName::take(std::string_view rest) noexcept {
  switch (rest[0]) {
    case '[':
    case '/':
      return 0;
    case '<':
      if (begins_part()) return end_without_dot(), 0;
      nested_ = true;
      return arguments_bytes(rest);
    case '`':
      return arity_bytes(rest);
    case '+':
      nested_ = true;
      return take_dot();
    case '$':
      if (begins_part()) break;  // "$Proxy7", and the second of "Cart$$Lambda"
      text_[bytes_++] = '.';
      return 1;
    case '.':
      return take_dot();
    default:
      break;
  }
  text_[bytes_++] = rest[0];
  return 1;
}

}  // namespace holdfast
