#include "cli/attach/java_attach.h"

#include "cli/attach/attach_protocol.h"
#include "cli/attach/listening_vm.h"
#include "cli/attach/vm_readiness.h"
#include "cli/attach/vm_stream.h"

namespace holdfast::cli {
namespace {

struct AttachExchange {
  AttachReply reply;
  AttachOutcome refusal;  // where there is no reply
};

AttachExchange ask_once(const Target& target, const TargetFiles& files, const std::string& request,
                        const Patience& patience) {
  const ListeningVm vm = connect_to_vm(target, files, patience);
  if (!vm.stream.valid()) return {{}, vm.refusal};
  wait_until_ready(target, files, patience);
  std::string reply;
  const auto until_it_closes = [](std::string_view) { return false; };
  const int error =
      ask_vm(vm.stream.get(), request, reply, kMaxAttachReply, until_it_closes, patience);
  if (error != 0) return {{}, broken_text(target.process, error)};
  if (reply.empty() && is_ending(target.process, patience)) return {{}, ended_text(target.process)};
  return {parse_reply(reply), {}};
}

}  // namespace

AttachOutcome load_into_java(const Target& target, const TargetFiles& files,
                             const std::string& library, const std::string& options,
                             const Patience& patience) {
  const std::string request = encode_load(library, options);
  if (request.empty())
    return refused("the library's path and the options may have " +
                   std::to_string(kMaxAttachArgument) + " bytes each, no more: the VM's limit");
  AttachExchange exchange;
  patience.wait([&] {
    exchange = ask_once(target, files, request, patience);
    return !exchange.refusal.good() || !too_early(exchange.reply);
  });
  return exchange.refusal.good() ? judge_reply(exchange.reply) : exchange.refusal;
}

}  // namespace holdfast::cli
