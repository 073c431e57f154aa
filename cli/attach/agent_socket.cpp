#include "cli/attach/agent_socket.h"

#include <cerrno>
#include <cstring>

#include "cli/attach/process_sockets.h"
#include "common/control/socket_name.h"

namespace holdfast::cli {
namespace {

using platforms::OtherProcess;

// For all of them together: an agent takes all who wait at once, unless its whole process stands still.
constexpr std::uint64_t kCrowdedPatienceNs = 2'000'000'000;

AgentSocket none(AgentPresence presence, AttachOutcome refusal) {
  AgentSocket socket;
  socket.presence = presence;
  socket.refusal = std::move(refusal);
  return socket;
}

AgentSocket failed(int error, const OtherProcess& process) {
  if (error == EACCES || error == EPERM)
    return none(AgentPresence::kNotPermitted, refused(not_permitted_text(process)));
  if (error == ESRCH || !platforms::same_process(process))
    return none(AgentPresence::kGone, ended_text(process));
  return none(AgentPresence::kUnreachable,
              refused(named(process) + " cannot be looked at: " + std::strerror(error)));
}

AgentSocket unreachable(int error, const OtherProcess& process, const std::string& path) {
  if (!platforms::same_process(process)) return none(AgentPresence::kGone, ended_text(process));
  if (error == EAGAIN && Patience::interrupted())
    return none(AgentPresence::kUnreachable, refused("interrupted"));
  const std::string where = "the agent's socket " + path + " of " + named(process);
  if (error == EPERM)
    return none(AgentPresence::kUnreachable,
                refused(where + " is answered by another process or user; it is left alone"));
  return none(AgentPresence::kUnreachable,
              refused(where + " cannot be reached: " + std::strerror(error)));
}

AgentSocket connect_to_any(const OtherProcess& process, const std::vector<SocketPlace>& places) {
  const platforms::BorrowedIdentity theirs(process.effective_user, process.effective_group);
  if (theirs.error() != 0) return failed(theirs.error(), process);
  const Patience patience(kCrowdedPatienceNs);
  const SocketPlace* nearest = &places.front();
  int error = EPERM;
  for (const SocketPlace& place : places) {
    AgentSocket socket;
    socket.stream = connect_to_place(process, place, patience);
    if (!socket.stream.valid() && error == EPERM) {  // another's says least of why
      error = socket.stream.error();
      nearest = &place;
    }
    if (!socket.stream.valid()) continue;
    socket.presence = AgentPresence::kConnected;
    socket.inner_pid = process.inner_pid;
    return socket;
  }
  return unreachable(error, process, nearest->path);
}

}  // namespace

int find_agent_sockets(std::uint32_t pid, std::vector<std::string>& paths) {
  return find_process_sockets(pid, &control::is_socket_name, paths);
}

AgentSocket connect_to_agent_of(const OtherProcess& process) {
  std::vector<std::string> paths;
  const int looked =
      as_ours_or_theirs(process, [&] { return find_agent_sockets(process.pid, paths); });
  if (looked != 0) return failed(looked, process);
  if (paths.empty())
    return none(AgentPresence::kNoAgent, refused(named(process) + " has no agent that listens"));
  TargetFiles files;
  if (const int error = open_target_files(process, files); error != 0)
    return failed(error, process);
  return connect_to_any(process, open_socket_places(process, files, paths));
}

}  // namespace holdfast::cli
