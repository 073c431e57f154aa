#include "cli/attach/attach_turn.h"

#include "platforms/local_socket.h"

namespace holdfast::cli {
namespace {

int try_lock(const platforms::OtherProcess& process, platforms::Descriptor& lock) {
  return as_ours_or_theirs(process, [&] {
    const platforms::Descriptor files =
        platforms::open_process_directory(process.pid, platforms::ProcessDirectory::kDescriptors);
    if (!files.valid()) return files.error();
    lock = platforms::Descriptor(platforms::lock_directory(files.get()));
    return lock.error();
  });
}

}  // namespace

AttachOutcome AttachTurn::take(const platforms::OtherProcess& process, const Patience& patience) {
  int error = 0;
  patience.wait([&] {
    error = try_lock(process, lock_);
    return error != EWOULDBLOCK;
  });
  if (error != EWOULDBLOCK) return {};
  if (Patience::interrupted()) return refused("interrupted");
  return refused("another command is loading an agent into " + named(process) +
                 " and has not finished; try again");
}

}  // namespace holdfast::cli
