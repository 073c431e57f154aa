// Local stream sockets: one that listens inside a private directory, its connections, and one descriptor that tells which are ready.
// Why not libuv's pipes: an epoll_ctl that the system refuses (watches of a user used up, a descriptor that the application closed)
//      ends in abort() there, accept() may hand out 0, 1 or 2, a write can raise SIGPIPE, and a listener that gets EMFILE spins.
// Shape:  descriptors are close-on-exec, non-blocking and never 0, 1 or 2. Directories are opened once and everything in them is
//         named relative to that descriptor, so that long paths work (sun_path has 108 bytes) and nobody can move them meanwhile.
// Zone:   worker, offline.
// Errors: functions that give a descriptor or a count answer -errno, the others errno, 0 when it worked.
#pragma once

#include <cstddef>
#include <cstdint>

namespace holdfast::platforms {

std::uint32_t effective_user() noexcept;

// -- the directory --

// Opens `path`, and makes its last part (mode 0700) where it is missing. EPERM: it is a link, not ours, or others may enter it.
int open_private_directory(const char* path) noexcept;
// Opens a directory as it is, through links too. EPERM: somebody else could take our files out of it, or put theirs in.
int open_own_directory(const char* path) noexcept;

// A descriptor that keeps a lock of the directory until it is closed. -EWOULDBLOCK: another process has it.
int lock_directory(int directory) noexcept;

// -- listening --

// A socket of this name in the directory, mode 0600 from its first moment, that listens. -EADDRINUSE: the name is taken.
// Others see it in /proc/net/unix under its whole path; where that is too long for an address, as /proc/self/fd/DIRECTORY/NAME.
int listen_in(int directory, const char* name, int backlog) noexcept;
struct SocketFile {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
};
bool find_socket_file(int directory, const char* name, SocketFile& out) noexcept;
// Removes the name if it is still the same file. False: it was not there, or another's.
bool remove_socket_file(int directory, const char* name, const SocketFile& file) noexcept;
// Is this a socket of our user at which nobody listens any more? A connection is tried, and taken back at once.
bool is_abandoned_socket(int directory, const char* name) noexcept;

// -- connections --

int accept_connection(int listening) noexcept;  // -EAGAIN: nobody waits
struct Peer {
  std::uint32_t user = 0;
  std::uint32_t process = 0;  // as we see it; 0: of another process namespace
};
bool peer_of(int connection, Peer& out) noexcept;
// Bytes, 0 at the end of the stream, -EAGAIN when nothing has come.
std::int64_t receive_some(int connection, void* out, std::size_t capacity) noexcept;
// Bytes that the system took, -EAGAIN when none fits. Raises no SIGPIPE.
std::int64_t send_some(int connection, const void* data, std::size_t bytes) noexcept;
// Connects to a path of any length, as a client. For tests and the command.
int connect_to(const char* path) noexcept;

// -- which are ready --

enum class Interest : std::uint8_t { kNothing, kRead, kWrite };
struct Ready {
  std::uint32_t number = 0;  // as given to watch_ready()
  bool readable = false;     // also: the peer will send no more
  bool writable = false;
  bool gone = false;  // the peer takes nothing any more either; told whatever the interest
};
// A descriptor that is readable while any of those it watches is ready.
int open_ready_set() noexcept;
int watch_ready(int set, int descriptor, std::uint32_t number, Interest interest) noexcept;
int change_ready(int set, int descriptor, std::uint32_t number, Interest interest) noexcept;
void forget_ready(int set, int descriptor) noexcept;                 // before it is closed
int take_ready(int set, Ready* out, std::size_t capacity) noexcept;  // how many; never waits

}  // namespace holdfast::platforms
