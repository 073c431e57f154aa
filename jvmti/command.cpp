#include "jvmti/command.h"

#include <algorithm>
#include <cstdio>
#include <iterator>

namespace holdfast::jvmti {

namespace {

constexpr std::string_view kAllowed[] = {"dump", "capture", "pause", "snapshot"};

bool allowed(std::string_view key) noexcept {
  return std::find(std::begin(kAllowed), std::end(kAllowed), key) != std::end(kAllowed);
}

// The first key that only matters at load; empty when there is none.
std::string_view load_time_key(const Options& options) noexcept {
  for (const OptionRow& row : option_table())
    if (option_named(options, row.key) && !allowed(row.key)) return row.key;
  return {};
}

}  // namespace

Command read_command(std::string_view text) noexcept {
  Command command;
  Options options;
  if (!parse_options(text, options, command.error)) return command;
  if (options.help) {
    command.kind = CommandKind::kHelp;
    return command;
  }
  if (const std::string_view key = load_time_key(options); !key.empty()) {
    std::snprintf(command.error.text, sizeof command.error.text,
                  "%.*s=: the agent is loaded already, a command takes only dump, capture, pause, snapshot or help",
                  static_cast<int>(key.size()), key.data());
    return command;
  }
  if (options.named == 0) {
    std::snprintf(command.error.text, sizeof command.error.text, "the agent is loaded already; ask it for dump=auto, simple or extended");
    return command;
  }
  command.kind = CommandKind::kDump;
  command.request.trigger = Trigger::kCommand;
  if (option_named(options, "dump")) command.request.kind = options.dump;
  if (option_named(options, "capture")) command.request.capture = options.capture;
  if (option_named(options, "pause")) command.request.pause_limit_ns = options.pause_ns;
  command.request.snapshot = options.snapshot;
  return command;
}

}  // namespace holdfast::jvmti
