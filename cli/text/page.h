// A page of text for a terminal: everything that is shown goes through here.
// Why: text is made printable and coloured in this one place, so no section can forget to, and no name can inject anything.
// Shape:  lines of styled spans; the page is one string that is written at the end.
// Zone:   offline.   Errors: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::cli {

enum class Style : std::uint8_t { kPlain, kBold, kDim, kAlarm, kWarning, kAccent };

struct Span {
  std::string text;
  Style style = Style::kPlain;
};
using Line = std::vector<Span>;

class Page {
 public:
  static constexpr std::size_t kLabelColumns = 12;  // labels in the left margin, indent included
  static constexpr std::size_t kIndent = 2;

  Page(std::size_t columns, bool colour) : columns_(columns), colour_(colour) {}

  void blank();
  void line(const Line& spans);  // trailing spaces go
  // A blank line, then "TITLE  what it shows".
  void heading(std::string_view title, std::string_view remark);
  void paragraph(std::string_view text, Style style, std::size_t indent = 0);
  // "  label     text, wrapped under itself"; an empty label continues the one before.
  void labelled(std::string_view label, std::string_view text, Style style = Style::kPlain);

  std::size_t columns() const { return columns_; }
  const std::string& text() const { return text_; }

 private:
  void span(std::string_view printable_text, Style style);
  std::size_t columns_;
  bool colour_;
  std::string text_;
};

}  // namespace holdfast::cli
