#include "cli/attach/vm_stream.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "cli/attach/stopped_process.h"
#include "platforms/local_socket.h"
#include "platforms/local_stream.h"

namespace holdfast::cli {
namespace {

constexpr unsigned kWaitMs = 50;  // between two looks at the time and at Ctrl-C

bool later(std::int64_t answer) { return answer == -EAGAIN || answer == -EINTR; }

}  // namespace

int send_to_vm(int stream, std::string_view request, const Patience& patience) {
  while (!request.empty()) {
    const std::int64_t sent = platforms::send_some(stream, request.data(), request.size());
    if (sent > 0) request.remove_prefix(static_cast<std::size_t>(sent));
    if (sent >= 0) continue;
    if (!later(sent)) return static_cast<int>(-sent);
    if (patience.over()) return EAGAIN;
    platforms::wait_for_stream(stream, platforms::StreamWait::kWritable, kWaitMs);
  }
  return 0;
}

int receive_from_vm(int stream, std::string& reply, std::size_t most, const IsWhole& is_whole,
                    const Patience& patience) {
  char buffer[4096];
  while (reply.size() < most && !is_whole(reply)) {
    const std::size_t room = std::min(most - reply.size(), sizeof buffer);
    const std::int64_t got = platforms::receive_some(stream, buffer, room);
    if (got == 0 || got == -ECONNRESET) return 0;
    if (got > 0) reply.append(buffer, static_cast<std::size_t>(got));
    if (got > 0) continue;
    if (!later(got)) return static_cast<int>(-got);
    if (patience.over()) return EAGAIN;
    platforms::wait_for_stream(stream, platforms::StreamWait::kReadable, kWaitMs);
  }
  return 0;
}

int ask_vm(int stream, std::string_view request, std::string& reply, std::size_t most,
           const IsWhole& is_whole, const Patience& patience) {
  const int error = send_to_vm(stream, request, patience);
  if (error != 0 && error != EPIPE) return error;
  return receive_from_vm(stream, reply, most, is_whole, patience);
}

AttachOutcome broken_text(const platforms::OtherProcess& process, int error) {
  if (Patience::interrupted()) return refused("interrupted");
  const platforms::ProcessState state = state_now(process).state;
  if (state == platforms::ProcessState::kDead) return ended_text(process);
  if (state == platforms::ProcessState::kStopped) return stopped_text(process);
  if (error == EAGAIN)
    return refused("the VM of " + named(process) +
                   " listens, but did not answer in time; the agent may yet be loaded");
  return refused("the connection to the VM of " + named(process) +
                 " broke: " + std::strerror(error));
}

bool is_ending(const platforms::OtherProcess& process, const Patience& patience) {
  constexpr std::uint64_t kEndingNs = 200'000'000;
  return patience.at_most(kEndingNs).wait([&] { return !platforms::same_process(process); });
}

}  // namespace holdfast::cli
