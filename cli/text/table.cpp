#include "cli/text/table.h"

#include <algorithm>

#include "cli/text/class_name.h"
#include "cli/text/display_text.h"

namespace holdfast::cli {
namespace {

std::size_t total_width(const std::vector<std::size_t>& widths) {
  std::size_t total = 0;
  for (const std::size_t width : widths) {
    if (width > 0) total += width + (total > 0 ? Table::kGap : 0);
  }
  return total;
}

// Of a name in a tree the indentation stays, as long as it leaves room for a name.
std::string fitted(const std::string& text, ColumnKind kind, std::size_t width) {
  if (kind != ColumnKind::kName) return shorten_middle(text, width);
  const std::size_t indent = std::min(text.find_first_not_of(' '), text.size());
  if (indent + Table::kHardLeastColumns > width) return shorten_name(text, width);
  return std::string(indent, ' ') + shorten_name(text.substr(indent), width - indent);
}

}  // namespace

void Table::row(std::vector<Span> cells) {
  cells.resize(columns_.size());
  for (Span& cell : cells) cell.text = printable(cell.text);
  rows_.push_back(std::move(cells));
}

Table::Widths Table::natural_widths() const {
  Widths widths;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    std::size_t width = std::max<std::size_t>(display_width(columns_[c].header), 1);
    for (const auto& cells : rows_) width = std::max(width, display_width(cells[c].text));
    widths.push_back(width);
  }
  return widths;
}

std::size_t Table::least_columns(std::size_t column, bool hard) const {
  const std::size_t least = columns_[column].least_columns;
  return hard ? std::min(least, kHardLeastColumns) : least;
}

// Takes what is too much from the widest column that may shrink, again and again. True: it fits now.
bool Table::shrink(Widths& widths, std::size_t room, bool hard) const {
  while (total_width(widths) > room) {
    std::size_t widest = columns_.size();
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const bool may_shrink =
          columns_[c].kind != ColumnKind::kNumber && widths[c] > least_columns(c, hard);
      if (may_shrink && (widest == columns_.size() || widths[c] > widths[widest])) widest = c;
    }
    if (widest == columns_.size()) return false;
    const std::size_t excess = total_width(widths) - room;
    const std::size_t least =
        std::max<std::size_t>(least_columns(widest, hard), widths[widest] / 2);
    widths[widest] -= std::min(excess, std::max<std::size_t>(widths[widest] - least, 1));
  }
  return true;
}

Table::Widths Table::fitted_widths(std::size_t room) const {
  Widths natural = natural_widths();
  for (std::size_t c = columns_.size(); true; --c) {
    Widths widths = natural;
    if (shrink(widths, room, false)) return widths;
    while (c > 0 && !columns_[c - 1].optional) --c;
    if (c == 0) {
      shrink(widths, room, true);
      return widths;
    }
    natural[c - 1] = 0;
  }
}

Line Table::laid_out(const std::vector<Span>& cells, const Widths& widths,
                     std::size_t indent) const {
  Line line{{std::string(indent, ' ')}};
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    if (widths[c] == 0) continue;
    const ColumnKind kind = columns_[c].kind;
    const std::string text =
        kind == ColumnKind::kNumber ? cells[c].text : fitted(cells[c].text, kind, widths[c]);
    const std::string padding(widths[c] - std::min(widths[c], display_width(text)), ' ');
    if (line.size() > 1) line.push_back({std::string(kGap, ' ')});
    if (kind == ColumnKind::kNumber) line.push_back({padding});
    line.push_back({text, cells[c].style});
    if (kind != ColumnKind::kNumber) line.push_back({padding});
  }
  return line;
}

void Table::write(Page& page, std::size_t indent) const {
  const Widths widths = fitted_widths(page.columns() - std::min(page.columns(), indent));
  std::vector<Span> header;
  for (const Column& column : columns_) header.push_back({column.header, Style::kDim});
  page.line(laid_out(header, widths, indent));
  for (const auto& cells : rows_) page.line(laid_out(cells, widths, indent));
}

}  // namespace holdfast::cli
