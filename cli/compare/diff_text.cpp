#include "cli/compare/diff_text.h"

#include <algorithm>

#include "cli/compare/change_text.h"
#include "cli/compare/state_changes.h"
#include "cli/compare/tree_text.h"
#include "cli/text/number_text.h"
#include "cli/text/page.h"
#include "cli/text/table.h"

namespace holdfast::cli {
namespace {

constexpr std::size_t kLeastDiffColumns = 24;  // before other columns go
constexpr std::size_t kLeastLoaderColumns = 6;

std::size_t name_columns(const Page& page) { return std::max<std::size_t>(page.columns() / 2, 20); }

std::string report_line(const ReportFacts& facts) {
  std::string text = facts.file + " · ";
  if (!facts.main_name.empty()) text += facts.main_name + " · ";
  text += facts.place() + " · " + utc_for_people(facts.dumped_utc_ms);
  text += facts.extended ? " · extended" : " · simple";
  return text + " dump (" + facts.trigger + ')';
}

std::string total_text(std::uint64_t before, std::uint64_t after, ClassOrder which) {
  const auto change = static_cast<std::int64_t>(after - before);
  std::string text = figure_text(before, which) + " → " + figure_text(after, which) + " (" +
                     change_text(change, which);
  if (change != 0 && before != 0)
    text += std::string(", ") + (change < 0 ? "-" : "+") +
            percent(change < 0 ? before - after : after - before, before);
  return text + ')';
}

void write_totals(const Diff& diff, Page& page) {
  const Comparison& all = diff.comparison;
  page.labelled(
      "heap", total_text(all.before.shallow_bytes, all.after.shallow_bytes, ClassOrder::kShallow) +
                  " in " +
                  total_text(all.before.instances, all.after.instances, ClassOrder::kInstances) +
                  " objects" +
                  (diff.before.counted == diff.after.counted
                       ? "; " + std::string(phrase(diff.after.counted))
                       : ""));
}

void write_head(const Diff& diff, Page& page) {
  const bool grown = diff_verdict(diff, kLeastDiffColumns).find(" grew most") != std::string::npos;
  page.paragraph(diff_verdict(diff, name_columns(page)), grown ? Style::kAlarm : Style::kBold);
  page.paragraph(diff_meaning(diff), Style::kDim);
  page.blank();
  page.labelled("before", report_line(diff.before));
  page.labelled("after", report_line(diff.after));
  write_totals(diff, page);
  for (const CompareWarning& warning : diff.warnings)
    page.labelled("warning", warning.text, Style::kWarning);
}

struct TableWords {
  std::string_view title;
  const char* header;
  std::string_view one, several;  // what a row is
  std::string_view no_name;
};
constexpr TableWords kClassWords = {"CLASSES", "class", "class", "classes",
                                    "(objects of unknown class)"};
constexpr TableWords kPackageWords = {"PACKAGES", "package", "package", "packages",
                                      "(none: arrays, default package)"};
constexpr TableWords kLoaderWords = {"CLASS LOADERS", "class loader", "loader", "loaders",
                                     "(not known)"};

// The columns of one list's table: the figure that it is sorted by in full, of the others the change.
class ChangeTable {
 public:
  ChangeTable(ClassOrder order, bool loaders, const TableWords& words)
      : order_(order), loaders_(loaders), words_(words), table_(columns()) {}

  void row(const RowChange& row) {
    const std::int64_t certain = certain_change(row.before, row.after, order_);
    std::vector<Span> cells{{name_of(row), row.platform ? Style::kPlain : Style::kBold},
                            {row.fresh() ? "new" : side_text(row.before, order_)},
                            {row.gone() ? "gone" : side_text(row.after, order_)},
                            {change_text(row.before, row.after, order_), change_style(certain)}};
    for (const ClassOrder other : others())
      cells.push_back({change_text(row.before, row.after, other)});
    if (loaders_) cells.push_back({std::string(row.loader), Style::kDim});
    table_.row(std::move(cells));
  }
  // Retained sizes of several sets share bytes, so their sum would mislead.
  void rest(const RestSide& before, const RestSide& after) {
    const std::uint64_t count = std::max(before.count, after.count);
    if (count == 0) return;
    const Side one{Presence::kListed, before.figures, {}, 0};
    const Side two{Presence::kListed, after.figures, {}, 0};
    const bool summed = order_ != ClassOrder::kRetained;
    std::vector<Span> cells{
        {counted(count, "other " + std::string(words_.one), "other " + std::string(words_.several)),
         Style::kDim},
        {summed ? side_text(one, order_) : "", Style::kDim},
        {summed ? side_text(two, order_) : "", Style::kDim},
        {summed ? change_text(one, two, order_) : "", Style::kDim}};
    for (const ClassOrder other : others())
      cells.push_back({change_text(one, two, other), Style::kDim});
    table_.row(std::move(cells));
  }
  void write(Page& page) const { table_.write(page); }

