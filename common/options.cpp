#include "common/options.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <iterator>

#include "common/file_name.h"
#include "common/option_value.h"
#include "common/shown_text.h"

namespace holdfast {

namespace {

constexpr std::uint64_t kMinMemory = 8u << 20;
constexpr std::uint64_t kMaxTime = 7u * 24u * 3'600'000'000'000u;
// A dump takes most of a second until its report is there; more often they would follow each other without a break.
constexpr std::uint64_t kMinPeriod = 1'000'000'000;
// Below a kilobyte nearly every allocation is a sample; VMs take the interval as an int.
constexpr std::uint64_t kMinSample = std::uint64_t{1} << 10;
constexpr std::uint64_t kMaxSample = std::uint64_t{1} << 30;

bool copy_text(std::string_view value, char (&out)[kMaxOptionText]) noexcept {
  if (value.empty() || value.size() >= sizeof out) return false;
  std::memcpy(out, value.data(), value.size());
  out[value.size()] = '\0';
  return true;
}

struct Word {
  std::string_view name;
  std::uint32_t value;
};

template <std::size_t kCount>
bool read_word(std::string_view text, const Word (&words)[kCount], std::uint32_t& out) noexcept {
  for (const Word& word : words) {
    if (word.name != text) continue;
    out = word.value;
    return true;
  }
  return false;
}

// "a+b": each word's bits together. A word without bits ("off") stands alone.
template <std::size_t kCount>
bool read_words(std::string_view text, const Word (&words)[kCount], std::uint32_t& out) noexcept {
  std::uint32_t bits = 0;
  const bool several = text.find('+') != std::string_view::npos;
  while (true) {
    const std::size_t plus = text.find('+');
    std::uint32_t bit = 0;
    if (!read_word(text.substr(0, plus), words, bit) || (several && bit == 0)) return false;
    bits |= bit;
    if (plus == std::string_view::npos) break;
    text.remove_prefix(plus + 1);
  }
  out = bits;
  return true;
}

constexpr Word kTriggers[] = {
    {"signal", kOnSignal}, {"oom", kOnOom},       {"exit", kOnExit}, {"gc", kOnGc},
    {"start", kOnStart},   {"growth", kOnGrowth}, {"off", 0}};
constexpr Word kRetains[] = {{"strong", kRetainStrong},   {"soft", kRetainSoft},
                             {"weak", kRetainWeak},       {"final", kRetainFinal},
                             {"phantom", kRetainPhantom}, {"unreachable", kRetainUnreachable}};
constexpr Word kAnalyses[] = {{"classes", 0},
                              {"all", kAnalyseAll},
                              {"retained", kAnalyseRetained},
                              {"suspects", kAnalyseSuspects},
                              {"objects", kAnalyseObjects},
                              {"tree", kAnalyseTree},
                              {"threads", kAnalyseThreads},
                              {"loaders", kAnalyseLoaders},
                              {"packages", kAnalysePackages},
                              {"statistics", kAnalyseStatistics},
                              {"reachable", kAnalyseReachable},
                              {"cuts", kAnalyseCuts},
                              {"holders", kAnalyseHolders}};
constexpr Word kAccountModes[] = {
    {"sampled", static_cast<std::uint32_t>(AccountMode::kSampled)},
    {"exact", static_cast<std::uint32_t>(AccountMode::kExact)},
    {"exact-live", static_cast<std::uint32_t>(AccountMode::kExactLive)}};
constexpr Word kDimensions[] = {{"off", 0},
                                {"method", kByMethod},
                                {"thread", kByThread},
                                {"user", kByUser},
                                {"application", kByApplication},
                                {"request", kByRequest},
                                {"session", kBySession}};
constexpr Word kKinds[] = {{"auto", static_cast<std::uint32_t>(DumpKind::kAuto)},
                           {"simple", static_cast<std::uint32_t>(DumpKind::kSimple)},
                           {"extended", static_cast<std::uint32_t>(DumpKind::kExtended)}};
constexpr Word kCaptures[] = {{"auto", 0}, {"frozen", 1}, {"walk", 2}, {"objects", 3}};
constexpr Word kLevels[] = {{"off", static_cast<std::uint32_t>(LogLevel::kOff)},
                            {"error", static_cast<std::uint32_t>(LogLevel::kError)},
                            {"info", static_cast<std::uint32_t>(LogLevel::kInfo)},
                            {"debug", static_cast<std::uint32_t>(LogLevel::kDebug)}};
constexpr Word kSwitch[] = {{"off", 0}, {"on", 1}};
constexpr Word kThen[] = {{"off", 0}, {"exit", 1}};

// -- one reader per key; each takes the value whole or answers false --

bool set_dir(std::string_view v, Options& o) noexcept { return copy_text(v, o.dir); }
bool set_file(std::string_view v, Options& o) noexcept {
  // The ending is how max-dumps= and the sweep of half-written files know a report.
  constexpr std::string_view kEnding = ".hfr";
  const bool ends = v.size() > kEnding.size() && v.substr(v.size() - kEnding.size()) == kEnding;
  return ends && v.find('/') == std::string_view::npos && valid_file_pattern(v) &&
         copy_text(v, o.file);
}
// Empty names match nothing, and were hardly meant.
bool set_only(std::string_view v, Options& o) noexcept {
  const bool gap = v.front() == '+' || v.back() == '+' || v.find("++") != std::string_view::npos;
  return !gap && copy_text(v, o.only);
}
bool set_on(std::string_view v, Options& o) noexcept { return read_words(v, kTriggers, o.on); }
bool set_every(std::string_view v, Options& o) noexcept {
  if (v == "off") {
    o.every_ns = 0;
    return true;
  }
  return read_time(v, o.every_ns) && o.every_ns >= kMinPeriod && o.every_ns <= kMaxTime;
}
bool read_share_or_off(std::string_view v, std::uint32_t& out) noexcept {
  std::uint64_t percent = 0;
  if (v != "off" && (!read_share(v, percent) || percent == 0 || percent > 99)) return false;
  out = static_cast<std::uint32_t>(percent);
  return true;
}
bool set_heap_above(std::string_view v, Options& o) noexcept {
  return read_share_or_off(v, o.heap_above_percent);
}
bool set_cgroup_above(std::string_view v, Options& o) noexcept {
  return read_share_or_off(v, o.cgroup_above_percent);
}
bool set_cooldown(std::string_view v, Options& o) noexcept {
  return read_time(v, o.cooldown_ns) && o.cooldown_ns <= kMaxTime;
}
bool set_max_dumps(std::string_view v, Options& o) noexcept {
  std::uint64_t count = 0;
  if (!read_count(v, count) || count == 0 || count > 100'000) return false;
  o.max_dumps = static_cast<std::uint32_t>(count);
  return true;
}
bool set_dump(std::string_view v, Options& o) noexcept {
  std::uint32_t word = 0;
  if (!read_word(v, kKinds, word)) return false;
  o.dump = static_cast<DumpKind>(word);
  return true;
}
bool set_capture(std::string_view v, Options& o) noexcept {
  std::uint32_t word = 0;
  if (!read_word(v, kCaptures, word)) return false;
  o.capture = static_cast<CaptureChoice>(word);
  return true;
}
bool set_collect(std::string_view v, Options& o) noexcept {
  std::uint32_t word = 0;
  if (!read_word(v, kSwitch, word)) return false;
  o.collect = word == 1;
  return true;
}
bool set_memory(std::string_view v, Options& o) noexcept {
  if (v == "auto") {
    o.memory_bytes = kMemoryAuto;
    return true;
  }
  return read_size(v, o.memory_bytes) && o.memory_bytes >= kMinMemory &&
         o.memory_bytes <= (std::uint64_t{1} << 42);
}
bool set_pause(std::string_view v, Options& o) noexcept {
  return read_time(v, o.pause_ns) && o.pause_ns != 0 && o.pause_ns <= kMaxTime;
}
bool set_exit_wait(std::string_view v, Options& o) noexcept {
  return read_time(v, o.exit_wait_ns) && o.exit_wait_ns <= kMaxTime;
}
bool set_then(std::string_view v, Options& o) noexcept {
  std::uint32_t word = 0;
  if (!read_word(v, kThen, word)) return false;
  o.then_exit = word != 0;
  return true;
}
bool set_snapshot(std::string_view v, Options& o) noexcept {
  std::uint32_t word = 0;
  if (!read_word(v, kSwitch, word)) return false;
  o.snapshot = word != 0;
  return true;
}
bool set_control(std::string_view v, Options& o) noexcept {
  std::uint32_t word = 0;
  if (!read_word(v, kSwitch, word)) return false;
  o.control = word != 0;
  return true;
}
bool set_retain(std::string_view v, Options& o) noexcept {
  if (!v.empty() && v[0] == '+') v.remove_prefix(1);
  if (!read_words(v, kRetains, o.retain)) return false;
  o.retain |= kRetainStrong;
  return true;
}
bool set_analyses(std::string_view v, Options& o) noexcept {
  return read_words(v, kAnalyses, o.analyses);
}
// What is wrong inside a pattern is found when all of them are read, at load.
bool set_accounts(std::string_view v, Options& o) noexcept {
  if (v != "off") return copy_text(v, o.accounts);
  o.accounts[0] = '\0';
  return true;
}
bool set_accounts_mode(std::string_view v, Options& o) noexcept {
  std::uint32_t word = 0;
  if (!read_word(v, kAccountModes, word)) return false;
  o.accounts_mode = static_cast<AccountMode>(word);
  return true;
}
bool set_accounts_by(std::string_view v, Options& o) noexcept {
  return read_words(v, kDimensions, o.accounts_by);
}
bool set_sample_only(std::string_view v, Options& o) noexcept {
  if (v != "off") return copy_text(v, o.sample_only);
  o.sample_only[0] = '\0';
  return true;
}
bool set_sample(std::string_view v, Options& o) noexcept {
  o.sample_steady = v != "auto";
  if (!o.sample_steady) return o.sample_bytes = Options().sample_bytes, true;
  return read_size(v, o.sample_bytes) &&
         (o.sample_bytes == 0 || (o.sample_bytes >= kMinSample && o.sample_bytes <= kMaxSample));
}
bool set_ages(std::string_view v, Options& o) noexcept {
  std::uint32_t word = 0;
  if (!read_word(v, kSwitch, word)) return false;
  o.ages = static_cast<AgesChoice>(word);
  return true;
}
bool set_track(std::string_view v, Options& o) noexcept {
  std::uint32_t word = 0;
  if (!read_word(v, kSwitch, word)) return false;
  o.track = word != 0;
  return true;
}
bool set_log(std::string_view v, Options& o) noexcept {
  const std::size_t colon = v.find(':');
  std::uint32_t word = 0;
  if (!read_word(v.substr(0, colon), kLevels, word)) return false;
  if (colon != std::string_view::npos && !copy_text(v.substr(colon + 1), o.log_file)) return false;
  o.log = static_cast<LogLevel>(word);
  return true;
}

using Setter = bool (*)(std::string_view value, Options& options) noexcept;

struct Row {
  OptionRow shown;
  Setter set;
};

constexpr Row kRows[] = {
    {{"dir", "where reports go", "a directory that can be written, without ',' in its name", "."},
     &set_dir},
    {{"file",
      "name pattern: %e main class, jar or assembly, %h host, %c container, %p pid, %t time, %n "
      "number, %k kind, %% a %, "
      "%{NAME} environment",
      "a name without '/' and ',' that ends in .hfr, with %e %h %c %p %t %n %k %% %{NAME}",
      "%e-%h-%p-%t-%n.hfr"},
     &set_file},
    {{"only", "processes that are wanted, by executable, main class, jar or assembly",
      "names with * and ? in them, joined with '+', such as shop*+billing.jar", "*"},
     &set_only},
    {{"on", "triggers", "signal, oom, exit, gc, start, growth joined with '+', or off",
      "signal+oom"},
     &set_on},
    {{"every", "periodic simple dumps", "off or a time of at least 1s such as 30s, 5m, 1h", "off"},
     &set_every},
    {{"heap-above", "dump when the heap after a collection is above a share",
      "off or a share from 1% to 99% such as 85%", "off"},
     &set_heap_above},
    {{"cgroup-above",
      "dump when the cgroup's memory, less what can be reclaimed, is above a share of its limit",
      "off or a share from 1% to 99% such as 85%", "off"},
     &set_cgroup_above},
    {{"cooldown", "no trigger but a person's is obeyed within this time",
      "a time such as 0, 500ms, 60s, 5m, 1h", "60s"},
     &set_cooldown},
    {{"max-dumps", "reports kept in dir before the oldest goes", "a number from 1 to 100000", "20"},
     &set_max_dumps},
    {{"dump", "what is taken", "simple, extended or auto", "auto"}, &set_dump},
    {{"capture", "how the heap is read", "auto, frozen, walk or objects", "auto"}, &set_capture},
    {{"collect", "a full collection before each dump, so that only what is reachable is left",
      "on or off", "off"},
     &set_collect},
    {{"memory", "native memory that is never exceeded",
      "auto or a size of at least 8m such as 256m, 2g", "auto"},
     &set_memory},
    {{"pause", "predicted pause above which a cheaper capture is taken",
      "a time such as 500ms, 1s, 5m", "1s"},
     &set_pause},
    {{"exit-wait", "how long an exiting VM waits for an analysis", "a time such as 0, 10s, 1m",
      "10s"},
     &set_exit_wait},
    {{"then", "end the process after an oom dump", "exit or off", "off"}, &set_then},
    {{"snapshot", "also keep the whole graph as a .hfs file", "on or off", "off"}, &set_snapshot},
    {{"retain", "which references hold",
      "strong, soft, weak, final, phantom, unreachable joined with '+'", "strong+soft"},
     &set_retain},
    {{"analyses", "what is worked out on the object graph",
      "all, or classes, or retained, suspects, objects, tree, threads, loaders, packages, "
      "statistics, reachable, cuts, holders joined with '+'",
      "all"},
     &set_analyses},
    {{"accounts", "who allocated: an account for each pattern",
      "off, or a.b (a package or class), a.b.* (all below it), *, jar:NAME, module:NAME joined "
      "with "
      "'+', or a file of such lines as in /etc/accounts.txt",
      "off"},
     &set_accounts},
    {{"accounts-mode", "how allocations are accounted",
      "sampled, or exact or exact-live in a Java VM", "sampled"},
     &set_accounts_mode},
    {{"accounts-by", "what accounts are told apart by beside the class",
      "off, or method, thread, or what threads say of themselves: user, application, request, "
      "session, joined with '+'",
      "off"},
     &set_accounts_by},
    {{"ages", "which classes pile up, and how many collections objects have survived", "on or off",
      "off"},
     &set_ages},
    {{"sample", "mean bytes between two samples of accounts and ages",
      "auto (512k, with ages 64k, or more where that costs too much), 0 (every allocation) or a "
      "size "
      "from 1k to 1g such as 512k",
      "auto"},
     &set_sample},
    {{"sample-only", "which of them are taken: of some classes, or of threads that say something",
      "off, or class:a.b, class:a.b.*, user:TEXT, application:TEXT, request:TEXT, session:TEXT "
      "joined with '+'; a * may end a TEXT",
      "off"},
     &set_sample_only},
    {{"track", "objects that a report names keep a number, by which later reports know them",
      "on or off; in a Java VM", "off"},
     &set_track},
    {{"control", "local control socket, for this user alone", "on or off", "on"}, &set_control},
    {{"log", "what the agent says, and where",
      "off, error, info or debug, to a file as in info:/tmp/hf.log", "error"},
     &set_log},
};
constexpr std::size_t kRowCount = std::size(kRows);
static_assert(kRowCount <= 32, "Options::named has one bit a key");

constexpr auto kShown = [] {
  std::array<OptionRow, kRowCount> shown{};
  for (std::size_t i = 0; i < kRowCount; ++i) shown[i] = kRows[i].shown;
  return shown;
}();

// Levenshtein distance over short keys, for "did you mean".
std::size_t distance(std::string_view a, std::string_view b) noexcept {
  constexpr std::size_t kLongest = 24;
  std::size_t row[kLongest + 1];
  if (a.size() > kLongest || b.size() > kLongest) return kLongest;
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, changed});
    }
  }
  return row[b.size()];
}

