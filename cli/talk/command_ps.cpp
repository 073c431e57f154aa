#include "cli/talk/command_ps.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "cli/attach/agent_socket.h"
#include "cli/talk/process_list.h"
#include "cli/text/display_text.h"

namespace holdfast::cli {
namespace {

constexpr std::size_t kMaxUserName = 64;
constexpr std::size_t kMaxContainerId = 16;

AgentState agent_of(const Target& target) {
  std::vector<std::string> paths;
  const int error = as_ours_or_theirs(
      target.process, [&] { return find_agent_sockets(target.process.pid, paths); });
  if (error == 0 && !paths.empty()) return AgentState::kListens;
  return target.agent_path.empty() ? AgentState::kNone : AgentState::kLoaded;
}

ProcessRow make_row(const TargetLook& look) {
  ProcessRow row;
  row.target = look.target;
  const std::uint32_t pid = row.target.process.pid;
  char user[kMaxUserName];
  char container[kMaxContainerId];
  platforms::user_name(row.target.process.effective_user, user, sizeof user);
  platforms::container_id_of(pid, container, sizeof container);
  row.user = user;
  row.container = container;
  if (look.not_permitted) return row;
  row.agent = agent_of(row.target);
  return row;
}

void add_process(std::uint32_t pid, bool all, ProcessList& to) {
  const TargetLook look = look_at_process(pid);
  if (look.not_permitted) ++to.closed;
  if (look.not_permitted ? all : look.refusal.good() && look.target.vm != VmKind::kNone)
    to.rows.push_back(make_row(look));
}

ProcessList list_all(bool all) {
  struct Visit {
    bool all;
    ProcessList listing;
  } visit{all, {}};
  platforms::visit_processes(
      [](void* context, std::uint32_t pid) {
        auto& to = *static_cast<Visit*>(context);
        add_process(pid, to.all, to.listing);
        return true;
      },
      &visit);
  std::ranges::sort(visit.listing.rows, {},
                    [](const ProcessRow& row) { return row.target.process.pid; });
  return std::move(visit.listing);
}

ExitCode refuse(const AttachOutcome& refusal, Surroundings& surroundings) {
  surroundings.err << "holdfast ps: " << printable(refusal.text) << '\n';
  return refusal.code;
}

// The one that was named, or why not.
std::optional<AttachOutcome> list_one(std::uint32_t pid, ProcessList& to) {
  const TargetLook look = look_at_process(pid);
  if (!look.refusal.good()) return look.refusal;
  if (look.target.vm == VmKind::kNone)
    return refused(named(look.target.process) + " (" + look.target.process.name +
                   ") has no Java or .NET VM in it");
  to.rows.push_back(make_row(look));
  return std::nullopt;
}

}  // namespace

ExitCode run_ps(const PsCommand& command, Surroundings& surroundings) {
  ProcessList listing;
  if (command.pid != 0) {
    if (const auto refusal = list_one(command.pid, listing)) return refuse(*refusal, surroundings);
  } else {
    if (const auto numbers = check_numbers(); !numbers.good()) return refuse(numbers, surroundings);
    listing = list_all(command.all);
  }
  const std::size_t columns = choose_columns(command.width, surroundings);
  surroundings.out << (command.json
                           ? process_list_json(listing)
                           : process_list_text(listing, command.all, columns,
                                               choose_colour(command.colour, surroundings)))
                   << std::flush;
  if (surroundings.out) return ExitCode::kDone;
  return refuse(refused("cannot write to standard output (is the disk full?)"), surroundings);
}

}  // namespace holdfast::cli
