#include "cli/attach/attach_protocol.h"

#include <algorithm>
#include <charconv>

namespace holdfast::cli {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = std::min(text.find_first_not_of(kBlanks), text.size());
  text.remove_prefix(begin);
  return text.substr(0, text.find_last_not_of(kBlanks) + 1);
}

std::optional<int> whole_number(std::string_view text) {
  int value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = parsed.ec == std::errc{} && parsed.ptr == text.data() + text.size();
  return whole && !text.empty() ? std::optional(value) : std::nullopt;
}

// A VM's own words are a path and a sentence; what is much longer is somebody else's.
constexpr std::size_t kMaxQuoted = 600;

std::string in_one_line(std::string_view text) {
  std::string line(text.substr(0, kMaxQuoted));
  std::ranges::replace(line, '\n', ' ');
  std::ranges::replace(line, '\r', ' ');
  return line;
}

}  // namespace

std::string encode_load(std::string_view library, std::string_view options) {
  if (library.size() > kMaxAttachArgument || options.size() > kMaxAttachArgument) return {};
  std::string request;
  for (const std::string_view word : {std::string_view("1"), std::string_view("load"), library,
                                      std::string_view("true"), options}) {
    request += word;
    request += '\0';
  }
  return request;
}

AttachReply parse_reply(std::string_view reply) {
  constexpr std::string_view kReturnCode = "return code: ";
  AttachReply found;
  const std::size_t line_end = reply.find('\n');
  const auto status = whole_number(trimmed(reply.substr(0, line_end)));
  if (!status) return found;
  found.understood = true;
  found.status = *status;
  const std::string_view rest =
      line_end == reply.npos ? std::string_view() : trimmed(reply.substr(line_end));
  const bool named = rest.starts_with(kReturnCode);
  found.agent_code = whole_number(named ? rest.substr(kReturnCode.size()) : rest);
  if (!found.agent_code) found.text = in_one_line(rest);
  return found;
}

bool too_early(const AttachReply& reply) {
  return reply.text.find("live phase") != std::string::npos;
}

AttachOutcome judge_reply(const AttachReply& reply) {
  if (!reply.understood)
    return refused(
        "the VM closed the connection without an answer (it accepts its own user and"
        " group only, or it is about to end)");
  if (reply.agent_code == 0 && reply.status == 0) return {};
  if (reply.agent_code)
    return {ExitCode::kRefused,
            "the agent is in the VM, but refused (it answered " +
                std::to_string(*reply.agent_code) +
                "); why is on the standard error of the process",
            *reply.agent_code};
  if (reply.text.find("ynamic agent loading is not enabled") != std::string::npos)
    return refused(
        "this VM forbids loading agents while it runs: start it with"
        " -XX:+EnableDynamicAgentLoading, or with -agentpath:/path/to/libholdfast.so");
  if (reply.text.empty())
    return refused("the VM could not load the agent (status " + std::to_string(reply.status) +
                   "); its own output may tell why");
  return refused("the VM could not load the agent: " + reply.text);
}

}  // namespace holdfast::cli
