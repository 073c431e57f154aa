// The words of HotSpot's attach protocol: one request, one answer, then the VM closes.
// Shape:  request: version "1", a command and three arguments, each ended by a zero. Answer: the command's status as a decimal number and a
//         line end; then text. Of `load`: the agent's own result, alone (8) or behind "return code: " (9 and later), else what went wrong.
// Zone:   offline.
// Errors: encode_load: empty when an argument is longer than the VM takes. parse_reply: `understood` is false.
// Source: HotSpot, services/attachListener and prims/jvmtiExport, as observed on JDK 8 to 28.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cli/attach/attach_outcome.h"

namespace holdfast::cli {

// HotSpot before 24 drops a connection with a longer argument.
inline constexpr std::size_t kMaxAttachArgument = 1024;
inline constexpr std::size_t kMaxAttachReply = std::size_t{64} << 10;

std::string encode_load(std::string_view library, std::string_view options);

struct AttachReply {
  bool understood = false;
  int status = 0;
  std::optional<int> agent_code;
  std::string text;  // what else the VM said, in one line
};
AttachReply parse_reply(std::string_view reply);

// The VM listens already, but is not ready for agents: ask again in a moment.
bool too_early(const AttachReply& reply);

// What a person is told about it.
AttachOutcome judge_reply(const AttachReply& reply);

}  // namespace holdfast::cli
