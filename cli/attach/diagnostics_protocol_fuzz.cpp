// Whatever a runtime, or something in its place, answers: one line, success only if that was said, and no waiting for what cannot come.
#include <algorithm>
#include <cstdlib>

#include "cli/attach/diagnostics_protocol.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace holdfast::cli;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const DiagnosticsReply reply = parse_diagnostics_reply(bytes);
  const AttachOutcome outcome = judge_reply(reply);
  if (outcome.good() != (reply.understood && reply.result >= 0)) std::abort();
  if (outcome.good() != outcome.text.empty()) std::abort();
  if (std::ranges::count(outcome.text, '\n') != 0 || outcome.text.size() > 1000) std::abort();
  if (reply.understood && !is_whole_reply(bytes)) std::abort();
  if (size >= kMaxDiagnosticsMessage && !is_whole_reply(bytes)) std::abort();
  // Any bytes as a path and as options: refused, or a message of the size that it says.
  const std::string_view path = bytes.substr(0, size / 2);
  const std::string request = encode_attach(path, bytes.substr(size / 2), 1);
  if (!request.empty() && !is_whole_reply(request)) std::abort();
  if (!request.empty() && is_whole_reply(request.substr(0, request.size() - 1))) std::abort();
  return 0;
}
