#include "cli/compare/unknown_loaders.h"

#include <map>
#include <vector>

namespace holdfast::cli {
namespace {

using SideOf = Side RowChange::*;
using SameName = std::vector<RowChange*>;

bool listed(const Side& side) { return side.presence == Presence::kListed; }

void add(Figures& sum, const Figures& more) {
  sum.instances += more.instances;
  sum.shallow_bytes += more.shallow_bytes;
  sum.retained_bytes += more.retained_bytes;
}

// It may have this much more than what is known of it already.
void may_have(Side& side, const Figures& figures) {
  side.presence = Presence::kUnlisted;
  add(side.at_most, figures);
}

// Both rows are of one class: `unknown` is emptied, for who removes it.
void merge(RowChange& unknown, RowChange& known, SideOf side) {
  known.*side = unknown.*side;
  unknown.*side = {};
}

void match(const SameName& rows, SideOf cut, SideOf other) {
  RowChange* unknown = nullptr;
  SameName lacking;  // rows of the other report alone
  for (RowChange* row : rows) {
    if (row->loader.empty() && listed(row->*cut)) unknown = row;
    if (!row->loader.empty() && !listed(row->*cut)) lacking.push_back(row);
  }
  if (unknown == nullptr || lacking.empty()) return;
  if (rows.size() == 2 && !listed(unknown->*other)) return merge(*unknown, *lacking[0], cut);
  Figures lacked;
  for (RowChange* row : lacking) {
    add(lacked, (row->*other).figures);
    may_have(row->*cut, (unknown->*cut).figures);
  }
  if (!listed(unknown->*other)) may_have(unknown->*other, lacked);
}

}  // namespace

void match_unknown_loaders(ListChange& classes, bool before_cut, bool after_cut) {
  if (!before_cut && !after_cut) return;
  std::map<std::string_view, SameName> names;
  for (RowChange& row : classes.rows) names[row.name].push_back(&row);
  for (const auto& [name, rows] : names) {
    if (before_cut) match(rows, &RowChange::before, &RowChange::after);
    if (after_cut) match(rows, &RowChange::after, &RowChange::before);
  }
  std::erase_if(classes.rows,
                [](const RowChange& row) { return !listed(row.before) && !listed(row.after); });
}

}  // namespace holdfast::cli
