#include "cli/attach/process_sockets.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <optional>

#include "platforms/local_socket.h"
#include "platforms/local_stream.h"

namespace holdfast::cli {
namespace {

using platforms::Descriptor;
using platforms::LocalSocketName;
using platforms::OtherProcess;

// Candidates that are looked at. A process has one agent and one VM, but it may have any number of sockets, and anybody in its network
// namespace can add lines to the list by a socket whose name has newlines. Each costs one look at a file; one of another user is not
// connected to.
constexpr std::size_t kMaxCandidates = 64;

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

struct Search {
  const PassesName& passes;
  std::vector<NamedSocket> found;
};

// All in its network namespace, other processes' too.
int find_named(std::uint32_t pid, Search& search) {
  return platforms::visit_local_sockets(
      pid,
      [](void* context, const LocalSocketName& socket) {
        auto& into = *static_cast<Search*>(context);
        if (socket.listens && !socket.path.starts_with('@') && into.passes(last_part(socket.path)))
          into.found.push_back({socket.inode, std::string(socket.path)});
        return true;
      },
      &search);
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

Descriptor connect_patiently(const SocketPlace& place, std::uint32_t user,
                             const Patience& patience) {
  const std::string name(last_part(place.path));
  Descriptor stream;
  patience.wait([&] {
    stream = platforms::connect_local_stream(place.folder.get(), name.c_str(), user);
    return stream.error() != EAGAIN;
  });
  return stream;
}

}  // namespace

int find_process_sockets(std::uint32_t pid, const PassesName& passes,
                         std::vector<std::string>& paths) {
  Search search{passes, {}};
  if (const int error = find_named(pid, search); error != 0) return error;
  Held held{search.found, paths};
  // Asked even where there is none: whether we may look at all is an answer too.
  return platforms::visit_sockets(pid, &note_held, &held);
}

std::vector<SocketPlace> open_socket_places(const OtherProcess& process, const TargetFiles& files,
                                            const std::vector<std::string>& paths) {
  std::vector<SocketPlace> places;
  for (const std::string& path : paths) {
    SocketPlace place{Descriptor(), path};
    as_ours_or_theirs(process, [&] {
      place.folder = open_folder(process.pid, files, path);
      return place.folder.error();
    });
    places.push_back(std::move(place));
  }
  return places;
}

Descriptor connect_to_place(const OtherProcess& process, const SocketPlace& place,
                            const Patience& patience) {
  if (!place.folder.valid()) return Descriptor(-place.folder.error());
  Descriptor stream = connect_patiently(place, process.effective_user, patience);
  if (!stream.valid()) return stream;
  platforms::Peer peer;
  const bool is_it = platforms::peer_of(stream.get(), peer) &&
                     peer.user == process.effective_user && peer.process == process.pid;
  return is_it ? std::move(stream) : Descriptor(-EPERM);
}

}  // namespace holdfast::cli