std::string_view nearest_key(std::string_view key) noexcept {
  std::string_view best;
  std::size_t best_distance = 3;  // further away is no likely slip
  for (const Row& row : kRows) {
    const std::size_t d = distance(key, row.shown.key);
    if (d >= best_distance) continue;
    best_distance = d;
    best = row.shown.key;
  }
  return best;
}

bool refuse_unknown(std::string_view key, OptionError& error) noexcept {
  const std::string_view near = nearest_key(key);
  if (near.empty())
    std::snprintf(error.text, sizeof error.text, "%s: there is no such option; `help` lists them",
                  ShownText(key).text);
  else
    std::snprintf(error.text, sizeof error.text, "%s: there is no such option; did you mean %s=?",
                  ShownText(key).text, ShownText(near).text);
  return false;
}

bool refuse_value(const OptionRow& row, std::string_view value, OptionError& error) noexcept {
  const char* const length = value.size() >= kMaxOptionText ? " (this one is too long)" : "";
  std::snprintf(error.text, sizeof error.text, "%s=%s: wanted is %s%s", ShownText(row.key).text,
                ShownText(value).text, row.allowed.data(), length);  // a literal, so it ends in NUL
  return false;
}

bool apply(std::size_t index, std::string_view value, Options& options,
           OptionError& error) noexcept {
  const Row& row = kRows[index];
  const std::uint32_t bit = 1u << index;
  if ((options.named & bit) != 0) {
    std::snprintf(error.text, sizeof error.text, "%s=%s: %s= is given twice",
                  ShownText(row.shown.key).text, ShownText(value).text,
                  ShownText(row.shown.key).text);
    return false;
  }
  options.named |= bit;
  if (value.empty()) return refuse_value(row.shown, value, error);
  return row.set(value, options) || refuse_value(row.shown, value, error);
}

