// Whatever a VM, or something in its place, answers: one line, and success only if that was said.
#include <algorithm>
#include <cstdlib>

#include "cli/attach/attach_protocol.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace holdfast::cli;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const AttachReply reply = parse_reply(text);
  const AttachOutcome outcome = judge_reply(reply);
  if (outcome.good() != (reply.understood && reply.status == 0 && reply.agent_code == 0))
    std::abort();
  if (outcome.good() != outcome.text.empty()) std::abort();
  if (std::ranges::count(outcome.text, '\n') != 0 || outcome.text.size() > 1000) std::abort();
  return 0;
}
