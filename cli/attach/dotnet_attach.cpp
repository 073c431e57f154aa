#include "cli/attach/dotnet_attach.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "cli/attach/diagnostics_protocol.h"
#include "cli/attach/start_words.h"
#include "cli/attach/stopped_process.h"
#include "cli/attach/vm_stream.h"
#include "common/time_units.h"

namespace holdfast::cli {
namespace {

// A runtime takes a third of a second at least to let a profiler go that was asked to leave.
constexpr std::uint64_t kLeavingNs = 2'000'000'000;

// The runtime waits no longer than a person does, and answers before that person has gone.
std::uint32_t runtime_patience_ms(const Patience& patience) {
  constexpr std::uint64_t kLeastMs = 100, kMostMs = 60'000;
  return static_cast<std::uint32_t>(
      std::clamp(patience.left_ns() / 2 / kNsPerMs, kLeastMs, kMostMs));
}

struct Exchange {
  DiagnosticsReply reply;
  AttachOutcome refusal;  // where there is no reply
};

Exchange ask_once(const Target& target, const DiagnosticsEndpoint& endpoint,
                  const std::string& request, const Patience& patience) {
  const platforms::OtherProcess& process = target.process;
  if (auto refusal = wait_until_running(process, patience); !refusal.good()) return {{}, refusal};
  const DiagnosticsStream runtime = connect_to_diagnostics(target, endpoint, patience);
  if (!runtime.stream.valid()) return {{}, runtime.refusal};
  std::string reply;
  const int error = ask_vm(runtime.stream.get(), request, reply, kMaxDiagnosticsMessage,
                           &is_whole_reply, patience);
  if (error != 0) return {{}, broken_text(process, error)};
  if (reply.empty() && is_ending(process, patience)) return {{}, ended_text(process)};
  return {parse_diagnostics_reply(reply), {}};
}

Exchange ask_until_settled(const Target& target, const DiagnosticsEndpoint& endpoint,
                           const std::string& request, const Patience& patience) {
  const Patience leaving = patience.at_most(target.agent_path.empty() ? 0 : kLeavingNs);
  std::optional<Exchange> last;
  patience.wait([&] {
    Exchange next = ask_once(target, endpoint, request, patience);
    // What the runtime said before tells more than that time is up.
    if (!last || next.refusal.good() || !patience.over()) last = std::move(next);
    const bool may_change =
        ask_again(last->reply) || (already_profiled(last->reply) && !leaving.over());
    return !may_change;
  });
  return std::move(*last);
}

std::string_view file_name_of(std::string_view path) { return path.substr(path.rfind('/') + 1); }

AttachOutcome another_is_there(const Target& target) {
  const std::string& profiler = target.dotnet.profiler;
  const std::string which = profiler.empty() ? std::string() : " (" + profiler + ")";
  return refused(named(target.process) + " has another CLR profiler already" + which +
                 ", and a running .NET process takes only one; to have both, start it with " +
                 load_beside_text());
}

// Ours or somebody else's? That our library is in memory proves nothing: the runtime keeps one that it has refused.
AttachOutcome taken(const Target& target) {
  const std::string_view started_with = file_name_of(target.dotnet.profiler);
  if (!started_with.empty() && started_with != kAgentName) return another_is_there(target);
  AttachOutcome outcome =
      target.agent_path.empty()
          ? another_is_there(target)
          : refused("the agent is in " + named(target.process) +
                    " already, but does not listen: control=off is among its options, it turned"
                    " itself off or is just leaving, or another CLR profiler came in its place");
  // Another command, one that does not see our turn, may just have brought it in: its socket tells.
  outcome.agent_code = 1;
  return outcome;
}

}  // namespace

AttachOutcome load_into_dotnet(const Target& target, const DiagnosticsEndpoint& endpoint,
                               const std::string& library, const std::string& options,
                               const Patience& patience) {
  const std::string request = encode_attach(library, options, runtime_patience_ms(patience));
  if (request.empty())
    return refused("the library's path and the options are too long for the runtime (" +
                   std::to_string(kMaxDiagnosticsMessage) +
                   " bytes together), or the path is no UTF-8");
  const Exchange exchange = ask_until_settled(target, endpoint, request, patience);
  if (!exchange.refusal.good()) return exchange.refusal;
  return already_profiled(exchange.reply) ? taken(target) : judge_reply(exchange.reply);
}

}  // namespace holdfast::cli
