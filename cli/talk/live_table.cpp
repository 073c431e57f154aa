#include "cli/talk/live_table.h"

#include <algorithm>

#include "cli/talk/account_table.h"
#include "cli/talk/age_table.h"
#include "cli/talk/class_trend.h"
#include "cli/text/display_text.h"
#include "cli/text/number_text.h"
#include "cli/text/page.h"
#include "cli/text/table.h"
#include "common/time_units.h"

namespace holdfast::cli {
namespace {

constexpr std::size_t kLeastNameColumns = 16;
constexpr std::size_t kTrendColumns = 12;

std::string_view order_word(WatchOrder order) {
  switch (order) {
    case WatchOrder::kGrowth:
      return "growth";
    case WatchOrder::kBytes:
      return "bytes";
    case WatchOrder::kInstances:
      break;
  }
  return "instances";
}

std::uint64_t watched_ms(const WatchState& state) {
  return state.last.taken_utc_ms - std::min(state.first_utc_ms, state.last.taken_utc_ms);
}

std::string signed_bytes(std::int64_t bytes) {
  if (bytes == 0) return "=";
  const auto size = static_cast<std::uint64_t>(bytes < 0 ? -bytes : bytes);
  return (bytes < 0 ? "-" : "+") + human_bytes(size);
}

Style change_style(std::int64_t bytes) {
  if (bytes == 0) return Style::kDim;
  return bytes > 0 ? Style::kWarning : Style::kPlain;
}

// A line that is cut rather than wrapped: a frame has no room to grow.
void cut_line(Page& page, const std::string& text, Style style = Style::kPlain) {
  const std::string shown = printable(text);
  page.line({{std::string(prefix_of_width(shown, page.columns())), style}});
}

std::string head_text(const WatchState& state, const WatchedClasses& classes) {
  std::string text = state.process.name + " · pid " + std::to_string(state.process.pid);
  if (!state.process.host.empty()) text += " on " + state.process.host;
  if (state.process.uptime_ms != 0)
    text += " · up " + human_duration((state.process.uptime_ms + watched_ms(state)) * kNsPerMs);
  text += " · sample " + thousands(classes.samples());
  if (state.interval_ns != 0) text += ", every " + human_duration(state.interval_ns);
  return text;
}

bool both_known(std::uint64_t now, std::uint64_t first) {
  return now != kUnknownCount && first != kUnknownCount && now >= first;
}

std::string collections_text(const WatchState& state) {
  const CollectionFigures& now = state.collections;
  const CollectionFigures& first = state.first_collections;
  std::string text = "collections since the start:";
  if (!both_known(now.young, first.young) && !both_known(now.full, first.full))
    return text + " not known of this VM";
  if (both_known(now.young, first.young))
    text += " " + thousands(now.young - first.young) + " young";
  if (both_known(now.young, first.young) && both_known(now.full, first.full)) text += ",";
  if (both_known(now.full, first.full)) text += " " + thousands(now.full - first.full) + " full";
  if (both_known(now.cycles, first.cycles) && now.cycles != first.cycles)
    text += ", " + thousands(now.cycles - first.cycles) + " beside it";
  if (both_known(now.pause_ns, first.pause_ns) && watched_ms(state) != 0)
    text += "; stopped it " + percent(now.pause_ns - first.pause_ns, watched_ms(state) * kNsPerMs) +
            " of the time";
  return text;
}

std::string last_collection(const CollectionFigures& figures) {
  const HeardCollections& heard = figures.heard;
  std::string text;
  if (heard.count != 0 && heard.before_bytes != kUnknownCount && heard.after_bytes != kUnknownCount)
    text = human_bytes(heard.before_bytes) + " to " + human_bytes(heard.after_bytes);
  if (figures.last_pause_ns != kUnknownCount)
    text += (text.empty() ? "" : " in ") + human_duration(figures.last_pause_ns);
  return text;
}

// What the last one did, and the sample's place among full ones: before and after one it tells different things. Empty: not known.
std::string order_of_collections(const CollectionFigures& figures) {
  const bool full = figures.full != kUnknownCount;
  const std::string last = last_collection(figures);
  if (last.empty())
    return full ? counted(figures.full, "full collection") + " before this sample" : std::string();
  return "last collection: " + last +
         (full ? "; " + thousands(figures.full) + " full before this sample" : std::string());
}

std::string heap_text(const WatchState& state) {
  const HeapFigures& heap = state.last.heap;
  std::string text = "heap " + human_bytes(heap.used_bytes);
  if (heap.max_bytes != 0) text += " of at most " + human_bytes(heap.max_bytes);
  const CollectionFigures& figures = state.collections;
  const bool heard = figures.heard.count != 0;  // then a line of its own says it
  if (!heard && figures.used_after_bytes != kUnknownCount && figures.used_after_bytes != 0)
    text += ", " + human_bytes(figures.used_after_bytes) + " after the last collection";
  return text;
}

std::string cost_text(const WatchState& state) {
  std::string text = "watching stopped it for " + human_duration(state.last.pause_ns);
  const std::uint64_t time_ns = watched_ms(state) * kNsPerMs;
  if (time_ns == 0) return text;
  return text + " now, " + percent(state.watching_pause_ns, time_ns) + " of the time; " +
         percent(state.watching_cost_ns, time_ns) + " of one core";
}

std::string sum_text(const WatchState& state) {
  return thousands(state.last.classes) + " classes, " + thousands(state.last.total_instances) +
         " instances, " + human_bytes(state.last.total_bytes) +
         (state.last.reachable_only ? ", reachable ones only" : ", garbage included");
}

// Of a newer agent's longer list.
std::string left_out_text(const WatchState& state) {
  return counted(state.left_out, "row is", "rows are") +
         " left out, for which this holdfast has no room; its agent is newer";
}

std::string order_text(const FrameOptions& options) {
  std::string text = "by " + std::string(order_word(options.order));
  if (!options.filter.empty()) text += " · only " + options.filter;
  return text;
}

// The trend has a column once there is enough to see one.
Table changes_table(const std::vector<const WatchedClass*>& rows, bool trends) {
  std::vector<Column> columns({{"class", ColumnKind::kName, kLeastNameColumns},
                               {"instances", ColumnKind::kNumber, 0, true},
                               {"bytes"},
                               {"last", ColumnKind::kNumber, 0, true},
                               {"since start"}});
  if (trends) columns.push_back({"trend", ColumnKind::kText, kTrendColumns, true});
  Table table(std::move(columns));
  for (const WatchedClass* row : rows)
    table.row({{row->name},
               {thousands(row->instances)},
               {human_bytes(row->shallow_bytes)},
               {signed_bytes(row->change_bytes), change_style(row->change_bytes)},
               {signed_bytes(row->growth_bytes), change_style(row->growth_bytes)},
               {std::string(trend_words(chance_of_rise(row->series))), Style::kAlarm}});
  return table;
}

Table plain_table(const std::vector<const WatchedClass*>& rows, std::uint64_t total_bytes) {
  Table table(
      {{"class", ColumnKind::kName, kLeastNameColumns}, {"instances"}, {"bytes"}, {"share"}});
  for (const WatchedClass* row : rows)
    table.row({{row->name},
               {thousands(row->instances)},
               {human_bytes(row->shallow_bytes)},
               {percent(row->shallow_bytes, total_bytes)}});
  return table;
}

constexpr std::size_t kLinesAroundRows = 8;  // the head, a blank line, the headers, the keys

constexpr std::size_t kLinesForOrder = 24;  // a smaller screen has more need of rows

bool shows_order(const WatchState& state, const FrameOptions& options) {
  const bool room = options.lines == 0 || options.lines >= kLinesForOrder;
  return room && !order_of_collections(state.collections).empty();
}

std::size_t row_room(const WatchState& state, const FrameOptions& options) {
  const std::size_t around =
      kLinesAroundRows + (shows_order(state, options) ? 1 : 0) + (state.left_out != 0 ? 1 : 0);
  return options.lines > around ? options.lines - around : std::size_t{1};
}

// On a screen a quarter of it at most.
std::size_t age_rows(const WatchState& state, const FrameOptions& options) {
  if (options.lines == 0) return options.top == 0 ? kAgeSuspectsShown : options.top;
  const std::size_t around = age_suspect_lines(state.ages, 0);
  const std::size_t room = row_room(state, options) / 4;
  return room > around ? std::min(kAgeSuspectsShown, room - around) : 0;
}

std::size_t ages_taken(const WatchState& state, const FrameOptions& options) {
  const std::size_t rows = age_rows(state, options);
  return rows == 0 ? 0 : age_suspect_lines(state.ages, rows);
}

// On a screen half of what is left at most.
std::size_t holder_room(const WatchState& state, const FrameOptions& options) {
  if (options.lines == 0) return SIZE_MAX;
  return (row_room(state, options) - ages_taken(state, options)) / 2;
}

std::size_t holders_taken(const WatchState& state, const FrameOptions& options) {
  return state.holders.line_count(holder_room(state, options));
}

// On a screen at most a third of it, and none where that is not even one.
std::size_t account_count(const WatchState& state, const FrameOptions& options) {
  const std::size_t wanted = options.top == 0 ? kAccountsShown : options.top;
  if (options.lines == 0) return wanted;
  const std::size_t room =
      (row_room(state, options) - ages_taken(state, options) - holders_taken(state, options)) / 3;
  const std::size_t around = watched_account_lines(state.accounts, 0);
  return room > around ? std::min(wanted, room - around) : 0;
}

std::size_t row_count(const WatchState& state, const FrameOptions& options) {
  if (options.lines == 0) return options.top == 0 ? kDefaultRows : options.top;
  const std::size_t accounts = account_count(state, options);
  const std::size_t taken = accounts == 0 ? 0 : watched_account_lines(state.accounts, accounts);
  const std::size_t room =
      row_room(state, options) - taken - ages_taken(state, options) - holders_taken(state, options);
  return options.top == 0 ? room : std::min(room, options.top);
}

void write_below(const WatchState& state, const FrameOptions& options, bool changes, Page& page) {
  if (const std::size_t rows = age_rows(state, options); rows > 0)
    write_age_suspects(state.ages, rows, page);
  state.holders.write(holder_room(state, options), state.last.taken_utc_ms, page);
  if (const std::size_t rows = account_count(state, options); rows > 0)
    write_watched_accounts(state.accounts, rows, changes, page);
}

}  // namespace

void note_sample(WatchState& state, const ClassHistogram& histogram,
                 const CollectionFigures& collections) {
  if (state.first_utc_ms == 0) {
    state.first_utc_ms = histogram.taken_utc_ms;
    state.first_collections = collections;
  } else {
    // The first sample's cost was paid before the time that is counted began.
    state.watching_pause_ns += histogram.pause_ns;
    state.watching_cost_ns += histogram.cost_ns;
    const std::uint64_t before = std::min(state.last.taken_utc_ms, histogram.taken_utc_ms);
    state.interval_ns = (histogram.taken_utc_ms - before) * kNsPerMs;
  }
  state.last = histogram;
  state.last.rows = {};
  state.last.accounts.rows = {};
  state.accounts.add(histogram);
  state.collections = collections;
}

std::string frame_text(const WatchState& state, const WatchedClasses& classes,
                       const FrameOptions& options) {
  Page page(options.columns, options.colour);
  cut_line(page, head_text(state, classes), Style::kBold);
  cut_line(page, heap_text(state));
  cut_line(page, collections_text(state));
  if (shows_order(state, options)) cut_line(page, order_of_collections(state.collections));
  cut_line(page, cost_text(state));
  cut_line(page, sum_text(state) + " · " + order_text(options), Style::kDim);
  if (state.left_out != 0) cut_line(page, left_out_text(state), Style::kWarning);
  page.blank();
  const auto rows = classes.rows(options.order, options.filter, row_count(state, options));
  if (rows.empty())
    cut_line(page, "no class matches");
  else
    changes_table(rows, classes.samples() >= kLeastTrendSamples).write(page, 0);
  write_below(state, options, true, page);
  if (options.keys)
    cut_line(page,
             options.paused ? "paused; space goes on · q quits"
                            : "q quits · s other order · space pauses",
             Style::kDim);
  return page.text();
}

std::string histogram_text(const WatchState& state, const WatchedClasses& classes,
                           const FrameOptions& options) {
  Page page(options.columns, options.colour);
  cut_line(page,
           state.process.name + " · pid " + std::to_string(state.process.pid) + " · " +
               utc_for_people(state.last.taken_utc_ms),
           Style::kBold);
  cut_line(page, heap_text(state));
  if (shows_order(state, options)) cut_line(page, order_of_collections(state.collections));
  cut_line(page, "counting stopped it for " + human_duration(state.last.pause_ns));
  cut_line(page, sum_text(state) + " · " + order_text(options), Style::kDim);
  if (state.left_out != 0) cut_line(page, left_out_text(state), Style::kWarning);
  page.blank();
  const auto rows = classes.rows(options.order, options.filter, row_count(state, options));
  if (rows.empty())
    cut_line(page, "no class matches");
  else
    plain_table(rows, state.last.total_bytes).write(page, 0);
  write_below(state, options, false, page);
  return page.text();
}

}  // namespace holdfast::cli
