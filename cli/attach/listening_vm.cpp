#include "cli/attach/listening_vm.h"

#include <cerrno>
#include <cstring>

#include "cli/attach/stopped_process.h"
#include "platforms/local_socket.h"
#include "platforms/local_stream.h"

namespace holdfast::cli {
namespace {

using platforms::Descriptor;
using platforms::OtherProcess;
using platforms::ProcessState;

// From exec to the VM's signal handlers it takes some 50 ms; many times that on a busy machine.
constexpr std::uint64_t kListenDeadlineNs = 5'000'000'000;

std::string socket_name(const OtherProcess& process) {
  return ".java_pid" + std::to_string(process.inner_pid);
}

// The file that tells the VM what the SIGQUIT means. Somebody else's that is there already will do, and is not removed.
class AttachSign {
 public:
  explicit AttachSign(const OtherProcess& process)
      : name_(".attach_pid" + std::to_string(process.inner_pid)), user_(process.effective_user) {}
  ~AttachSign() {
    if (directory_ >= 0) platforms::remove_in(directory_, name_.c_str());
  }
  AttachSign(const AttachSign&) = delete;
  AttachSign& operator=(const AttachSign&) = delete;

  // The VM trusts files of its own user only, and some file systems give a new file to another.
  int place_in(int directory) {
    const Descriptor file = platforms::create_in(directory, name_.c_str(), 0600);
    if (!file.valid() && file.error() != EEXIST) return file.error();
    platforms::FileOwner owner;
    const int error = platforms::read_owner_in(directory, name_.c_str(), owner);
    if (error == 0 && owner.user == user_) {
      if (file.valid()) directory_ = directory;
      return 0;
    }
    if (file.valid()) platforms::remove_in(directory, name_.c_str());
    return error != 0 ? error : EPERM;
  }

 private:
  std::string name_;
  std::uint32_t user_;
  int directory_ = -1;
};

bool is_the_process(int stream, const OtherProcess& process) {
  platforms::Peer peer;
  return platforms::peer_of(stream, peer) && peer.user == process.effective_user &&
         peer.process == process.pid;
}

struct Attempt {
  const Target& target;
  const TargetFiles& files;
  const Patience& patience;
  Descriptor temporary;  // the process' /tmp, where the VM's socket is
  bool somebody_else = false;

  const OtherProcess& process() const { return target.process; }

