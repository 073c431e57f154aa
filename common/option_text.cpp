#include "common/option_text.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <span>

#include "common/time_units.h"

namespace holdfast {

namespace {

using Value = OptionText;

struct Bit {
  std::uint32_t bit;
  const char* name;
};
constexpr Bit kTriggerBits[] = {{kOnSignal, "signal"}, {kOnOom, "oom"},     {kOnExit, "exit"},
                                {kOnGc, "gc"},         {kOnStart, "start"}, {kOnGrowth, "growth"}};
constexpr Bit kRetained[] = {{kRetainStrong, "strong"},   {kRetainSoft, "soft"},
                             {kRetainWeak, "weak"},       {kRetainFinal, "final"},
                             {kRetainPhantom, "phantom"}, {kRetainUnreachable, "unreachable"}};

constexpr Bit kAnalysisBits[] = {
    {kAnalyseRetained, "retained"},   {kAnalyseSuspects, "suspects"},
    {kAnalyseObjects, "objects"},     {kAnalyseTree, "tree"},
    {kAnalyseThreads, "threads"},     {kAnalyseLoaders, "loaders"},
    {kAnalysePackages, "packages"},   {kAnalyseStatistics, "statistics"},
    {kAnalyseReachable, "reachable"}, {kAnalyseCuts, "cuts"},
    {kAnalyseHolders, "holders"}};

constexpr Bit kDimensionBits[] = {{kByMethod, "method"},   {kByThread, "thread"},
                                  {kByUser, "user"},       {kByApplication, "application"},
                                  {kByRequest, "request"}, {kBySession, "session"}};

void print_bits(Value& out, std::uint32_t bits, std::span<const Bit> names) noexcept {
  std::size_t used = 0;
  if (bits == 0) return void(std::snprintf(out, sizeof out, "off"));
  for (const Bit& name : names) {
    if ((bits & name.bit) == 0 || used >= sizeof out) continue;
    const int written =
        std::snprintf(out + used, sizeof out - used, "%s%s", used == 0 ? "" : "+", name.name);
    used += written > 0 ? static_cast<std::size_t>(written) : 0;
  }
}

void print_analyses(Value& out, const Options& options) noexcept {
  if (options.analyses == 0) return void(std::snprintf(out, sizeof out, "classes"));
  if (options.analyses == kAnalyseAll) return void(std::snprintf(out, sizeof out, "all"));
  print_bits(out, options.analyses, kAnalysisBits);
}

void print_time(Value& out, std::uint64_t ns) noexcept {
  const std::uint64_t ms = ns / kNsPerMs;
  if (ms != 0 && ms % 1000 == 0) {
    std::snprintf(out, sizeof out, "%" PRIu64 "s", ms / 1000);
  } else {
    std::snprintf(out, sizeof out, "%" PRIu64 "ms", ms);
  }
}

void print_every(Value& out, const Options& options) noexcept {
  if (options.every_ns == 0) return void(std::snprintf(out, sizeof out, "off"));
  print_time(out, options.every_ns);
}

void print_share(Value& out, std::uint32_t percent) noexcept {
  if (percent == 0) return void(std::snprintf(out, sizeof out, "off"));
  std::snprintf(out, sizeof out, "%" PRIu32 "%%", percent);
}

void print_memory(Value& out, std::uint64_t bytes) noexcept {
  if (bytes == kMemoryAuto) return void(std::snprintf(out, sizeof out, "auto"));
  std::snprintf(out, sizeof out, "%" PRIu64, bytes);
}

// The largest unit that it is a whole number of.
void print_size(Value& out, std::uint64_t bytes) noexcept {
  constexpr char kUnits[] = {'k', 'm', 'g'};
  char unit[2] = "";
  for (const char larger : kUnits) {
    if (bytes == 0 || bytes % 1024 != 0) break;
    bytes /= 1024;
    unit[0] = larger;
  }
  std::snprintf(out, sizeof out, "%" PRIu64 "%s", bytes, unit);
}

template <std::size_t N>
void print_choice(Value& out, std::size_t choice, const char* const (&names)[N]) noexcept {
  std::snprintf(out, sizeof out, "%s", choice < N ? names[choice] : "");
}

using Print = void (*)(Value& out, const Options& options);
struct Printer {
  std::string_view key;
  Print print;
};
constexpr const char* kDumpKinds[] = {"auto", "simple", "extended"};
constexpr const char* kCaptureNames[] = {"auto", "frozen", "walk", "objects"};
constexpr const char* kAccountModeNames[] = {"off", "sampled", "exact", "exact-live"};
constexpr const char* kLogLevels[] = {"off", "error", "info", "debug"};
constexpr const char* kSwitchNames[] = {"off", "on"};
constexpr Printer kPrinters[] = {
    {"on", [](Value& v, const Options& o) { print_bits(v, o.on, kTriggerBits); }},
    {"every", &print_every},
    {"heap-above", [](Value& v, const Options& o) { print_share(v, o.heap_above_percent); }},
    {"cgroup-above", [](Value& v, const Options& o) { print_share(v, o.cgroup_above_percent); }},
    {"cooldown", [](Value& v, const Options& o) { print_time(v, o.cooldown_ns); }},
    {"max-dumps",
     [](Value& v, const Options& o) { std::snprintf(v, sizeof v, "%" PRIu32, o.max_dumps); }},
    {"dump",
     [](Value& v, const Options& o) {
       print_choice(v, static_cast<std::size_t>(o.dump), kDumpKinds);
     }},
    {"capture",
     [](Value& v, const Options& o) {
       print_choice(v, static_cast<std::size_t>(o.capture), kCaptureNames);
     }},
    {"collect",
     [](Value& v, const Options& o) { print_choice(v, o.collect ? 1 : 0, kSwitchNames); }},
    {"memory", [](Value& v, const Options& o) { print_memory(v, o.memory_bytes); }},
    {"pause", [](Value& v, const Options& o) { print_time(v, o.pause_ns); }},
    {"exit-wait", [](Value& v, const Options& o) { print_time(v, o.exit_wait_ns); }},
    {"then",
     [](Value& v, const Options& o) {
       std::snprintf(v, sizeof v, "%s", o.then_exit ? "exit" : "off");
     }},
    {"snapshot",
     [](Value& v, const Options& o) { print_choice(v, o.snapshot ? 1 : 0, kSwitchNames); }},
    {"retain", [](Value& v, const Options& o) { print_bits(v, o.retain, kRetained); }},
    {"analyses", &print_analyses},
    {"accounts-mode",
     [](Value& v, const Options& o) {
       print_choice(v, static_cast<std::size_t>(o.accounts_mode), kAccountModeNames);
     }},
    {"accounts-by",
     [](Value& v, const Options& o) { print_bits(v, o.accounts_by, kDimensionBits); }},
    {"ages",
     [](Value& v, const Options& o) {
       print_choice(v, static_cast<std::size_t>(o.ages), kSwitchNames);
     }},
    {"sample",
     [](Value& v, const Options& o) {
       if (o.sample_steady) return print_size(v, o.sample_bytes);
       std::snprintf(v, sizeof v, "auto");
     }},
    {"track", [](Value& v, const Options& o) { print_choice(v, o.track ? 1 : 0, kSwitchNames); }},
    {"control",
     [](Value& v, const Options& o) { print_choice(v, o.control ? 1 : 0, kSwitchNames); }},
    {"log", [](Value& v,
               const Options& o) { print_choice(v, static_cast<std::size_t>(o.log), kLogLevels); }},
};

}  // namespace

std::string_view option_text(const Options& options, std::string_view key,
                             OptionText& room) noexcept {
  if (key == "dir") return options.dir;
  if (key == "file") return options.file;
  if (key == "only") return options.only;
  if (key == "sample-only") return options.sample_only[0] == '\0' ? "off" : options.sample_only;
  if (key == "accounts") return options.accounts[0] == '\0' ? "off" : options.accounts;
  const auto* const printer = std::find_if(std::begin(kPrinters), std::end(kPrinters),
                                           [key](const Printer& p) { return p.key == key; });
  room[0] = '\0';
  if (printer != std::end(kPrinters)) printer->print(room, options);
  return room;
}

}  // namespace holdfast
