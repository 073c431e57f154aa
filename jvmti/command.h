// A command to an agent that is loaded already: `dump:extended`, `dump:simple,capture:walk`, `pause:10s`, `detach`, `help`.
// Why the options' own syntax: `jcmd PID JVMTI.agent_load libholdfast.so dump:extended` is a remote control that needs nothing new.
// Why ':' too: jcmd takes `dump=extended` for an argument of its own and hands over `dump` alone, unless it is quoted twice
//      ('"dump=extended"'); the attach protocol itself keeps '='. Both are read.
// Shape:  a pure function from text to a request that overrides only what the text names.
// Zone:   event (attach), offline.
// Errors: an OptionError; options that only matter at load are refused by name, and so is a text that asks for nothing.
#pragma once

#include <cstdint>
#include <string_view>

#include "common/dump_request.h"
#include "common/options.h"

namespace holdfast::jvmti {

enum class CommandKind : std::uint8_t { kDump, kDetach, kHelp, kBad };

struct Command {
  CommandKind kind = CommandKind::kBad;
  DumpRequest request;
  OptionError error;
};

Command read_command(std::string_view text) noexcept;

}  // namespace holdfast::jvmti
