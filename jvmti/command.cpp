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

constexpr std::size_t kMaxCommand = 256;

// jcmd cut "=extended" off `dump=extended`: say how to write it, because "dump" alone looks right to whoever typed it.
bool cut_by_jcmd(std::string_view text) noexcept {
  const std::string_view last = text.substr(text.rfind(',') + 1);
  return allowed(last);
}

Command bad(Command command, const char* why) noexcept {
  std::snprintf(command.error.text, sizeof command.error.text, "%s", why);
  return command;
}

}  // namespace

Command read_command(std::string_view given) noexcept {
  Command command;
  Options options;
  char text[kMaxCommand];
  if (given == "detach") {
    command.kind = CommandKind::kDetach;
    return command;
  }
  if (given.size() > sizeof text) return bad(command, "this command is too long");
  if (cut_by_jcmd(given))
    return bad(command, "a value is missing: jcmd drops what follows '=', so write dump:extended");
  std::transform(given.begin(), given.end(), text, [](char c) { return c == ':' ? '=' : c; });
  if (!parse_options({text, given.size()}, options, command.error)) return command;
  if (options.help) {
    command.kind = CommandKind::kHelp;
    return command;
  }
  if (const std::string_view key = load_time_key(options); !key.empty()) {
    std::snprintf(command.error.text, sizeof command.error.text,
                  "%.*s=: the agent is loaded already, a command takes only dump, capture, pause, "
                  "snapshot or help",
                  static_cast<int>(key.size()), key.data());
    return command;
  }
  if (options.named == 0)
    return bad(command,
               "the agent is loaded already; ask it for dump:auto, dump:simple or dump:extended");
  command.kind = CommandKind::kDump;
  command.request.trigger = Trigger::kCommand;
  if (option_named(options, "dump")) command.request.kind = options.dump;
  if (option_named(options, "capture")) command.request.capture = options.capture;
  if (option_named(options, "pause")) command.request.pause_limit_ns = options.pause_ns;
  command.request.snapshot = options.snapshot;
  return command;
}

}  // namespace holdfast::jvmti
