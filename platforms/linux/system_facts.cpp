#include "platforms/system_facts.h"

#include <fcntl.h>
#include <sys/utsname.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <string_view>

#include "platforms/child.h"
#include "platforms/clock.h"
#include "platforms/direct_io.h"
#include "platforms/file.h"
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

// A kernel without Yama has the folder above its file; a /proc that is missing or cut down has neither.
Reading read_ptrace_scope(const char* root) noexcept {
  Reading scope = read_number(root, "/proc/sys/kernel/yama/ptrace_scope");
  char folder[kMaxPath];
  std::snprintf(folder, sizeof folder, "%s/proc/sys/kernel", root);
  if (scope.error == ENOENT && !file_exists(folder)) scope.error = ENODATA;
  return scope;
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
  } else if (key == "VmRSS") {
    out.resident_bytes = reading_of(rest);
    out.resident_bytes.value *= kBytesOfKb;
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
  facts.ptrace_scope = read_ptrace_scope(root);
  facts.user_namespaces = read_number(root, "/proc/sys/user/max_user_namespaces");
  facts.overcommit = read_number(root, "/proc/sys/vm/overcommit_memory");
  facts.pins_direct_io = kernel_pins_direct_io(names.release);
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
  const CgroupMemory memory = read_cgroup_memory(root, process.text);
  facts.version = memory.version;
  facts.limit_bytes = memory.limit_bytes;
  facts.room_bytes = memory.head_room_bytes;
  visit_groups(root, "pids", &note_process_group, &facts, process.text);
  return facts;
}

// "flags:	0140002", octal, as fcntl(2) has them.
Reading count_direct_io(const char* root, std::uint32_t pid) noexcept {
  struct Files {
    char folder[kMaxPath];
    std::int64_t direct = 0;
  } files;
  std::snprintf(files.folder, sizeof files.folder, "%s/proc/%s/fdinfo", root, name_of(pid).text);
  const int error = list_directory(
      files.folder,
      [](void* context, const char* name) {
        auto& listed = *static_cast<Files*>(context);
        char path[kMaxPath + kMaxFact];
        std::snprintf(path, sizeof path, "%s/%.32s", listed.folder, name);
        for_each_line(path, [&](std::string_view line) {
          constexpr std::string_view kKey = "flags:";
          std::uint64_t flags = 0;
          if (!line.starts_with(kKey)) return true;
          if (number_in(line.substr(kKey.size()), flags, 8) && (flags & O_DIRECT) != 0)
            ++listed.direct;
          return false;
        });
      },
      &files);
  return error == 0 ? Reading{files.direct, 0} : Reading{0, error};
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
