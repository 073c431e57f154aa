// How an agent's control socket is called, so that the command finds it among a process' sockets.
// Shape:  "holdfast-PID.sock", or "holdfast-PID-K.sock" (K from 2) where a living process with the same number has the first: two
//         containers may share a directory. PID is the process' number as it sees itself.
//         The directory is the first that will do of: $XDG_RUNTIME_DIR/holdfast, /run/user/UID/holdfast, /tmp/holdfast-UID, the
//         agent's dir=. The command need not know which: it looks the socket up by its inode, among the process' open files and
//         in /proc/PID/net/unix, and goes there through /proc/PID/root.
// Zone:   worker, offline.   Errors: none.
#pragma once

#include <string_view>

namespace holdfast::control {

inline constexpr std::string_view kSocketPrefix = "holdfast-";
inline constexpr std::string_view kSocketSuffix = ".sock";

// Is this the last part of a control socket's path?
constexpr bool is_socket_name(std::string_view name) noexcept {
  return name.size() > kSocketPrefix.size() + kSocketSuffix.size() &&
         name.starts_with(kSocketPrefix) && name.ends_with(kSocketSuffix);
}

}  // namespace holdfast::control
