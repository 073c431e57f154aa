#include "platforms/system_facts.h"

#include <doctest/doctest.h>
#include <fcntl.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>

#include "platforms/cgroup_root_for_test.h"
#include "platforms/process.h"
#include "platforms/process_for_tests.h"

using namespace holdfast;
using namespace holdfast::platforms;

TEST_CASE("system facts: from files, and what is not there has a reason instead of a value") {
  CgroupRoot root;
  root.with("/proc/sys/kernel/yama/ptrace_scope", "1\n")
      .with("/proc/sys/vm/overcommit_memory", "2\n")
      .with("/sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n")
      .with("/proc/meminfo", "MemTotal:  100 kB\nMemAvailable:   64 kB\n");
  const SystemFacts facts = read_system_facts(root.path());
  CHECK(std::string_view(facts.kernel).starts_with("Linux "));
  CHECK(facts.ptrace_scope.value == 1);
  CHECK(facts.overcommit.value == 2);
  CHECK(facts.available_bytes.value == 65'536);
  CHECK(std::strcmp(facts.huge_pages, "madvise") == 0);
  CHECK_FALSE(facts.user_namespaces.known());
  CHECK(facts.user_namespaces.error == ENOENT);
  root.with("/proc/sys/kernel/yama/ptrace_scope", "rubbish\n")
      .with("/sys/kernel/mm/transparent_hugepage/enabled", "] [\n");
  CHECK(read_system_facts(root.path()).ptrace_scope.error == EINVAL);
  CHECK(read_system_facts(root.path()).huge_pages[0] == '\0');
}

TEST_CASE("system facts: without Yama is a kernel whose /proc has the rest, not a missing /proc") {
  CgroupRoot root;
  CHECK(read_system_facts(root.path()).ptrace_scope.error == ENODATA);
  root.with("/proc/sys/kernel/ostype", "Linux\n");
  CHECK(read_system_facts(root.path()).ptrace_scope.error == ENOENT);
}

TEST_CASE("system facts: files that are open with O_DIRECT") {
  CgroupRoot root;
  CHECK(count_direct_io(root.path(), 42).error == ENOENT);
  char direct[64];
  std::snprintf(direct, sizeof direct, "pos:\t0\nflags:\t%o\nmnt_id:\t30\n",
                static_cast<unsigned>(O_DIRECT | O_RDWR));
  root.with("/proc/42/fdinfo/0", "pos:\t0\nflags:\t0100002\n").with("/proc/42/fdinfo/1", "flags\n");
  CHECK(count_direct_io(root.path(), 42).value == 0);
  root.with("/proc/42/fdinfo/12", direct);
  CHECK(count_direct_io(root.path(), 42).value == 1);
  CHECK(count_direct_io("", 0).known());
}

TEST_CASE("system facts: rights of a process, and of none") {
  CgroupRoot root;
  root.with("/proc/42/status",
            "Name:\tjava\nUid:\t1000\t1001\t1000\t1000\nVmRSS:\t  2048 kB\n"
            "CapEff:\t0000000000080020\nSeccomp:\t2\n");
  const ProcessFacts facts = read_process_facts(root.path(), 42);
  CHECK(facts.error == 0);
  CHECK(facts.effective_user == 1001);
  CHECK((facts.capabilities >> kCapSysPtrace & 1) == 1);
  CHECK((facts.capabilities >> kCapKill & 1) == 1);
  CHECK((facts.capabilities >> kCapSetUid & 1) == 0);
  CHECK(facts.seccomp.value == static_cast<int>(Seccomp::kFilter));
  CHECK(facts.resident_bytes.value == 2 << 20);
  CHECK(read_process_facts(root.path(), 43).error == ENOENT);
  root.with("/proc/44/status", "Seccomp\nUid:\t\nCapEff:\tzz\nVmRSS:\n");  // damaged
  CHECK_FALSE(read_process_facts(root.path(), 44).seccomp.known());
  CHECK(read_process_facts("", 0).error == 0);
  CHECK(read_process_facts("", dead_pid_for_test()).error == ENOENT);
}

TEST_CASE("system facts: control groups of another process, with the nearest limit of processes") {
  CgroupRoot root;
  root.with("/proc/self/mountinfo", kV2Mount).with("/proc/42/cgroup", "0::/a/b\n");
  root.v2("/sys/fs/cgroup/a/b", "104857600", 60 * kMiB, 10 * kMiB);
  root.with("/sys/fs/cgroup/a/b/pids.max", "100\n").with("/sys/fs/cgroup/a/b/pids.current", "10\n");
  root.with("/sys/fs/cgroup/a/pids.max", "20\n").with("/sys/fs/cgroup/a/pids.current", "19\n");
  const GroupFacts facts = read_group_facts(root.path(), 42);
  CHECK(facts.version == 2);
  CHECK(facts.limit_bytes == 100 * kMiB);
  CHECK(facts.room_bytes == 50 * kMiB);
  CHECK(facts.most_processes == 20);
  CHECK(facts.processes == 19);
  const GroupFacts none = read_group_facts(root.path(), 7);
  CHECK(none.version == 0);
  CHECK(none.limit_bytes == UINT64_MAX);
  CHECK(none.most_processes == UINT64_MAX);
}

TEST_CASE(
    "system facts: the version of the control group that has the limit, of two that are there") {
  const std::string both =
      std::string(kV2Mount) + "31 25 0:27 / /sys/fs/memory rw - cgroup cgroup rw,memory\n";
  for (const char* groups : {"4:memory:/a\n0::/a\n", "0::/a\n4:memory:/a\n"}) {
    CAPTURE(groups);
    CgroupRoot root;
    root.with("/proc/self/mountinfo", both).with("/proc/42/cgroup", groups);
    root.with("/sys/fs/memory/a/memory.limit_in_bytes", "9223372036854771712\n")
        .with("/sys/fs/cgroup/a/cgroup.procs", "42\n");
    CHECK(read_group_facts(root.path(), 42).version == 1);  // no limit, but it counts memory
    root.with("/sys/fs/memory/a/memory.limit_in_bytes", "104857600\n");
    CHECK(read_group_facts(root.path(), 42).version == 1);
    CHECK(read_group_facts(root.path(), 42).limit_bytes == 100 * kMiB);
    root.v2("/sys/fs/cgroup/a", "52428800", kMiB, 0);
    CHECK(read_group_facts(root.path(), 42).version == 2);
    CHECK(read_group_facts(root.path(), 42).limit_bytes == 50 * kMiB);
  }
}

TEST_CASE("system facts: a child can be made here, or the system says why not") {
  const ChildTrial trial = try_child();
  CHECK(trial.error == 0);
  CHECK(trial.took_ns > 0);
}
