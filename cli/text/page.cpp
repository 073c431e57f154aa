#include "cli/text/page.h"

#include <algorithm>

#include "cli/text/display_text.h"

namespace holdfast::cli {
namespace {

constexpr std::string_view kReset = "\x1b[0m";

std::string_view colour_code(Style style) {
  switch (style) {
    case Style::kBold:
      return "\x1b[1m";
    case Style::kDim:
      return "\x1b[2m";
    case Style::kAlarm:
      return "\x1b[1;31m";
    case Style::kWarning:
      return "\x1b[33m";
    case Style::kAccent:
      return "\x1b[36m";
    case Style::kPlain:
      break;
  }
  return {};
}

// Spans without the spaces at the line's end.
Line trimmed(Line spans) {
  while (!spans.empty()) {
    std::string& last = spans.back().text;
    last.erase(last.find_last_not_of(' ') + 1);
    if (!last.empty()) break;
    spans.pop_back();
  }
  return spans;
}

}  // namespace

void Page::span(std::string_view printable_text, Style style) {
  const std::string_view code = colour_ ? colour_code(style) : std::string_view{};
  text_.append(code).append(printable_text);
  if (!code.empty()) text_.append(kReset);
}

void Page::blank() { text_ += '\n'; }

void Page::line(const Line& spans) {
  for (const Span& part : trimmed(spans)) span(printable(part.text), part.style);
  text_ += '\n';
}

void Page::heading(std::string_view title, std::string_view remark) {
  blank();
  const std::size_t used = display_width(title) + 2;
  const auto lines = wrap_words(printable(remark), columns_ > used + 10 ? columns_ - used : 10);
  line({{std::string(title), Style::kBold},
        {lines.empty() ? "" : "  " + lines.front(), Style::kDim}});
  for (std::size_t i = 1; i < lines.size(); ++i)
    line({{std::string(used, ' ') + lines[i], Style::kDim}});
}

void Page::paragraph(std::string_view text, Style style, std::size_t indent) {
  const std::size_t room = std::max<std::size_t>(columns_ - std::min(columns_, indent), 10);
  for (const std::string& words : wrap_words(printable(text), room)) {
    line({{std::string(indent, ' ')}, {words, style}});
  }
}

void Page::labelled(std::string_view label, std::string_view text, Style style) {
  std::string margin = std::string(kIndent, ' ').append(label);
  margin.resize(std::max(kLabelColumns, margin.size() + 1), ' ');
  const std::size_t room = std::max<std::size_t>(columns_ - std::min(columns_, margin.size()), 10);
  for (const std::string& words : wrap_words(printable(text), room)) {
    line({{margin, Style::kDim}, {words, style}});
    margin.assign(margin.size(), ' ');
  }
}

}  // namespace holdfast::cli
