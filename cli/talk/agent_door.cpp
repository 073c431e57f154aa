#include "cli/talk/agent_door.h"

#include <algorithm>
#include <charconv>
#include <iostream>
#include <vector>

#include "cli/attach/attach.h"
#include "cli/attach/target.h"
#include "cli/output_file.h"
#include "cli/text/display_text.h"

namespace holdfast::cli {
namespace {

constexpr std::size_t kMostNamed = 8;  // of several that match

struct NamedVm {
  std::uint32_t pid;
  std::string name;
};

// What `holdfast ps` lists, as far as we may look.
std::vector<NamedVm> running_vms() {
  std::vector<NamedVm> vms;
  platforms::visit_processes(
      [](void* context, std::uint32_t pid) {
        const TargetLook look = look_at_process(pid);
        const bool is_vm =
            !look.not_permitted && look.refusal.good() && look.target.vm != VmKind::kNone;
        if (is_vm)
          static_cast<std::vector<NamedVm>*>(context)->push_back(
              {pid, short_main(look.target.command_line)});
        return true;
      },
      &vms);
  std::ranges::sort(vms, {}, &NamedVm::pid);
  return vms;
}

// A whole name goes before parts of names: "Main" is not "MainWorker".
std::vector<NamedVm> matching(const std::vector<NamedVm>& vms, const std::string& name) {
  std::vector<NamedVm> whole, part;
  for (const NamedVm& vm : vms) {
    if (vm.name == name) whole.push_back(vm);
    if (vm.name.find(name) != std::string::npos) part.push_back(vm);
  }
  return whole.empty() ? part : whole;
}

std::string list_text(const std::vector<NamedVm>& vms) {
  std::string text;
  for (std::size_t i = 0; i < vms.size() && i < kMostNamed; ++i)
    text += (i == 0 ? "" : ", ") + std::to_string(vms[i].pid) + " " + vms[i].name;
  return vms.size() > kMostNamed ? text + " ..." : text;
}

std::uint32_t find_by_name(const std::string& name) {
  if (const AttachOutcome numbers = check_numbers(); !numbers.good())
    throw Stop{numbers.code, numbers.text};
  const std::vector<NamedVm> found = matching(running_vms(), name);
  if (found.size() == 1) return found.front().pid;
  if (found.empty())
    throw Stop{ExitCode::kWrongUsage,
               "'" + name +
                   "': no Java or .NET VM that can be seen has this in its name; "
                   "'holdfast ps' lists them"};
  throw Stop{ExitCode::kWrongUsage, "'" + name + "': several VMs have this in their names: " +
                                        list_text(found) + "; one of their numbers is wanted"};
}

std::uint32_t find_process(const std::string& name) {
  std::uint32_t pid = 0;
  const char* const end = name.data() + name.size();
  const auto read = std::from_chars(name.data(), end, pid);
  if (read.ec == std::errc{} && read.ptr == end && pid > 0) return pid;
  if (name.empty() || (name.front() >= '0' && name.front() <= '9' && read.ptr == end))
    throw Stop{ExitCode::kWrongUsage, "'" + name + "': no such process"};
  return find_by_name(name);
}

int connected(AgentSocket socket) {
  if (socket.presence == AgentPresence::kConnected) return socket.stream.release();
  throw Stop{socket.refusal.code, socket.refusal.text};
}

int connect(std::uint32_t pid) {
  AgentSocket socket = connect_to_agent(pid);
  return socket.presence == AgentPresence::kNoAgent ? AgentDoor::kNoAgent
                                                    : connected(std::move(socket));
}

int attach(std::uint32_t pid, const AgentWishes& wishes) {
  AgentSocket socket = ensure_agent(pid, {wishes.library, wishes.options, wishes.timeout_ns});
  if (!socket.refusal.note.empty())
    std::cerr << "holdfast: " << printable(socket.refusal.note) << '\n';
  return connected(std::move(socket));
}

}  // namespace

AgentDoor system_door() { return {find_process, connect, attach}; }

}  // namespace holdfast::cli
