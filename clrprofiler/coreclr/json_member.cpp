#include "clrprofiler/coreclr/json_member.h"

#include <algorithm>
#include <charconv>

namespace holdfast::clr {

namespace {

constexpr std::string_view kBlanks = " \t\r\n";

class Scanner {
 public:
  explicit Scanner(std::string_view text) noexcept : text_(text) { skip_blanks(); }

  // What is next, or 0 at the end.
  char next() const noexcept { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool take(char c) noexcept {
    if (next() != c) return false;
    ++at_;
    skip_blanks();
    return true;
  }
  // With its quotation marks; empty: there is none.
  std::string_view string() noexcept {
    const std::size_t from = at_;
    if (next() != '"') return {};
    for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_)
      if (text_[at_] == '\\') ++at_;
    if (at_ >= text_.size()) return {};
    ++at_;
    const std::string_view taken = text_.substr(from, at_ - from);
    skip_blanks();
    return taken;
  }
  std::string_view value() noexcept {
    if (next() != '{' && next() != '[') return simple_value();
    const std::size_t from = at_;
    const std::string_view taken = text_.substr(from, end_of_nested() - from);
    skip_blanks();
    return taken;
  }

 private:
  void skip_blanks() noexcept {
    at_ = std::min(text_.find_first_not_of(kBlanks, at_), text_.size());
  }
  // 0x1f, -1.5e3, true.
  std::size_t end_of_word() noexcept {
    return at_ = std::min(text_.find_first_of(",]} \t\r\n", at_), text_.size());
  }
  // Before any blanks behind it; where it began when it is not whole.
  std::size_t end_of_nested() noexcept {
    const std::size_t from = at_;
    char closes[kMostJsonDepth];  // of what is open, from the outside in
    int depth = 0;
    for (;;) {
      if (next() == '{' || next() == '[') {
        if (depth == kMostJsonDepth) return at_ = from;
        closes[depth++] = next() == '{' ? '}' : ']';
        ++at_;
        skip_blanks();
        if (next() != closes[depth - 1]) {
          if (!begin_member(closes[depth - 1])) return at_ = from;
          continue;
        }
      } else if (simple_value().empty()) {
        return at_ = from;
      }
      while (next() == closes[depth - 1]) {
        ++at_;
        if (--depth == 0) return at_;
        skip_blanks();
      }
      if (!take(',') || !begin_member(closes[depth - 1])) return at_ = from;
    }
  }
  // What stands before a value inside of what `close` ends: in an object its name.
  bool begin_member(char close) noexcept {
    return close != '}' || (!string().empty() && take(':'));
  }
  std::string_view simple_value() noexcept {
    if (next() == '"') return string();
    const std::size_t from = at_;
    const std::string_view taken = text_.substr(from, end_of_word() - from);
    skip_blanks();
    return taken;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

std::string_view json_member(std::string_view object, std::string_view name) noexcept {
  Scanner scanner(object);
  if (!scanner.take('{')) return {};
  do {
    const std::string_view quoted = scanner.string();
    if (quoted.empty() || !scanner.take(':')) return {};
    const std::string_view value = scanner.value();
    if (value.empty()) return {};
    if (quoted.substr(1, quoted.size() - 2) == name) return value;
  } while (scanner.take(','));
  return {};
}

std::string_view json_first(std::string_view array) noexcept {
  Scanner scanner(array);
  return scanner.take('[') && scanner.next() != ']' ? scanner.value() : std::string_view{};
}

std::optional<std::uint64_t> json_number(std::string_view value) noexcept {
  constexpr std::string_view kHexadecimal = "0x";
  if (value.size() >= 2 && value.front() == '"') value = value.substr(1, value.size() - 2);
  const bool hexadecimal = value.starts_with(kHexadecimal);
  if (hexadecimal) value.remove_prefix(kHexadecimal.size());
  std::uint64_t number = 0;
  const char* const end = value.data() + value.size();
  const auto [at, error] = std::from_chars(value.data(), end, number, hexadecimal ? 16 : 10);
  if (error != std::errc{} || at != end) return std::nullopt;
  return number;
}

}  // namespace holdfast::clr
