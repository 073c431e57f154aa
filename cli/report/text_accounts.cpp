// Memory accounts: all of them with their largest pairs and classes, or one account whole.
#include <algorithm>

#include "cli/report/text_sections.h"
#include "cli/text/estimate_text.h"
#include "cli/text/number_text.h"
#include "cli/text/table.h"
#include "common/time_units.h"

namespace holdfast::cli {
namespace {

constexpr std::size_t kPairsShown = 10;
constexpr std::size_t kAccountsDetailed = 5;  // with their classes
constexpr std::size_t kClassesShown = 3;
constexpr std::size_t kLeastAccountColumns = 16;

std::string bytes_text(const AmountView& amount) {
  return estimated_bytes(amount.bytes, amount.bytes_error);
}

// As sure as the live estimate that it was scaled from, beside which it stands.
std::string in_heap_text(const AccountView& row) {
  if (row.live.bytes == 0) return human_bytes(row.calibrated_bytes);
  const double share =
      static_cast<double>(row.live.bytes_error) / static_cast<double>(row.live.bytes);
  return rounded_bytes(
      row.calibrated_bytes,
      static_cast<std::uint64_t>(share * static_cast<double>(row.calibrated_bytes)));
}

// The columns that these accounts can fill; the first or the last names the row.
class AccountTable {
 public:
  enum class Detail : std::uint8_t { kAccounts, kParts };

  AccountTable(const AccountsView& view, std::string name, Detail detail)
      : view_(view), all_(detail == Detail::kAccounts), table_(columns(std::move(name))) {
    for (const AccountView& row : view.accounts.rows) whole_bytes_ += row.allocated.bytes;
    whole_bytes_ += view.rest_of_accounts.allocated.bytes;
  }

  void row(std::string name, const AccountView& row, Style style = Style::kPlain) {
    std::vector<Span> cells{{std::move(name), style}, {bytes_text(row.allocated)}};
    if (has_since()) cells.push_back({bytes_text(row.since_report)});
    if (view_.live_known) cells.push_back({bytes_text(row.live)});
    if (view_.calibrated) cells.push_back({in_heap_text(row)});
    if (all_) cells.push_back({share(row)});
    table_.row(std::move(cells));
  }
  void title(std::string name) {
    std::vector<Span> cells{{std::move(name), Style::kBold}};
    cells.resize(columns("").size());
    table_.row(std::move(cells));
  }
  bool empty() const { return table_.empty(); }
  void write(Page& page) const { table_.write(page); }

 private:
  bool has_since() const { return view_.last_report_utc_ms > 0; }
  std::string share(const AccountView& row) const {
    return view_.calibrated ? percent(row.calibrated_bytes, view_.heap_bytes)
                            : percent(row.allocated.bytes, whole_bytes_);
  }
  std::vector<Column> columns(std::string name) const {
    std::vector<Column> columns{{std::move(name), ColumnKind::kName, kLeastAccountColumns},
                                {"allocated"}};
    if (has_since()) columns.push_back({"since report", ColumnKind::kNumber, 0, true});
    if (view_.live_known) columns.push_back({"live", ColumnKind::kNumber, 0, view_.calibrated});
    if (view_.calibrated) columns.push_back({"in heap"});
    if (all_)
      columns.push_back(
          {view_.calibrated ? "of heap" : "of all", ColumnKind::kNumber, 0, view_.calibrated});
    return columns;
  }

