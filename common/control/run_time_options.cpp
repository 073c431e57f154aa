#include "common/control/run_time_options.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <iterator>

#include "common/option_text.h"

namespace holdfast::control {

namespace {

constexpr std::string_view kRunTimeKeys[] = {
    "on",       "every",   "heap-above", "cgroup-above", "cooldown",  "max-dumps",
    "dump",     "capture", "collect",    "pause",        "exit-wait", "then",
    "snapshot", "retain",  "analyses",   "track",        "file",      "log"};
constexpr char kAllowed[] =
    "on, every, heap-above, cgroup-above, cooldown, max-dumps, dump, capture, collect, pause, "
    "exit-wait, then, snapshot, retain, analyses, track, file and log (the level)";

bool refuse(OptionError& error, std::string_view key, const char* why) noexcept {
  std::snprintf(error.text, sizeof error.text, "%.*s: %s; what can change at run time: %s",
                static_cast<int>(key.size()), key.data(), why, kAllowed);
  return false;
}

bool all_change_at_run_time(const Options& wanted, OptionError& error) noexcept {
  for (const OptionRow& row : option_table())
    if (option_named(wanted, row.key) && !changes_at_run_time(row.key))
      return refuse(error, row.key, "is chosen when the agent is loaded");
  return true;
}

}  // namespace

bool changes_at_run_time(std::string_view key) noexcept {
  return std::find(std::begin(kRunTimeKeys), std::end(kRunTimeKeys), key) != std::end(kRunTimeKeys);
}

bool change_run_time_options(std::string_view text, Options& options, std::uint32_t& changed,
                             OptionError& error) noexcept {
  Options wanted = options;
  wanted.help = false;
  if (!parse_options(text, wanted, error)) return false;
  if (wanted.help) return refuse(error, "help", "sets nothing");
  if (wanted.named == 0) return refuse(error, "set", "names no option");
  if (!all_change_at_run_time(wanted, error)) return false;
  if (std::strcmp(wanted.log_file, options.log_file) != 0)
    return refuse(error, "log", "its file is chosen when the agent is loaded");
  changed = wanted.named;
  wanted.named |= options.named;
  options = wanted;
  return true;
}

namespace {

// KEY=VALUE alone. Nothing that says more than one value fits it.
bool read_one(std::string_view key, std::string_view value, std::size_t most, Options& options,
              OptionError& error) noexcept {
  char text[kMaxFileName + 32];
  if (value.size() > most || value.find(',') != std::string_view::npos) {
    std::snprintf(error.text, sizeof error.text,
                  "%.*s: wanted is a value without ',' of at most %zu bytes",
                  static_cast<int>(key.size()), key.data(), most);
    return false;
  }
  std::memcpy(text, key.data(), key.size());
  text[key.size()] = '=';
  std::memcpy(text + key.size() + 1, value.data(), value.size());
  return parse_options({text, key.size() + 1 + value.size()}, options, error);
}

}  // namespace

bool read_file_pattern(std::string_view pattern, char (&out)[kMaxFileName + 1],
                       OptionError& error) noexcept {
  Options scratch;
  if (!read_one("file", pattern, kMaxFileName, scratch, error)) return false;
  std::memcpy(out, pattern.data(), pattern.size());
  out[pattern.size()] = '\0';
  return true;
}

bool read_analyses(std::string_view words, std::uint32_t& out, OptionError& error) noexcept {
  Options scratch;
  if (!read_one("analyses", words, kMaxPrintedValue, scratch, error)) return false;
  out = scratch.analyses;
  return true;
}

}  // namespace holdfast::control
