#include "cli/attach/attach.h"

#include "cli/attach/attach_turn.h"
#include "cli/attach/dotnet_attach.h"
#include "cli/attach/java_attach.h"
#include "cli/attach/library_choice.h"
#include "cli/attach/library_copy.h"
#include "cli/attach/listening_vm.h"
#include "platforms/held_signals.h"

namespace holdfast::cli {
namespace {

// A launcher needs some 10 ms to load its VM; many times that on a busy machine.
constexpr std::uint64_t kStartPatienceNs = 5'000'000'000;
// The agent listens as soon as it is ready, which is before its VM answers, or a moment later.
constexpr std::uint64_t kSocketPatienceNs = 5'000'000'000;
// An agent that another command, one that does not see our turn, has just brought in.
constexpr std::uint64_t kOthersSocketPatienceNs = 3'000'000'000;

enum class Load : std::uint8_t {
  kAlways,  // the VM hands the options to an agent that is there
  kIfNone,
};

// By then it has shown what it is: a program with its VM inside has no launcher that would tell.
constexpr std::uint64_t kJustBegunMs = 500;

bool may_yet_start(const Target& target) {
  if (target.vm == VmKind::kNone) return platforms::process_age_ms(target.process) < kJustBegunMs;
  return target.vm == VmKind::kStarting;
}

TargetLook look_until_started(std::uint32_t pid, const Patience& patience) {
  TargetLook look = look_at_process(pid);
  patience.at_most(kStartPatienceNs).wait([&] {
    if (!look.refusal.good() || !may_yet_start(look.target)) return true;
    TargetLook again = look_at_process(pid);
    if (again.refusal.code == ExitCode::kWrongUsage)
      again.refusal = ended_text(look.target.process);
    look = std::move(again);
    return false;
  });
  return look;
}

AttachOutcome check_vm(const Target& target) {
  switch (target.vm) {
    case VmKind::kHotSpot:
    case VmKind::kCoreClr:
      return {};
    case VmKind::kStarting:
      return refused(named(target.process) +
                     " is a launcher that has not started its VM yet; try again");
    case VmKind::kOpenJ9:
      return refused(named(target.process) + " runs OpenJ9, which is not supported yet");
    case VmKind::kNone:
      break;
  }
  return refused(named(target.process) + " (" + std::string(target.process.name) +
                 ") has no Java or .NET VM in it");
}

// What an attempt goes through, opened before an identity is borrowed.
struct WayIn {
  TargetFiles files;
  DiagnosticsEndpoint endpoint;  // .NET only
};

AttachOutcome open_way_in(const Target& target, const Patience& patience, WayIn& way) {
  if (const int error = open_target_files(target.process, way.files); error != 0) {
    return error == EACCES || error == EPERM ? refused(not_permitted_text(target.process))
                                             : ended_text(target.process);
  }
  if (target.vm == VmKind::kHotSpot) remove_abandoned_socket(target, way.files);
  if (target.vm == VmKind::kCoreClr) way.endpoint = find_diagnostics(target, way.files, patience);
  return way.endpoint.refusal;
}

// By the protocol of its VM: each kind of VM that can load an agent while it runs has its line here, and passes check_vm.
AttachOutcome load_by_protocol(const Target& target, const WayIn& way, const std::string& library,
                               const AttachWishes& wishes, const Patience& patience) {
  switch (target.vm) {
    case VmKind::kHotSpot:
      return load_into_java(target, way.files, library, wishes.options, patience);
    case VmKind::kCoreClr:
      return load_into_dotnet(target, way.endpoint, library, wishes.options, patience);
    case VmKind::kStarting:
    case VmKind::kOpenJ9:
    case VmKind::kNone:
      break;
  }
  return check_vm(target);
}

// A library that is in the process already is given its options under the name that it was loaded by: the loader then takes the one in
// memory, even if its file is gone. A second one beside it would know nothing of the first.
AttachOutcome load_again(const Target& target, const WayIn& way, const AttachWishes& wishes,
                         const Patience& patience) {
  const platforms::BorrowedIdentity theirs(target.process.effective_user,
                                           target.process.effective_group);
  if (theirs.error() != 0) return refused(not_permitted_text(target.process));
  return load_by_protocol(target, way, target.agent_path, wishes, patience);
}

AttachOutcome check_library(const Target& target, const LibraryChoice& library) {
  if (!library.refusal.good()) return library.refusal;
  platforms::ElfFacts program;
  const std::string path = "/proc/" + std::to_string(target.process.pid) + "/exe";
  const int error = as_ours_or_theirs(
      target.process, [&] { return platforms::read_elf_file(path.c_str(), program); });
  if (error != 0) return {};  // the VM's own loader will tell
  return check_fit(library, target, program);
}

bool listens(const Target& target) {
  return connect_to_agent_of(target.process).presence == AgentPresence::kConnected;
}

AttachOutcome load_first(const Target& target, const WayIn& way, const AttachWishes& wishes,
                         const Patience& patience, Load load) {
  const LibraryChoice library = choose_library(wishes.library, own_directory());
  if (auto refusal = check_library(target, library); !refusal.good()) return refusal;
  LibraryCopy copy;
  if (auto refusal = copy.read(library.path); !refusal.good()) return refusal;
  const platforms::BorrowedIdentity theirs(target.process.effective_user,
                                           target.process.effective_group);
  if (theirs.error() != 0) return refused(not_permitted_text(target.process));
  if (auto refusal = copy.place(target, way.files); !refusal.good()) return refusal;
  // A second copy would be a second agent, and copying took its time.
  const bool there = load == Load::kIfNone && listens(target);
  AttachOutcome outcome =
      there ? AttachOutcome{} : load_by_protocol(target, way, copy.path(), wishes, patience);
  copy.remove();
  return with_copy_left(std::move(outcome), copy.left_behind());
}

// A .NET runtime lets go of a library whose agent has left, perhaps just now.
AttachOutcome load_again_or_anew(const Target& target, const WayIn& way, const AttachWishes& wishes,
                                 const Patience& patience, Load load) {
  AttachOutcome outcome = load_again(target, way, wishes, patience);
  if (outcome.good()) return outcome;
  const TargetLook now = look_at_process(target.process.pid);
  const bool let_go = now.refusal.good() && now.target.agent_path.empty();
  return let_go ? load_first(now.target, way, wishes, patience, load) : outcome;
}

AttachOutcome load_into(const Target& target, const AttachWishes& wishes, const Patience& patience,
                        Load load) {
  if (auto refusal = check_vm(target); !refusal.good()) return refusal;
  WayIn way;
  if (auto refusal = open_way_in(target, patience, way); !refusal.good()) return refusal;
  return target.agent_path.empty() ? load_first(target, way, wishes, patience, load)
                                   : load_again_or_anew(target, way, wishes, patience, load);
}

AgentSocket without(AgentPresence presence, const AttachOutcome& refusal) {
  AgentSocket socket;
  socket.presence = presence;
  socket.refusal = refusal;
  return socket;
}

AgentPresence presence_of(const TargetLook& look) {
  return look.not_permitted ? AgentPresence::kNotPermitted : AgentPresence::kGone;
}

AgentSocket wait_for_socket(const platforms::OtherProcess& process, const Patience& patience) {
  AgentSocket socket;
  patience.at_most(kSocketPatienceNs).wait([&] {
    socket = connect_to_agent_of(process);
    return socket.presence == AgentPresence::kConnected || socket.presence == AgentPresence::kGone;
  });
  if (socket.presence == AgentPresence::kNoAgent)
    socket.refusal = refused("the agent is loaded into " + named(process) +
                             ", but does not listen: control=off is among its options, or it"
                             " turned itself off; the standard error of the process tells");
  return socket;
}

// An agent answered, but not as one that was loaded now: it was there already and took our options for a command. Its socket tells.
AgentSocket find_others(const platforms::OtherProcess& process, const AttachOutcome& outcome,
                        const Patience& patience) {
  if (outcome.agent_code <= 0) return without(AgentPresence::kNoAgent, outcome);
  AgentSocket socket;
  patience.at_most(kOthersSocketPatienceNs).wait([&] {
    socket = connect_to_agent_of(process);
    return socket.presence == AgentPresence::kConnected || socket.presence == AgentPresence::kGone;
  });
  return socket.presence == AgentPresence::kConnected ? std::move(socket)
                                                      : without(AgentPresence::kNoAgent, outcome);
}

AgentSocket load_and_connect(std::uint32_t pid, const AttachWishes& wishes,
                             const Patience& patience) {
  const TargetLook look = look_until_started(pid, patience);
  if (!look.refusal.good()) return without(presence_of(look), look.refusal);
  const platforms::OtherProcess& process = look.target.process;
  const AttachOutcome outcome = load_into(look.target, wishes, patience, Load::kIfNone);
  if (!outcome.good()) return find_others(process, outcome, patience);
  AgentSocket socket = wait_for_socket(process, patience);
  if (socket.refusal.good())
    socket.refusal.note = outcome.note;
  else if (!outcome.note.empty())
    socket.refusal.text += " (" + outcome.note + ")";
  return socket;
}

AttachOutcome take_turn(std::uint32_t pid, AttachTurn& turn, const Patience& patience) {
  platforms::OtherProcess process;
  const AttachOutcome refusal = look_who_it_is(pid, process);
  return refusal.good() ? turn.take(process, patience) : refusal;
}

}  // namespace

AgentSocket connect_to_agent(std::uint32_t pid) {
  platforms::OtherProcess process;
  const AttachOutcome refusal = look_who_it_is(pid, process);
  return refusal.good() ? connect_to_agent_of(process) : without(AgentPresence::kGone, refusal);
}

AgentSocket ensure_agent(std::uint32_t pid, const AttachWishes& wishes) {
  AgentSocket there = connect_to_agent(pid);
  if (there.presence != AgentPresence::kNoAgent) return there;
  const platforms::HeldSignals held;
  const Patience patience(wishes.patience_ns);
  AttachTurn turn;
  if (auto refusal = take_turn(pid, turn, patience); !refusal.good())
    return without(AgentPresence::kNoAgent, refusal);
  there = connect_to_agent(pid);
  return there.presence == AgentPresence::kNoAgent ? load_and_connect(pid, wishes, patience)
                                                   : std::move(there);
}

AttachOutcome load_agent(std::uint32_t pid, const AttachWishes& wishes) {
  const platforms::HeldSignals held;
  const Patience patience(wishes.patience_ns);
  AttachTurn turn;
  if (auto refusal = take_turn(pid, turn, patience); !refusal.good()) return refusal;
  const TargetLook look = look_until_started(pid, patience);
  return look.refusal.good() ? load_into(look.target, wishes, patience, Load::kAlways)
                             : look.refusal;
}

}  // namespace holdfast::cli
