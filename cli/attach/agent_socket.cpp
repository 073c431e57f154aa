#include "cli/attach/agent_socket.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>
#include <string_view>

#include "cli/attach/patience.h"
#include "common/control/socket_name.h"
#include "platforms/local_socket.h"
#include "platforms/local_stream.h"

namespace holdfast::cli {
namespace {

using platforms::Descriptor;
using platforms::LocalSocketName;
using platforms::OtherProcess;

// Candidates that are looked at. A process has one agent, but it may have any number of sockets, and anybody in its network namespace can
// add lines to the list by a socket whose name has newlines. Each costs one look at a file; one of another user is not connected to.
constexpr std::size_t kMaxCandidates = 64;
// For all of them together: an agent takes all who wait at once, unless its whole process stands still.
constexpr std::uint64_t kCrowdedPatienceNs = 2'000'000'000;

struct NamedSocket {
  std::uint64_t inode;
  std::string path;
};

std::string_view last_part(std::string_view path) { return path.substr(path.rfind('/') + 1); }

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == path.npos) return {};
  return slash == 0 ? "/" : path.substr(0, slash);
}

// All in its network namespace, other processes' too.
int find_named(std::uint32_t pid, std::vector<NamedSocket>& found) {
  return platforms::visit_local_sockets(
      pid,
      [](void* context, const LocalSocketName& socket) {
        auto& to = *static_cast<std::vector<NamedSocket>*>(context);
        if (socket.listens && !socket.path.starts_with('@') &&
            control::is_socket_name(last_part(socket.path)))
          to.push_back({socket.inode, std::string(socket.path)});
        return true;
      },
      &found);
}

struct Held {
  const std::vector<NamedSocket>& named;
  std::vector<std::string>& paths;
};

bool note_held(void* context, std::uint64_t inode) {
  auto& held = *static_cast<Held*>(context);
  for (const NamedSocket& socket : held.named) {
    if (held.paths.size() >= kMaxCandidates) return false;
    if (socket.inode == inode && std::ranges::find(held.paths, socket.path) == held.paths.end())
      held.paths.push_back(socket.path);
  }
  return held.paths.size() < kMaxCandidates;
}

// "/proc/self/fd/12" of the process' own.
std::optional<unsigned> own_descriptor(std::string_view folder) {
  constexpr std::string_view kOwn = "/proc/self/fd/";
  if (!folder.starts_with(kOwn)) return std::nullopt;
  folder.remove_prefix(kOwn.size());
  unsigned number = 0;
  const auto parsed = std::from_chars(folder.data(), folder.data() + folder.size(), number);
  const bool whole = parsed.ec == std::errc{} && parsed.ptr == folder.data() + folder.size();
  return whole ? std::optional(number) : std::nullopt;
}

// A relative name was bound in the directory where the process then worked, as far as anybody can tell.
Descriptor open_folder(std::uint32_t pid, const TargetFiles& files, const std::string& path) {
  const std::string folder = folder_of(path);
  if (const auto number = own_descriptor(folder))
    return platforms::open_process_descriptor(pid, *number);
  if (path.starts_with('/'))
    return platforms::open_directory_inside(files.root.get(), folder.c_str());
  return platforms::open_directory_strictly(files.working.get(), folder.c_str());
}

struct Place {
  Descriptor folder;
  std::string path;
};

// Before an identity is borrowed: the way there may be root's alone.
std::vector<Place> open_places(const OtherProcess& process, const TargetFiles& files,
                               const std::vector<std::string>& paths) {
  std::vector<Place> places;
  for (const std::string& path : paths) {
    Place place{Descriptor(), path};
    as_ours_or_theirs(process, [&] {
      place.folder = open_folder(process.pid, files, path);
      return place.folder.error();
    });
    places.push_back(std::move(place));
  }
  return places;
}

// A queue that is full for the moment is waited for.
Descriptor connect_patiently(const Place& place, std::uint32_t user, const Patience& patience) {
  const std::string name(last_part(place.path));
  Descriptor stream;
  patience.wait([&] {
    stream = platforms::connect_local_stream(place.folder.get(), name.c_str(), user);
    return stream.error() != EAGAIN;
  });
  return stream;
}

Descriptor connect_to(const OtherProcess& process, const Place& place, const Patience& patience) {
  if (!place.folder.valid()) return Descriptor(-place.folder.error());
  Descriptor stream = connect_patiently(place, process.effective_user, patience);
  if (!stream.valid()) return stream;
  platforms::Peer peer;
  const bool is_it = platforms::peer_of(stream.get(), peer) &&
                     peer.user == process.effective_user && peer.process == process.pid;
  return is_it ? std::move(stream) : Descriptor(-EPERM);
}

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

AgentSocket connect_to_any(const OtherProcess& process, const std::vector<Place>& places) {
  const platforms::BorrowedIdentity theirs(process.effective_user, process.effective_group);
  if (theirs.error() != 0) return failed(theirs.error(), process);
  const Patience patience(kCrowdedPatienceNs);
  const Place* nearest = &places.front();
  int error = EPERM;
  for (const Place& place : places) {
    AgentSocket socket;
    socket.stream = connect_to(process, place, patience);
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
  std::vector<NamedSocket> sockets;
  if (const int error = find_named(pid, sockets); error != 0) return error;
  Held held{sockets, paths};
  // Asked even where there is none: whether we may look at all is an answer too.
  return platforms::visit_sockets(pid, &note_held, &held);
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
  return connect_to_any(process, open_places(process, files, paths));
}

}  // namespace holdfast::cli