  Descriptor connect() {
    Descriptor stream = platforms::connect_local_stream(
        temporary.get(), socket_name(process()).c_str(), process().effective_user);
    somebody_else = stream.error() == EPERM;
    if (somebody_else) return Descriptor(-ECONNREFUSED);
    if (!stream.valid()) return stream;
    somebody_else = !is_the_process(stream.get(), process());
    if (somebody_else) return Descriptor(-ECONNREFUSED);
    return stream;
  }
};

AttachOutcome interrupted() { return refused("interrupted"); }

AttachOutcome check_options(const Target& target) {
  if (flag_is_on(target.options, "DisableAttachMechanism", false))
    return refused(
        named(target.process) +
        " was started with -XX:+DisableAttachMechanism, so nothing can be loaded into it;"
        " start it without, or with -agentpath:/path/to/libholdfast.so");
  return {};
}

// Such a VM has no handler for the signal, and listens from its start instead.
bool listens_unasked(const Target& target) { return reduces_signals(target.options); }

AttachOutcome wait_for_handler(const Attempt& attempt) {
  OtherProcess state;
  attempt.patience.at_most(kListenDeadlineNs).wait([&] {
    state = state_now(attempt.process());
    return state.catches_quit || state.state == ProcessState::kDead;
  });
  if (Patience::interrupted()) return interrupted();
  if (state.state == ProcessState::kDead) return ended_text(attempt.process());
  if (state.catches_quit) return {};
  return refused(named(attempt.process()) +
                 " does not handle SIGQUIT, which would end it, so it was not sent: the VM still"
                 " starts, or another library took the signal away");
}

AttachOutcome place_sign(const Attempt& attempt, AttachSign& sign) {
  const int in_tmp = sign.place_in(attempt.temporary.get());
  if (in_tmp == 0) return {};
  // The VM's socket will be in /tmp whatever we do: where it cannot write, asking is in vain.
  if (in_tmp == EROFS)
    return refused("the /tmp of " + named(attempt.process()) +
                   " is read-only, and its VM can listen nowhere else; give it a /tmp that it can"
                   " write, or start it with -agentpath:/path/to/libholdfast.so");
  if (attempt.files.working.valid() && sign.place_in(attempt.files.working.get()) == 0) return {};
  return refused(std::string("no file can be made in the /tmp of ") + named(attempt.process()) +
                 ": " + std::strerror(in_tmp));
}

// Never later than just after the last look at it: a process may become another program, and its handlers are gone.
int send_quit(const Attempt& attempt, int handle) {
  const OtherProcess state = state_now(attempt.process());
  if (state.state == ProcessState::kDead) return ESRCH;
  if (!state.catches_quit) return EAGAIN;
  return platforms::send_quit(handle, attempt.process().pid);
}

AttachOutcome no_answer_text(const Attempt& attempt) {
  if (Patience::interrupted()) return interrupted();
  const ProcessState state = state_now(attempt.process()).state;
  if (state == ProcessState::kDead) return ended_text(attempt.process());
  if (state == ProcessState::kStopped) return stopped_text(attempt.process());
  if (attempt.somebody_else)
    return refused("the attach socket of " + named(attempt.process()) +
                   " is held by another process; remove " + socket_name(attempt.process()) +
                   " from its /tmp");
  return refused("the VM of " + named(attempt.process()) +
                 " did not begin to listen in time: it is busy, frozen, or its options (in a file"
                 " that is not seen here) forbid it");
}

ListeningVm wait_for_listener(Attempt& attempt, int handle) {
  const std::uint64_t half_ns = attempt.patience.left_ns() / 2;
  ListeningVm vm;
  LongStopped long_stopped;
  bool repeated = false;
  attempt.patience.wait([&] {
    vm.stream = attempt.connect();
    const ProcessState state = state_now(attempt.process()).state;
    if (vm.stream.valid() || state == ProcessState::kDead || long_stopped(state)) return true;
    if (!repeated && attempt.patience.left_ns() < half_ns) {
      repeated = true;
      send_quit(attempt, handle);
    }
    return false;
  });
  if (!vm.stream.valid()) vm.refusal = no_answer_text(attempt);
  return vm;
}

ListeningVm wait_for_unasked(Attempt& attempt) {
  ListeningVm vm;
  attempt.patience.at_most(kListenDeadlineNs).wait([&] {
    vm.stream = attempt.connect();
    return vm.stream.valid() || state_now(attempt.process()).state == ProcessState::kDead;
  });
  if (vm.stream.valid()) return vm;
  vm.refusal =
      state_now(attempt.process()).state == ProcessState::kDead
          ? ended_text(attempt.process())
          : refused(named(attempt.process()) +
                    " was started with -Xrs, so it can be asked for nothing by a signal, and its"
                    " own socket is not in its /tmp; start it with"
                    " -agentpath:/path/to/libholdfast.so");
  return vm;
}

ListeningVm have_it_listen(Attempt& attempt) {
  if (auto refusal = check_options(attempt.target); !refusal.good()) return {{}, refusal};
  if (listens_unasked(attempt.target)) return wait_for_unasked(attempt);
  const Descriptor handle(platforms::open_process(attempt.process().pid));
  if (auto refusal = wait_for_handler(attempt); !refusal.good()) return {{}, refusal};
  AttachSign sign(attempt.process());
  if (auto refusal = place_sign(attempt, sign); !refusal.good()) return {{}, refusal};
  const int error = send_quit(attempt, handle.get());
  if (error == ESRCH) return {{}, ended_text(attempt.process())};
  if (error != 0)
    return {{},
            refused("no signal can be sent to " + named(attempt.process()) + ": " +
                    std::strerror(error))};
  return wait_for_listener(attempt, handle.get());
}

}  // namespace

void remove_abandoned_socket(const Target& target, const TargetFiles& files) {
  const Descriptor temporary = platforms::open_directory_inside(files.root.get(), "/tmp");
  const std::string name = socket_name(target.process);
  platforms::SocketFile file;
  platforms::FileOwner owner;
  if (!temporary.valid() || !platforms::find_socket_file(temporary.get(), name.c_str(), file) ||
      platforms::read_owner_in(temporary.get(), name.c_str(), owner) != 0 ||
      owner.user == target.process.effective_user)
    return;
  const Descriptor stream =
      platforms::connect_local_stream(temporary.get(), name.c_str(), owner.user);
  if (stream.error() == ECONNREFUSED)
    platforms::remove_socket_file(temporary.get(), name.c_str(), file);
}

ListeningVm connect_to_vm(const Target& target, const TargetFiles& files,
                          const Patience& patience) {
  Attempt attempt{target, files, patience,
                  platforms::open_directory_inside(files.root.get(), "/tmp")};
  if (!attempt.temporary.valid())
    return {{},
            refused(named(target.process) +
                    " has no /tmp, where its VM would listen; give it one, or start it with"
                    " -agentpath:/path/to/libholdfast.so")};
  if (auto refusal = wait_until_running(target.process, patience); !refusal.good())
    return {{}, refusal};
  Descriptor stream = attempt.connect();
  // Its queue is full: it listens, and is busy.
  if (stream.error() == EAGAIN)
    patience.wait([&] { return (stream = attempt.connect()).error() != EAGAIN; });
  if (stream.valid()) return {std::move(stream), {}};
  return have_it_listen(attempt);
}

}  // namespace holdfast::cli
