#include "platforms/system_facts.h"

#include <sys/utsname.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <string_view>

#include "platforms/child.h"
#include "platforms/clock.h"
#include "platforms/linux/cgroup.h"
#include "platforms/linux/cgroup_groups.h"
#include "platforms/linux/text_lines.h"

namespace holdfast::platforms {

namespace {

constexpr std::size_t kMaxPath = 4096;
constexpr std::int64_t kBytesOfKb = 1024;

std::string_view trimmed(std::string_view text) noexcept {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  return text;
}

bool number_in(std::string_view text, std::uint64_t& out, int base = 10) noexcept {
  text = trimmed(text);
  return std::from_chars(text.data(), text.data() + text.size(), out, base).ec == std::errc{};
}

Reading reading_of(std::string_view text) noexcept {
  std::uint64_t value = 0;
  if (!number_in(text, value) || value > INT64_MAX) return {0, EINVAL};
  return {static_cast<std::int64_t>(value), 0};
}

// The first line of a file.
Reading read_number(const char* root, const char* name) noexcept {
  char path[kMaxPath];
  std::snprintf(path, sizeof path, "%s%s", root, name);
  Reading found{0, ENODATA};
  const int error = for_each_line(path, [&](std::string_view line) {
    found = reading_of(line);
    return false;
  });
  return error == 0 ? found : Reading{0, error};
}

// "always [madvise] never"
void read_huge_pages(const char* root, char (&out)[kMaxFact]) noexcept {
  char path[kMaxPath];
  std::snprintf(path, sizeof path, "%s/sys/kernel/mm/transparent_hugepage/enabled", root);
  for_each_line(path, [&](std::string_view line) {
    const std::size_t open = line.find('['), close = line.find(']');
    if (open == line.npos || close == line.npos || close < open) return false;
    const std::string_view word = line.substr(open + 1, close - open - 1);
    std::snprintf(out, sizeof out, "%.*s", static_cast<int>(word.size()), word.data());
    return false;
  });
}

Reading read_available(const char* root) noexcept {
  char path[kMaxPath];
  std::snprintf(path, sizeof path, "%s/proc/meminfo", root);
  constexpr std::string_view kKey = "MemAvailable:";
  Reading found{0, ENODATA};
  const int error = for_each_line(path, [&](std::string_view line) {
    if (!line.starts_with(kKey)) return true;
    found = reading_of(line.substr(kKey.size()));
    found.value *= kBytesOfKb;
    return false;
  });
  return error == 0 ? found : Reading{0, error};
}

// "Uid:	real	effective	saved	file system"
void note_status_line(std::string_view line, ProcessFacts& out) noexcept {
  const std::size_t colon = line.find(':');
  if (colon == line.npos) return;
  const std::string_view key = line.substr(0, colon);
  std::string_view rest = trimmed(line.substr(colon + 1));
  std::uint64_t value = 0;
  if (key == "Uid") {
    const std::size_t tab = rest.find('\t');
    if (tab != rest.npos && number_in(rest.substr(tab), value))
      out.effective_user = static_cast<std::uint32_t>(value);
  } else if (key == "CapEff") {
    if (number_in(rest, value, 16)) out.capabilities = value;
  } else if (key == "Seccomp") {
    out.seccomp = reading_of(rest);
  } else if (key == "NoNewPrivs") {
    out.no_new_rights = rest == "1";
  } else if (key == "VmRSS") {
    out.resident_bytes = reading_of(rest);
    out.resident_bytes.value *= kBytesOfKb;
  } else if (key == "Threads" && number_in(rest, value)) {
    out.threads = static_cast<std::uint32_t>(value);
  }
}

struct Number {
  char text[16];
};
Number name_of(std::uint32_t pid) noexcept {
  Number name;
  if (pid == 0)
    std::snprintf(name.text, sizeof name.text, "self");
  else
    std::snprintf(name.text, sizeof name.text, "%u", pid);
  return name;
}

void note_memory_group(void* context, const CgroupGroup& group) {
  static_cast<GroupFacts*>(context)->version = group.version == CgroupVersion::k1 ? 1 : 2;
}

// Of the group that is nearest to its limit.
void note_process_group(void* context, const CgroupGroup& group) {
  auto& facts = *static_cast<GroupFacts*>(context);
  const std::uint64_t most = cgroup_file_number(group.directory, "pids.max");
  const std::uint64_t now = cgroup_file_number(group.directory, "pids.current");
  if (most == UINT64_MAX || now == UINT64_MAX) return;
  const std::uint64_t left = most - (now < most ? now : most);
  const bool nearer =
      facts.most_processes == UINT64_MAX || left < facts.most_processes - facts.processes;
  if (!nearer) return;
  facts.most_processes = most;
  facts.processes = now < most ? now : most;
}

}  // namespace

SystemFacts read_system_facts(const char* root) noexcept {
  SystemFacts facts;
  utsname names{};
  if (::uname(&names) == 0)
    std::snprintf(facts.kernel, sizeof facts.kernel, "%.40s %.80s, %.20s", names.sysname,
                  names.release, names.machine);
  facts.ptrace_scope = read_number(root, "/proc/sys/kernel/yama/ptrace_scope");
  facts.user_namespaces = read_number(root, "/proc/sys/user/max_user_namespaces");
  facts.overcommit = read_number(root, "/proc/sys/vm/overcommit_memory");
  read_huge_pages(root, facts.huge_pages);
  facts.available_bytes = read_available(root);
  return facts;
}

ProcessFacts read_process_facts(const char* root, std::uint32_t pid) noexcept {
  ProcessFacts facts;
  facts.seccomp.error = facts.resident_bytes.error = ENODATA;
  char path[kMaxPath];
  std::snprintf(path, sizeof path, "%s/proc/%s/status", root, name_of(pid).text);
  facts.error = for_each_line(path, [&](std::string_view line) {
    note_status_line(line, facts);
    return true;
  });
  return facts;
}

GroupFacts read_group_facts(const char* root, std::uint32_t pid) noexcept {
  GroupFacts facts;
  const Number process = name_of(pid);
  visit_groups(root, "memory", &note_memory_group, &facts, process.text);
  const CgroupMemory memory = read_cgroup_memory(root, process.text);
  facts.limit_bytes = memory.limit_bytes;
  facts.room_bytes = memory.head_room_bytes;
  visit_groups(root, "pids", &note_process_group, &facts, process.text);
  return facts;
}

ChildTrial try_child() noexcept {
  alignas(64) static std::byte stack[4 * kMinChildStackBytes];
  constexpr std::uint64_t kLookNs = 100'000, kLongNs = 10'000'000'000;
  prepare_children();
  ChildPlan plan;
  plan.name = "hf-doctor";
  plan.stack = stack;
  plan.stack_bytes = sizeof stack;
  plan.watchdog_seconds = 5;
  plan.body = [](void*) noexcept { return 0; };
  const std::uint64_t began_ns = monotonic_ns();
  const std::int64_t child = spawn_child(plan);
  ChildTrial trial;
  trial.took_ns = monotonic_ns() - began_ns;
  if (child < 0) {
    trial.error = static_cast<int>(-child);
    return trial;
  }
  for (;;) {
    const ChildEnd end = poll_child(child);
    if (end.state == ChildState::kRunning && monotonic_ns() - began_ns < kLongNs) {
      sleep_ns(kLookNs);
      continue;
    }
    if (end.state == ChildState::kRunning) kill_child(child);
    if (end.state != ChildState::kExited || end.status != 0) trial.error = ECHILD;
    return trial;
  }
}

}  // namespace holdfast::platforms
