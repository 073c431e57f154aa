// Ages: how many collections the objects of each class have survived, those first whose old objects take the most.
#include <algorithm>

#include "cli/report/text_sections.h"
#include "cli/text/number_text.h"
#include "cli/text/table.h"

namespace holdfast::cli {
namespace {

constexpr std::size_t kAgedClassesShown = 15;

// Ranges that share a column: a terminal has no room for twenty.
struct AgeColumn {
  std::string title;
  std::vector<std::size_t> ranges;
};

// The least age of each column of collections.
constexpr std::uint64_t kColumnBegins[] = {0, 1, 4, 16, 256};

std::string column_title(std::uint64_t from, std::uint64_t to) {
  if (to == UINT64_MAX) return thousands(from) + "+";
  return from == to ? thousands(from) : thousands(from) + "-" + thousands(to);
}

std::vector<AgeColumn> columns_of(const AgesView& ages) {
  std::vector<AgeColumn> columns;
  for (std::size_t c = 0; c < std::size(kColumnBegins); ++c) {
    const bool last = c + 1 == std::size(kColumnBegins);
    const std::uint64_t from = kColumnBegins[c];
    const std::uint64_t to = last ? UINT64_MAX : kColumnBegins[c + 1] - 1;
    AgeColumn column{column_title(from, to), {}};
    for (std::size_t i = 0; i < ages.ranges.size(); ++i)
      if (ages.ranges[i].kind == AgeRangeKind::kCollections && ages.ranges[i].from >= from &&
          ages.ranges[i].from <= to)
        column.ranges.push_back(i);
    if (!column.ranges.empty()) columns.push_back(std::move(column));
  }
  for (std::size_t i = 0; i < ages.ranges.size(); ++i)
    if (ages.ranges[i].kind != AgeRangeKind::kCollections)
      columns.push_back({ages.ranges[i].text(), {i}});
  return columns;
}

class AgeTable {
 public:
  explicit AgeTable(const AgesView& ages)
      : ages_(ages), columns_(columns_of(ages)), table_(headers(columns_)) {}

  void row(const AgeClassView& row, std::string name, Style style = Style::kPlain) {
    const AgeSums sums = ages_.sums(row);
    std::vector<Span> cells{{human_bytes(sums.old_bytes), style}, {thousands(sums.objects), style}};
    for (const AgeColumn& column : columns_) {
      std::uint64_t objects = 0;
      for (const std::size_t range : column.ranges) objects += row.objects[range];
      cells.push_back({objects == 0 ? "-" : thousands(objects), style});
    }
    cells.push_back({row.distinct_ages == 0 ? "-" : thousands(row.distinct_ages), style});
    cells.push_back({std::move(name), style});
    table_.row(std::move(cells));
  }
  void write(Page& page) const { table_.write(page); }

 private:
  static std::vector<Column> headers(const std::vector<AgeColumn>& columns) {
    std::vector<Column> made{{"old"}, {"objects"}};
    for (const AgeColumn& column : columns)
      made.push_back({column.title, ColumnKind::kNumber, 0, true});
    made.push_back({"ages"});
    made.push_back({"class", ColumnKind::kName, 20});
    return made;
  }

  const AgesView& ages_;
  std::vector<AgeColumn> columns_;
  Table table_;
};

std::string meaning(const AgesView& ages) {
  std::string text =
      "Objects by the collections that they have survived. Old: bytes of those that survived 8 or "
      "more, or are tenured. Ages: in how many different ages they stand.";
  if (std::string_view(ages.source) == "header")
    text += " Tenured: the VM keeps no age of what it has moved to its old generation.";
  return text;
}

}  // namespace

void write_ages(const TextContext& context) {
  if (!context.view.ages || !context.view.ages->told()) return;
  const AgesView& ages = *context.view.ages;
  if (context.filtered() && ages.classes.empty()) return;
  const AgeSums all = ages.sums(ages.total);
  context.page.heading("AGES", human_bytes(all.old_bytes) + " of " + human_bytes(all.bytes) + " (" +
                                   percent(all.old_bytes, all.bytes) + ") are old");
  const std::size_t shown = std::min({ages.classes.size(), context.options.top, kAgedClassesShown});
  AgeTable table(ages);
  AgeClassView rest = ages.rest_of_classes;
  for (std::size_t i = 0; i < ages.classes.size(); ++i) {
    if (i < shown)
      table.row(ages.classes[i], std::string(ages.classes[i].class_name));
    else
      add_to_rest(rest, ages.classes[i]);
  }
  if (ages.sums(rest).objects > 0)
    table.row(rest, thousands(ages.classes_total - shown) + " other classes", Style::kDim);
  table.write(context.page);
  context.page.blank();
  context.page.paragraph(meaning(ages), Style::kDim, Page::kIndent);
}

}  // namespace holdfast::cli