 private:
  std::vector<ClassOrder> others() const {
    if (order_ == ClassOrder::kRetained) return {ClassOrder::kInstances, ClassOrder::kShallow};
    if (order_ == ClassOrder::kShallow) return {ClassOrder::kInstances};
    return {ClassOrder::kShallow};
  }
  std::vector<Column> columns() const {
    std::vector<Column> columns{{words_.header, ColumnKind::kName, kLeastDiffColumns},
                                {"before", ColumnKind::kNumber, 0, true},
                                {"after"},
                                {"change"}};
    for (const ClassOrder other : others())
      columns.push_back(
          {std::string(figure_word(other)), ColumnKind::kNumber, 0, others().size() > 1});
    if (loaders_) columns.push_back({"loader", ColumnKind::kName, kLeastLoaderColumns, true});
    return columns;
  }
  // A class that loaders of one name have defined several times.
  std::string name_of(const RowChange& row) const {
    std::string name(row.name.empty() ? words_.no_name : row.name);
    const std::uint32_t most = std::max(row.before.definitions, row.after.definitions);
    if (most < 2) return name;
    return name + " (" + thousands(row.before.definitions) + " → " +
           thousands(row.after.definitions) + " times)";
  }

  ClassOrder order_;
  bool loaders_;
  const TableWords& words_;
  Table table_;
};

std::string list_remark(const ChangeSelection& selection, std::size_t shown, ClassOrder order,
                        std::string_view more) {
  std::string text = "by change of " + std::string(figure_name(order)) + " · " + thousands(shown) +
                     " of " + thousands(selection.changed) + " that changed";
  if (selection.unchanged > 0) text += ", " + thousands(selection.unchanged) + " did not";
  return text.append(more);
}

void write_list(const ListChange& list, ClassOrder order, const NameFilter& filter, std::size_t top,
                const TableWords& words, std::string_view more, Page& page) {
  if (list.rows.empty()) return;
  // First how many changed, then so many of them at most: a row without a change says nothing.
  const std::size_t changes = select_changes(list, order, 0, filter).changed;
  const std::size_t shown = std::min(top, changes);
  const ChangeSelection selection = select_changes(list, order, shown, filter);
  page.heading(words.title, list_remark(selection, shown, order, more));
  if (shown == 0) return page.paragraph("no change", Style::kDim, Page::kIndent);
  ChangeTable table(order, &words == &kClassWords, words);
  for (const RowChange* row : selection.rows) table.row(*row);
  table.rest(selection.before, selection.after);
  table.write(page);
}

bool wanted(const DiffTextOptions& options, std::string_view section) {
  return options.sections.empty() ||
         std::ranges::find(options.sections, section) != options.sections.end();
}

void write_unlisted_remark(const Diff& diff, const ChangeSelection& shown, Page& page) {
  const bool any = std::ranges::any_of(shown.rows, [](const RowChange* row) {
    return row->before.presence == Presence::kUnlisted ||
           row->after.presence == Presence::kUnlisted;
  });
  if (!any) return;
  const std::uint64_t left_out =
      std::max(diff.comparison.classes.before.count, diff.comparison.classes.after.count);
  page.paragraph("≤ is not listed: a report lists its largest classes and sums up the others (" +
                     thousands(left_out) +
                     " here); one of those is not gone, but at most so large.",
                 Style::kDim, Page::kIndent);
}

}  // namespace

std::string diff_text(const Diff& diff, const DiffTextOptions& options) {
  Page page(options.columns, options.colour);
  const Comparison& all = diff.comparison;
  write_head(diff, page);
  if (wanted(options, "classes")) {
    write_list(all.classes, diff.order, diff.filter, options.top, kClassWords, "", page);
    write_unlisted_remark(diff, select_changes(all.classes, diff.order, options.top, diff.filter),
                          page);
  }
  if (wanted(options, "states")) write_state_changes(diff.before, diff.after, page);
  if (wanted(options, "tree")) write_tree_changes(all.tree, options.top, page);
  if (wanted(options, "objects")) write_object_changes(diff.objects, options.top, page);
  if (wanted(options, "packages"))
    write_list(all.packages, packages_order(diff), {}, options.top, kPackageWords,
               all.packages_summed ? " · sums of the classes listed" : "", page);
  if (wanted(options, "loaders"))
    write_list(all.loaders, diff.order, {}, options.top, kLoaderWords, "", page);
  if (wanted(options, "accounts")) write_account_changes(diff.accounts, options.top, page);
  return page.text();
}

}  // namespace holdfast::cli
