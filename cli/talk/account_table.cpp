#include "cli/talk/account_table.h"

#include <algorithm>

#include "cli/compare/change_text.h"
#include "cli/text/display_text.h"
#include "cli/text/estimate_text.h"
#include "cli/text/table.h"

namespace holdfast::cli {
namespace {

constexpr std::size_t kLeastAccountColumns = 16;
constexpr std::size_t kLinesBefore = 2;  // a blank one and the headers
constexpr const char* kLeftOut = "accounts: memory= has no room to sum them up";

std::string bytes_text(const AmountView& amount) {
  return estimated_bytes(amount.bytes, amount.bytes_error);
}

std::vector<Column> columns_of(bool live_known, bool changes) {
  std::vector<Column> columns{{"account", ColumnKind::kName, kLeastAccountColumns}};
  if (live_known) columns.push_back({"live"});
  if (live_known && changes) columns.push_back({"last", ColumnKind::kNumber, 0, true});
  columns.push_back({"allocated"});
  if (changes) columns.push_back({"per second", ColumnKind::kNumber, 0, true});
  return columns;
}

std::vector<Span> cells_of(const AccountWatch& watch, const AccountWatchRow& row, bool changes) {
  const AccountChange change = row.change();
  const bool live_known = watch.facts().live_known;
  std::vector<Span> cells{{row.account}};
  if (live_known) cells.push_back({bytes_text(row.live)});
  if (live_known && changes)
    cells.push_back({row.known_before ? live_change_text(change) : "-",
                     change_style(row.known_before ? change.live_bytes() : 0)});
  if (!changes) {
    cells.push_back({bytes_text(row.allocated)});
    return cells;
  }
  const AmountView allocated = change.allocated(true);
  cells.push_back({row.known_before ? bytes_text(allocated) : "-"});
  cells.push_back({row.known_before ? rate_text(allocated, watch.elapsed_ms()) : "-"});
  return cells;
}

}  // namespace

std::size_t watched_account_lines(const AccountWatch& watch, std::size_t rows) {
  if (!watch.facts().on) return 0;
  return kLinesBefore + std::min(rows, watch.rows().size());
}

void write_watched_accounts(const AccountWatch& watch, std::size_t rows, bool changes, Page& page) {
  if (!watch.facts().on) return;
  page.blank();
  if (watch.facts().left_out)
    return page.line({{std::string(prefix_of_width(kLeftOut, page.columns())), Style::kWarning}});
  Table table(columns_of(watch.facts().live_known, changes));
  for (std::size_t i = 0; i < std::min(rows, watch.rows().size()); ++i)
    table.row(cells_of(watch, watch.rows()[i], changes));
  table.write(page, 0);
}

}  // namespace holdfast::cli