  const AccountsView& view_;
  bool all_;
  std::uint64_t whole_bytes_ = 0;
  Table table_;
};

std::string mode_text(const AccountsView& view) {
  const bool sampled = view.sample_interval_bytes > 0;
  const std::string interval = human_bytes(view.sample_interval_bytes);
  if (view.exact)
    return view.live_counted            ? "counted, and so is what lives"
           : view.live_known && sampled ? "counted; what lives, by a sample every " + interval
                                        : "counted";
  return sampled ? "a sample every " + interval : "every object was looked at";
}

std::string span_text(std::uint64_t from_ms, std::uint64_t to_ms) {
  return human_duration((to_ms - std::min(from_ms, to_ms)) * kNsPerMs);
}

void write_table_of_accounts(const TextContext& context, const AccountsView& view) {
  AccountTable table(view, "account", AccountTable::Detail::kAccounts);
  const std::size_t shown = std::min(view.accounts.rows.size(), context.options.top);
  AccountView rest = view.rest_of_accounts;
  for (std::size_t i = 0; i < view.accounts.rows.size(); ++i) {
    const AccountView& row = view.accounts.rows[i];
    if (i < shown)
      table.row(std::string(row.account), row);
    else
      add_to(rest, row);
  }
  if (view.accounts.total > shown)
    table.row(counted(view.accounts.total - shown, "more account", "more accounts"), rest,
              Style::kDim);
  table.write(context.page);
}

void write_pairs(const TextContext& context, const AccountsView& view) {
  AccountTable table(view, "account \u2190 called from", AccountTable::Detail::kParts);
  std::size_t left = std::min(context.options.top, kPairsShown);
  for (const AccountView& row : view.pairs.rows) {
    if (row.principal == kUnaccountedAccount || left == 0) continue;
    --left;
    table.row(std::string(row.account) + " \u2190 " + std::string(row.principal), row);
  }
  if (table.empty()) return;
  context.page.blank();
  table.write(context.page);
}

std::string class_text(const AccountView& row) {
  return row.class_name.empty() ? "(class not told)" : std::string(row.class_name);
}

void write_classes_of_accounts(const TextContext& context, const AccountsView& view) {
  AccountTable table(view, "account, largest classes", AccountTable::Detail::kParts);
  std::size_t accounts = 0;
  for (const AccountView& account : view.accounts.rows) {
    if (accounts == std::min(kAccountsDetailed, context.options.top)) break;
    std::size_t classes = 0;
    for (const AccountView& row : view.classes.rows) {
      if (row.account != account.account || classes == kClassesShown) continue;
      if (classes++ == 0) table.title(std::string(account.account));
      table.row("  " + class_text(row), row);
    }
    accounts += classes > 0 ? 1 : 0;
  }
  if (table.empty()) return;
  context.page.blank();
  table.write(context.page);
}

// What a reader must know before he believes a figure.
void write_meaning(const TextContext& context, const AccountsView& view) {
  std::string text;
  if (!view.sample_only.empty())
    text = "Only samples of " + std::string(view.sample_only) + " were taken, " +
           counted(view.passed_over, "other") + " passed over. ";
  if (!view.exact || view.sample_interval_bytes > 0 || view.losses.live_thinned > 0)
    text += "\u00B1 is one standard error: two figures of three are within it. ";
  if (!view.live_known) text += "This VM does not tell which objects died. ";
  if (view.calibrated && view.live_counted)
    text += "In heap: live, and at most what the dump counted of each class a moment later. " +
            percent(view.explained_bytes, view.heap_bytes) + " of " + human_bytes(view.heap_bytes) +
            " are explained so; the rest is older than accounting, or made by the VM.";
  else if (view.calibrated)
    text +=
        "In heap: live, scaled to what the dump counted of each class; at most an upper bound, "
        "as objects from before accounting count as the accounts' own. " +
        percent(view.explained_bytes, view.heap_bytes) + " of " + human_bytes(view.heap_bytes) +
        " are explained so; of other classes no sample lives.";
  if (text.empty()) return;
  context.page.blank();
  context.page.paragraph(text, Style::kDim, Page::kIndent);
}

void write_account_losses(const TextContext& context, const AccountLossView& lost) {
  std::string text;
  const auto add = [&text](std::uint64_t count, std::string_view what, const char* rest) {
    if (count == 0) return;
    text += (text.empty() ? "" : "; ") + counted(count, what) + rest;
  };
  add(lost.rows_full, "sample", " had no room for a row of their class");
  add(lost.stacks_cut, "stack", " had no account in the frames that were looked at");
  add(lost.live_thinned, "live sample", " given up for room, the others stand for them");
  add(lost.samples_dropped, "event", " without an object or a stack");
  if (lost.classes_left_alone + lost.methods_left_alone > 0)
    text += (text.empty() ? "" : "; ") + counted(lost.classes_left_alone, "class", "classes") +
            " and " + counted(lost.methods_left_alone, "method") + " could not be rewritten";
  add(lost.threads_shared, "thread", " shared counters");
  add(lost.annotations_other, "annotation", " without room, told as (other)");
  if (!text.empty()) context.page.paragraph("Lost: " + text + ".", Style::kWarning, Page::kIndent);
}

std::string amount_text(const AmountView& amount) {
  return bytes_text(amount) + ", " + estimated_count(amount.objects, amount.objects_error) +
         " objects";
}

void write_figures(const TextContext& context, const AccountsView& view, const AccountView& row) {
  const std::uint64_t now = context.view.origin.started_utc_ms;
  context.page.labelled("allocated",
                        amount_text(row.allocated) + ", in " + span_text(view.began_utc_ms, now));
  if (view.last_report_utc_ms > 0)
    context.page.labelled("since", amount_text(row.since_report) + ", in " +
                                       span_text(view.last_report_utc_ms, now) +
                                       " since the last report");
  if (view.live_known) context.page.labelled("live", amount_text(row.live));
  if (view.calibrated)
    context.page.labelled(
        "in heap", in_heap_text(row) + " (" + percent(row.calibrated_bytes, view.heap_bytes) + ")");
  if (row.samples > 0) context.page.labelled("made of", counted(row.samples, "sample"));
}

// One list of an account; what it does not list is the difference to the account.
template <class Name>
void write_parts(const TextContext& context, const AccountsView& view, const char* title,
                 const AccountListView& list, const AccountView& account, Name name) {
  if (list.rows.empty()) return;
  AccountTable table(view, title, AccountTable::Detail::kParts);
  std::vector<const AccountView*> listed;
  for (const AccountView& row : list.rows) {
    if (listed.size() == context.options.top) break;
    table.row(name(row), row);
    listed.push_back(&row);
  }
  const AccountView rest = rest_of(account, listed);
  if (rest.allocated.bytes > 0) table.row("all others", rest, Style::kDim);
  context.page.blank();
  table.write(context.page);
}

void write_callers(const TextContext& context, const AccountsView& view, std::string_view account) {
  AccountTable from(view, "called from", AccountTable::Detail::kParts);
  AccountTable to(view, "calls that allocate", AccountTable::Detail::kParts);
  for (const AccountView& row : view.pairs.rows) {
    if (row.account == account)
      from.row(row.principal == kUnaccountedAccount ? "no account" : std::string(row.principal),
               row);
    else
      to.row(std::string(row.account), row);
  }
  for (const AccountTable* table : {&from, &to}) {
    if (table->empty()) continue;
    context.page.blank();
    table->write(context.page);
  }
}

void write_one_account(const TextContext& context, const AccountsView& view) {
  if (view.accounts.rows.empty()) return;
  const AccountView& account = view.accounts.rows.front();
  context.page.heading("ACCOUNT " + std::string(account.account), mode_text(view));
  write_figures(context, view, account);
  write_callers(context, view, account.account);
  write_parts(context, view, "class", view.classes, account, class_text);
  write_parts(context, view, "method, class", view.methods, account, [](const AccountView& row) {
    const std::string method = row.method.empty() ? "(method not told)" : std::string(row.method);
    return method + "() " + class_text(row);
  });
  write_parts(context, view, "thread", view.threads, account, [](const AccountView& row) {
    return row.thread.empty() ? "(thread not told)" : std::string(row.thread);
  });
  write_parts(context, view, "annotations", view.annotations, account, [](const AccountView& row) {
    return row.annotation.empty() ? "(nothing said)" : std::string(row.annotation);
  });
  write_meaning(context, view);
}

}  // namespace

void write_accounts(const TextContext& context) {
  if (!context.view.accounts) return;
  const AccountsView& view = *context.view.accounts;
  if (context.options.one_account) return write_one_account(context, view);
  if (context.filtered()) return;
  context.page.heading("MEMORY ACCOUNTS",
                       "who allocated what in " +
                           span_text(view.began_utc_ms, context.view.origin.started_utc_ms) +
                           " \u00B7 " + mode_text(view));
  write_table_of_accounts(context, view);
  write_pairs(context, view);
  write_classes_of_accounts(context, view);
  write_meaning(context, view);
  write_account_losses(context, view.losses);
}

}  // namespace holdfast::cli
