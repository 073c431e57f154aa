#include "common/control/control_socket.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "common/control/socket_name.h"
#include "platforms/clock.h"
#include "platforms/file.h"
#include "platforms/process.h"

namespace holdfast::control {

namespace {

// Whoever comes in a crowd waits here; a full queue is refused to a client that does not want to wait.
constexpr int kBacklog = 128;
// Whoever holds the lock binds a socket and looks at a few others: well below a millisecond each.
constexpr int kLockTries = 20;
constexpr std::uint64_t kLockPauseNs = 5'000'000;

// Others start in the same directory at the same moment. -errno of what was not a question of time.
int lock_patiently(int directory) noexcept {
  for (int i = 0; i < kLockTries; ++i) {
    const int locked = platforms::lock_directory(directory);
    if (locked != -EWOULDBLOCK) return locked;
    platforms::sleep_ns(kLockPauseNs);
  }
  return -EWOULDBLOCK;
}

struct Sweep {
  int directory;
  std::size_t seen = 0;
};

void sweep_one(void* raw, const char* name) noexcept {
  auto& sweep = *static_cast<Sweep*>(raw);
  platforms::SocketFile file;
  if (!is_socket_name(name) || ++sweep.seen > kMaxSwept) return;
  if (platforms::find_socket_file(sweep.directory, name, file) &&
      platforms::is_abandoned_socket(sweep.directory, name))
    platforms::remove_socket_file(sweep.directory, name, file);
}

void remove_abandoned(int directory) noexcept {
  char path[32];
  std::snprintf(path, sizeof path, "/proc/self/fd/%d", directory);
  Sweep sweep{directory};
  platforms::list_directory(
      path, [](void* raw, const char* name) { sweep_one(raw, name); }, &sweep);
}

}  // namespace

void SocketPlaces::add(const char* directory, const char* below, bool made_by_us) noexcept {
  if (count == kMaxPlaces) return;
  Place& place = places[count];
  const int length = std::snprintf(place.path, sizeof place.path, "%s%s", directory, below);
  place.made_by_us = made_by_us;
  if (length > 0 && static_cast<std::size_t>(length) < sizeof place.path) ++count;
}

SocketPlaces usual_places(const Options& options) noexcept {
  SocketPlaces places;
  char name[64];
  const char* const runtime = platforms::environment_value("XDG_RUNTIME_DIR");
  if (runtime != nullptr && runtime[0] == '/') places.add(runtime, "/holdfast", true);
  const unsigned user = platforms::effective_user();
  std::snprintf(name, sizeof name, "/run/user/%u/holdfast", user);
  places.add(name, "", true);
  std::snprintf(name, sizeof name, "/tmp/holdfast-%u", user);
  places.add(name, "", true);
  places.add(options.dir, "", false);
  return places;
}

Result<void> ControlSocket::open(const SocketPlaces& places) noexcept {
  if (listening_ >= 0) return make_error(ErrorCode::kRefused);
  int error = ENOENT;
  for (std::size_t i = 0; i < places.count; ++i) {
    error = open_in(places.places[i]);
    if (error == 0) return {};
  }
  return make_error(ErrorCode::kIo, error);
}

int ControlSocket::open_in(const SocketPlaces::Place& place) noexcept {
  directory_ = place.made_by_us ? platforms::open_private_directory(place.path)
                                : platforms::open_own_directory(place.path);
  if (directory_ < 0) return -directory_;
  const int lock = lock_patiently(directory_);
  if (lock >= 0) remove_abandoned(directory_);
  // File systems without locks are used without; one that somebody keeps locked is not.
  const int error = lock == -EWOULDBLOCK ? EWOULDBLOCK : listen_under_a_free_name();
  if (lock >= 0) platforms::close_socket(lock);
  if (error == 0) {
    owner_ = platforms::process_id();
    std::memcpy(directory_path_, place.path, sizeof directory_path_);
    return 0;
  }
  platforms::close_socket(directory_);
  directory_ = -1;
  return error;
}

int ControlSocket::listen_under_a_free_name() noexcept {
  const unsigned process = platforms::process_id();
  for (unsigned k = 1; k <= kMaxSameNumber; ++k) {
    if (k == 1)
      std::snprintf(name_, sizeof name_, "holdfast-%u.sock", process);
    else
      std::snprintf(name_, sizeof name_, "holdfast-%u-%u.sock", process, k);
    const int made = platforms::listen_in(directory_, name_, kBacklog);
    if (made == -EADDRINUSE) continue;
    if (made < 0) return -made;
    if (platforms::find_socket_file(directory_, name_, file_)) {
      listening_ = made;
      return 0;
    }
    platforms::close_socket(made);  // the directory was moved away meanwhile
    return ENOENT;
  }
  return EADDRINUSE;
}

void ControlSocket::close() noexcept {
  if (listening_ < 0) return;
  if (platforms::process_id() == owner_) platforms::remove_socket_file(directory_, name_, file_);
  platforms::close_socket(listening_);
  platforms::close_socket(directory_);
  listening_ = directory_ = -1;
}

}  // namespace holdfast::control
