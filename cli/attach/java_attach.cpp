#include "cli/attach/java_attach.h"

#include <cerrno>
#include <cstring>

#include "cli/attach/attach_protocol.h"
#include "cli/attach/listening_vm.h"
#include "cli/attach/vm_readiness.h"
#include "platforms/local_socket.h"
#include "platforms/local_stream.h"

namespace holdfast::cli {
namespace {

constexpr unsigned kWaitMs = 50;  // between two looks at the time and at Ctrl-C

// errno; EAGAIN when patience was over.
int send_request(int stream, std::string_view request, const Patience& patience) {
  while (!request.empty()) {
    const std::int64_t sent = platforms::send_some(stream, request.data(), request.size());
    if (sent > 0) request.remove_prefix(static_cast<std::size_t>(sent));
    if (sent >= 0) continue;
    if (sent != -EAGAIN && sent != -EINTR) return static_cast<int>(-sent);
    if (patience.over()) return EAGAIN;
    platforms::wait_for_stream(stream, platforms::StreamWait::kWritable, kWaitMs);
  }
  return 0;
}

// Up to the end of the stream; what is longer than any lawful answer is cut.
int receive_reply(int stream, std::string& reply, const Patience& patience) {
  char buffer[4096];
  while (reply.size() < kMaxAttachReply) {
    const std::int64_t got = platforms::receive_some(stream, buffer, sizeof buffer);
    if (got == 0 || got == -ECONNRESET) return 0;
    if (got > 0) reply.append(buffer, static_cast<std::size_t>(got));
    if (got > 0) continue;
    if (got != -EAGAIN && got != -EINTR) return static_cast<int>(-got);
    if (patience.over()) return EAGAIN;
    platforms::wait_for_stream(stream, platforms::StreamWait::kReadable, kWaitMs);
  }
  return 0;
}

AttachOutcome broken_text(const Target& target, int error) {
  if (Patience::interrupted()) return refused("interrupted");
  if (!platforms::same_process(target.process)) return ended_text(target.process);
  if (error == EAGAIN)
    return refused("the VM of " + named(target.process) +
                   " listens, but did not answer in time; the agent may yet be loaded");
  return refused("the connection to the VM of " + named(target.process) +
                 " broke: " + std::strerror(error));
}

// A process that ends closes its connections a little before it is gone.
bool is_ending(const Target& target, const Patience& patience) {
  constexpr std::uint64_t kEndingNs = 200'000'000;
  return patience.at_most(kEndingNs).wait([&] { return !platforms::same_process(target.process); });
}

struct Exchange {
  AttachReply reply;
  AttachOutcome refusal;  // where there is no reply
};

Exchange ask_once(const Target& target, const TargetFiles& files, const std::string& request,
                  const Patience& patience) {
  const ListeningVm vm = connect_to_vm(target, files, patience);
  if (!vm.stream.valid()) return {{}, vm.refusal};
  wait_until_ready(target, files, patience);
  int error = send_request(vm.stream.get(), request, patience);
  std::string reply;
  // A VM that refuses the user closes at once, perhaps before it has read: that is an answer too.
  if (error == 0 || error == EPIPE) error = receive_reply(vm.stream.get(), reply, patience);
  if (error != 0) return {{}, broken_text(target, error)};
  if (reply.empty() && is_ending(target, patience)) return {{}, ended_text(target.process)};
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
  Exchange exchange;
  patience.wait([&] {
    exchange = ask_once(target, files, request, patience);
    return !exchange.refusal.good() || !too_early(exchange.reply);
  });
  return exchange.refusal.good() ? judge_reply(exchange.reply) : exchange.refusal;
}

}  // namespace holdfast::cli
