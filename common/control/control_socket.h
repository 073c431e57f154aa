// The listening socket of this process and its file: found a place for, and removed at the end.
// Why so careful: the directory may be shared by containers with the same process numbers, may hold sockets of the dead, or may be
//      somebody's trap.
// Shape:  directories in the order of socket_name.h; in the first that will do, sockets of our user at which nobody listens are removed
//         (at most kMaxSwept looked at), and the first free of kMaxSameNumber names is taken. All that under a lock of the
//         directory: a socket that is bound but does not listen yet looks like a dead one's.
//         The directory stays open: a path that does not fit into an address (108 bytes) is reached through /proc/PID/fd/N.
// Zone:   load (note_places), worker (open, close).
// Errors: kIo (detail: errno of the last directory): nowhere; the caller says so and lives on.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/options.h"
#include "common/result.h"
#include "platforms/local_socket.h"

namespace holdfast::control {

inline constexpr std::size_t kMaxSwept = 256;
inline constexpr unsigned kMaxSameNumber = 16;
inline constexpr std::size_t kMaxPlaces = 4;
inline constexpr std::size_t kMaxPlaceText = kMaxOptionText;

// Directories to try, the best first.
struct SocketPlaces {
  struct Place {
    char path[kMaxPlaceText];
    bool made_by_us;  // private, and made where it is missing
  };
  Place places[kMaxPlaces];
  std::size_t count = 0;

  void add(const char* directory, const char* below, bool made_by_us) noexcept;
};
// Reads the environment.
SocketPlaces usual_places(const Options& options) noexcept;

class ControlSocket {
 public:
  ControlSocket() = default;
  ControlSocket(const ControlSocket&) = delete;
  ControlSocket& operator=(const ControlSocket&) = delete;
  ~ControlSocket() { close(); }

  Result<void> open(const SocketPlaces& places) noexcept;
  // Removes the file, unless a process that the application forked does this, or the file is another's by now.
  void close() noexcept;
  int descriptor() const noexcept { return listening_; }
  const char* name() const noexcept { return name_; }
  const char* directory() const noexcept { return directory_path_; }

 private:
  int open_in(const SocketPlaces::Place& place) noexcept;
  int listen_under_a_free_name() noexcept;

  int listening_ = -1;
  int directory_ = -1;
  std::uint32_t owner_ = 0;  // the process that opened it
  platforms::SocketFile file_;
  char name_[64] = "";
  char directory_path_[kMaxPlaceText] = "";
};

}  // namespace holdfast::control
