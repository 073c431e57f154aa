// A table in columns: numbers to the right, names shortened in the middle, and never wider than the page.
// Shape:  natural widths first; where they do not fit, name columns shrink to their least width, then optional columns go, the
//         last first, then name columns shrink to kHardLeastColumns. O(rows x columns). Cells are made printable when they are added.
// Zone:   offline.   Errors: none.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/text/page.h"

namespace holdfast::cli {

enum class ColumnKind : std::uint8_t {
  kNumber,
  kName,
  kText
};  // numbers stand right, names shrink at their parts

struct Column {
  std::string header;
  ColumnKind kind = ColumnKind::kNumber;
  std::size_t least_columns = 0;  // names and texts: shrink no further
  bool optional = false;
};

class Table {
 public:
  static constexpr std::size_t kGap = 2;
  static constexpr std::size_t kHardLeastColumns = 8;

  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  void row(std::vector<Span> cells);  // as many as there are columns
  bool empty() const { return rows_.empty(); }
  void write(Page& page, std::size_t indent = Page::kIndent) const;

 private:
  using Widths = std::vector<std::size_t>;  // 0: the column is left out
  Widths natural_widths() const;
  Widths fitted_widths(std::size_t room) const;
  std::size_t least_columns(std::size_t column, bool hard) const;
  bool shrink(Widths& widths, std::size_t room, bool hard) const;
  Line laid_out(const std::vector<Span>& cells, const Widths& widths, std::size_t indent) const;
  std::vector<Column> columns_;
  std::vector<std::vector<Span>> rows_;
};

}  // namespace holdfast::cli