// A word without '=': the name of a key, or what a comma cut off a value.
bool refuse_bare_word(std::string_view token, const Row* row, OptionError& error) noexcept {
  if (row != nullptr)
    std::snprintf(error.text, sizeof error.text,
                  "%s: wanted is key=value: %s=VALUE, where VALUE is %s", ShownText(token).text,
                  ShownText(token).text, row->shown.allowed.data());
  else
    std::snprintf(error.text, sizeof error.text,
                  "%s: wanted is key=value (commas separate options, so values such as dir= and "
                  "file= cannot contain one; "
                  "`help` lists the keys)",
                  ShownText(token).text);
  return false;
}

bool apply_token(std::string_view token, Options& options, OptionError& error) noexcept {
  if (token == "help") return options.help = true;
  const std::size_t equals = token.find('=');
  const std::string_view key = token.substr(0, equals);
  const auto* const found = std::find_if(std::begin(kRows), std::end(kRows),
                                         [&](const Row& r) { return r.shown.key == key; });
  const Row* const row = found == std::end(kRows) ? nullptr : found;
  if (equals == std::string_view::npos) return refuse_bare_word(token, row, error);
  if (row == nullptr) return refuse_unknown(key, error);
  return apply(static_cast<std::size_t>(row - kRows), token.substr(equals + 1), options, error);
}

}  // namespace

