// The tables of classes, packages and class loaders.
#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cli/report/text_sections.h"
#include "cli/text/class_name.h"
#include "cli/text/display_text.h"
#include "cli/text/number_text.h"
#include "cli/text/table.h"

namespace holdfast::cli {
namespace {

constexpr std::size_t kLeastNameColumns = 36;  // before other columns go
constexpr std::size_t kLeastLoaderColumns = 10;
constexpr std::size_t kRepeatedShown = 3;

std::uint64_t ordered_bytes(const ClassView& row, ClassOrder order) {
  return order == ClassOrder::kRetained ? row.retained_bytes : row.shallow_bytes;
}

std::string remark(const ClassSelection& selection, const ReportView& view, ClassOrder order) {
  const std::string rows =
      thousands(selection.rows.size()) + " of " + thousands(view.classes_total);
  switch (order) {
    case ClassOrder::kRetained:
      return "by retained size: what would go with all instances · " + rows;
    case ClassOrder::kShallow:
      return "by shallow size: what the instances take · " + rows;
    case ClassOrder::kInstances:
      break;
  }
  return "by instances · " + rows;
}

class ClassTable {
 public:
  ClassTable(const ReportView& view, ClassOrder order)
      : view_(view), order_(order), graph_(view.has_retained()), table_(columns()) {}

  void row(const ClassView& row) {
    std::vector<Span> cells{{std::string(row.name), row.platform ? Style::kPlain : Style::kBold},
                            {thousands(row.instances)},
                            {human_bytes(row.shallow_bytes)}};
    if (graph_) cells.push_back({human_bytes(row.retained_bytes)});
    cells.push_back({percent(ordered_bytes(row, order_), view_.whole_bytes())});
    if (graph_) cells.push_back({human_bytes(row.largest_retained_bytes)});
    cells.push_back({std::string(row.loader), Style::kDim});
    table_.row(std::move(cells));
  }
  // Without retained sizes: those of different classes share bytes, so their sum would mislead.
  void rest(const ClassView& row, std::uint64_t count) {
    if (count == 0) return;
    table_.row({{counted(count, "more class", "more classes"), Style::kDim},
                {thousands(row.instances), Style::kDim},
                {human_bytes(row.shallow_bytes), Style::kDim}});
  }
  void write(Page& page) const { table_.write(page); }

 private:
  std::vector<Column> columns() const {
    const bool by_retained = order_ == ClassOrder::kRetained;
    std::vector<Column> columns{{"class", ColumnKind::kName, kLeastNameColumns}, {"instances"}};
    columns.push_back({"shallow", ColumnKind::kNumber, 0, by_retained});
    if (graph_) columns.push_back({"retained", ColumnKind::kNumber, 0, !by_retained});
    columns.push_back({"share"});
    if (graph_) columns.push_back({"largest one", ColumnKind::kNumber, 0, true});
    columns.push_back({"loader", ColumnKind::kName, kLeastLoaderColumns, true});
    return columns;
  }
  const ReportView& view_;
  ClassOrder order_;
  bool graph_;
  Table table_;
};

void write_class_table(const TextContext& context, ClassOrder order) {
  const ClassSelection selection = select_classes(context.view, order, context.options.top);
  ClassTable table(context.view, order);
  for (const ClassView* row : selection.rows) table.row(*row);
  table.rest(selection.rest, selection.rest_count);
  context.page.heading("CLASSES", remark(selection, context.view, order));
  table.write(context.page);
}

std::string_view set_remark(const ReportView& view) {
  return view.has_retained() ? "by retained size: what would go with all their instances"
                             : "by shallow size";
}

void write_set_table(const TextContext& context, const SetSelection& selection,
                     const char* header) {
  const bool graph = context.view.has_retained();
  std::vector<Column> columns{{header, ColumnKind::kName, kLeastNameColumns},
                              {"classes", ColumnKind::kNumber, 0, true},
                              {"instances"},
                              {"shallow", ColumnKind::kNumber, 0, graph}};
  if (graph) columns.insert(columns.end(), {{"retained"}, {"share"}});
  Table table(std::move(columns));
  for (const SetView* row : selection.rows) {
    std::vector<Span> cells{
        {row->name.empty() ? "(none: arrays, default package)" : std::string(row->name)},
        {thousands(row->class_count)},
        {thousands(row->instances)},
        {human_bytes(row->shallow_bytes)}};
    if (graph) cells.push_back({human_bytes(row->retained_bytes)});
    if (graph) cells.push_back({percent(row->retained_bytes, context.view.whole_bytes())});
    table.row(std::move(cells));
  }
  if (selection.rest_count > 0) {
    table.row({{thousands(selection.rest_count) + " more", Style::kDim},
               {thousands(selection.rest.class_count), Style::kDim},
               {thousands(selection.rest.instances), Style::kDim},
               {human_bytes(selection.rest.shallow_bytes), Style::kDim}});
  }
  table.write(context.page);
}

// What plug-ins and redeployed applications leave behind: classes of one name, each of another class loader.
void write_repeated_classes(const TextContext& context) {
  std::map<std::string_view, std::size_t> times;
  for (const ClassView& row : context.view.classes) ++times[row.name];
  std::vector<std::pair<std::string_view, std::size_t>> repeated;
  std::ranges::copy_if(times, std::back_inserter(repeated),
                       [](const auto& one) { return one.second > 1; });
  if (repeated.empty()) return;
  std::ranges::stable_sort(repeated, std::ranges::greater{},
                           [](const auto& one) { return one.second; });
  const std::size_t shown = std::min(repeated.size(), kRepeatedShown);
  const bool all = context.view.classes_total == context.view.classes.size();
  std::string text =
      "classes that several loaders have" + std::string(all ? ": " : ", as far as listed: ");
  for (std::size_t i = 0; i < shown; ++i) {
    if (i > 0) text += ", ";
    text += shorten_name(printable(repeated[i].first), context.page.columns() / 2) + ' ' +
            thousands(repeated[i].second) + " times";
  }
  if (shown < repeated.size()) text += ", " + thousands(repeated.size() - shown) + " more";
  context.page.labelled("repeated", text);
}

}  // namespace

void write_classes(const TextContext& context) {
  if (context.view.classes.empty()) return;
  const bool graph = context.view.has_retained();
  write_class_table(context, context.options.order.value_or(graph ? ClassOrder::kRetained
                                                                  : ClassOrder::kShallow));
  if (graph && !context.options.order) write_class_table(context, ClassOrder::kShallow);
}

void write_packages(const TextContext& context) {
  const ReportView& view = context.view;
  if (view.packages.empty()) return;
  context.page.heading("PACKAGES", set_remark(view));
  write_set_table(context,
                  select_sets(view.packages, view.rest_of_packages, view.packages_total,
                              view.has_retained(), context.options.top),
                  "package");
}

void write_loaders(const TextContext& context) {
  const ReportView& view = context.view;
  if (view.loaders.empty()) return;
  context.page.heading("CLASS LOADERS", set_remark(view));
  write_set_table(context,
                  select_sets(view.loaders, view.rest_of_loaders, view.loaders_total,
                              view.has_retained(), context.options.top),
                  "class loader");
  write_repeated_classes(context);
}

}  // namespace holdfast::cli
