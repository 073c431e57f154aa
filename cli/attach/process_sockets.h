// The local sockets at which a process listens, found by their names, and connections to them.
// Why by inode: who made a socket chose its directory, in its own namespaces, by variables of its own; the kernel knows which socket the
//         process holds and under which name.
// Shape:  the process' socket inodes, against the listening local sockets of its network namespace whose name passes. The name is resolved
//         inside the process' root, or in the directory that it holds open (/proc/self/fd/N/NAME, as an agent binds where the
//         path is longer than an address); then the peer must be that process, of that user.
// Zone:   offline.
// Errors: errno. A descriptor that is not valid has one too; -EPERM: another process or user answers there.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/attach/patience.h"
#include "cli/attach/target.h"

namespace holdfast::cli {

using PassesName = std::function<bool(std::string_view name)>;

// The paths, as they were bound, of the sockets that this process listens at and whose name passes.
int find_process_sockets(std::uint32_t pid, const PassesName& passes,
                         std::vector<std::string>& paths);

struct SocketPlace {
  platforms::Descriptor folder;
  std::string path;
};
// Before an identity is borrowed: the way there may be root's alone.
std::vector<SocketPlace> open_socket_places(const platforms::OtherProcess& process,
                                            const TargetFiles& files,
                                            const std::vector<std::string>& paths);

// With the identity of the process' user. A queue that is full for the moment is waited for.
platforms::Descriptor connect_to_place(const platforms::OtherProcess& process,
                                       const SocketPlace& place, const Patience& patience);

}  // namespace holdfast::cli