std::span<const OptionRow> option_table() noexcept { return kShown; }

bool option_named(const Options& options, std::string_view key) noexcept {
  for (std::size_t i = 0; i < kRowCount; ++i)
    if (kRows[i].shown.key == key) return (options.named >> i & 1u) != 0;
  return false;
}

bool parse_options(std::string_view text, Options& options, OptionError& error) noexcept {
  options.named = 0;
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    const std::string_view token = text.substr(0, comma);
    if (!token.empty() && !apply_token(token, options, error)) return false;
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
  }
  return true;
}

void print_option_help(void (*line)(void* context, std::string_view text), void* context) noexcept {
  line(context,
       "options: key=value, separated by commas (a value cannot contain one); lists are joined "
       "with '+'");
  for (const OptionRow& row : option_table()) {
    char text[512];
    const auto length_of = [](std::string_view part) { return static_cast<int>(part.size()); };
    const int length = std::snprintf(text, sizeof text, "  %-14.*s%.*s: %.*s (default %.*s)",
                                     length_of(row.key), row.key.data(), length_of(row.meaning),
                                     row.meaning.data(), length_of(row.allowed), row.allowed.data(),
                                     length_of(row.default_text), row.default_text.data());
    line(context, {text, std::min(static_cast<std::size_t>(length), sizeof text - 1)});
  }
}

}  // namespace holdfast
