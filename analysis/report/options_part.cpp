// The options in force, as text that could be given again: a report should tell how to get another one like it.
#include <cinttypes>
#include <cstdio>

#include "analysis/report/report_parts.h"

namespace holdfast::analysis {
namespace {

constexpr std::size_t kMaxValueBytes = 64;
using Value = char[kMaxValueBytes];

struct Bit {
  std::uint32_t bit;
  const char* name;
};
constexpr Bit kTriggers[] = {{kOnSignal, "signal"}, {kOnOom, "oom"},     {kOnExit, "exit"},
                             {kOnGc, "gc"},         {kOnStart, "start"}, {kOnGrowth, "growth"}};
constexpr Bit kRetained[] = {
    {kRetainStrong, "strong"}, {kRetainSoft, "soft"}, {kRetainWeak, "weak"}};

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

void print_time(Value& out, std::uint64_t ns) noexcept {
  constexpr std::uint64_t kNsPerMs = 1'000'000;
  const std::uint64_t ms = ns / kNsPerMs;
  if (ms != 0 && ms % 1000 == 0) {
    std::snprintf(out, sizeof out, "%" PRIu64 "s", ms / 1000);
  } else {
    std::snprintf(out, sizeof out, "%" PRIu64 "ms", ms);
  }
}

void print_period(Value& out, std::uint64_t ns) noexcept {
  if (ns == 0) return void(std::snprintf(out, sizeof out, "off"));
  print_time(out, ns);
}

void print_share(Value& out, std::uint32_t percent) noexcept {
  if (percent == 0) return void(std::snprintf(out, sizeof out, "off"));
  std::snprintf(out, sizeof out, "%" PRIu32 "%%", percent);
}

void print_memory(Value& out, std::uint64_t bytes) noexcept {
  if (bytes == kMemoryAuto) return void(std::snprintf(out, sizeof out, "auto"));
  std::snprintf(out, sizeof out, "%" PRIu64, bytes);
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
constexpr const char* kCaptures[] = {"auto", "frozen", "walk"};
constexpr const char* kLogLevels[] = {"off", "error", "info", "debug"};
constexpr const char* kSwitch[] = {"off", "on"};
constexpr Printer kPrinters[] = {
    {"on", [](Value& v, const Options& o) { print_bits(v, o.on, kTriggers); }},
    {"every", [](Value& v, const Options& o) { print_period(v, o.every_ns); }},
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
       print_choice(v, static_cast<std::size_t>(o.capture), kCaptures);
     }},
    {"memory", [](Value& v, const Options& o) { print_memory(v, o.memory_bytes); }},
    {"pause", [](Value& v, const Options& o) { print_time(v, o.pause_ns); }},
    {"exit-wait", [](Value& v, const Options& o) { print_time(v, o.exit_wait_ns); }},
    {"then",
     [](Value& v, const Options& o) {
       std::snprintf(v, sizeof v, "%s", o.then_exit ? "exit" : "off");
     }},
    {"snapshot", [](Value& v, const Options& o) { print_choice(v, o.snapshot ? 1 : 0, kSwitch); }},
    {"retain", [](Value& v, const Options& o) { print_bits(v, o.retain, kRetained); }},
    {"log", [](Value& v,
               const Options& o) { print_choice(v, static_cast<std::size_t>(o.log), kLogLevels); }},
};

// The value's text lives in the arena until the strings are written.
Result<std::string_view> value_text(ReportJob& job, std::string_view key) noexcept {
  if (key == "dir") return std::string_view(fixed_text(job.options.dir));
  if (key == "file") return std::string_view(fixed_text(job.options.file));
  const auto printer = std::find_if(std::begin(kPrinters), std::end(kPrinters),
                                    [key](const Printer& p) { return p.key == key; });
  if (printer == std::end(kPrinters)) return std::string_view{};
  HF_TRY(text, job.arena.make_filled<char>(kMaxValueBytes, '\0'));
  Value value = "";
  printer->print(value, job.options);
  const std::string_view printed = fixed_text(value);
  std::copy(printed.begin(), printed.end(), text.begin());
  return std::string_view(text.data(), printed.size());
}

}  // namespace

Result<Offset<RowList<report::Option>>> write_options(ReportJob& job) noexcept {
  std::string_view keys[kMaxReportOptions];
  std::size_t count = 0;
  for (const OptionRow& row : option_table()) {
    if (row.built && count < kMaxReportOptions) keys[count++] = row.key;
  }
  return write_rows<report::Option>(
      job, count, kOptionBytes, [&](std::size_t i) -> Result<Offset<report::Option>> {
        HF_TRY(value, value_text(job, keys[i]));
        return report::CreateOption(job.builder(), job.text(keys[i]), job.text(value));
      });
}

}  // namespace holdfast::analysis
