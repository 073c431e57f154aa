#include "platforms/linux/cgroup.h"

#include <doctest/doctest.h>

#include <string>

#include "platforms/cgroup_root_for_test.h"

using namespace holdfast::platforms;

namespace {

// What a test's files say.
class Root : public CgroupRoot {
 public:
  CgroupMemory read() const { return read_cgroup_memory(path()); }
};

}  // namespace

TEST_CASE("version 2: the smallest limit along the hierarchy wins, with its own figures") {
  Root root;
  root.with("/proc/self/cgroup", "0::/a/b/c\n").with("/proc/self/mountinfo", kV2Mount);
  root.v2("/sys/fs/cgroup/a/b/c", "max", 50 * kMiB, 0);
  root.v2("/sys/fs/cgroup/a/b", std::to_string(100 * kMiB), 80 * kMiB, 30 * kMiB);
  root.v2("/sys/fs/cgroup/a", std::to_string(900 * kMiB), 880 * kMiB, 0);
  const CgroupMemory memory = root.read();
  CHECK(memory.limit_bytes == 100 * kMiB);
  CHECK(memory.used_bytes == 80 * kMiB);
  CHECK(memory.reclaimable_bytes == 30 * kMiB);
  // The larger group is nearer to its limit: neighbours fill it.
  CHECK(memory.head_room_bytes == 20 * kMiB);
}

TEST_CASE("version 2 in a namespace: the group is the mount itself") {
  Root root;
  root.with("/proc/self/cgroup", "0::/\n").with("/proc/self/mountinfo", kV2Mount);
  root.v2("/sys/fs/cgroup", std::to_string(64 * kMiB), 10 * kMiB, 4 * kMiB);
  const CgroupMemory memory = root.read();
  CHECK(memory.limit_bytes == 64 * kMiB);
  CHECK(memory.head_room_bytes == 58 * kMiB);
}

TEST_CASE("a mount that shows only our container's part of the hierarchy") {
  Root root;
  const std::string id(64, 'a');
  root.with("/proc/self/cgroup", "0::/docker/" + id + "/sub\n");
  root.with("/proc/self/mountinfo",
            "30 25 0:26 /docker/" + id + " /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
  root.v2("/sys/fs/cgroup", std::to_string(300 * kMiB), 100, 0);
  root.v2("/sys/fs/cgroup/sub", std::to_string(200 * kMiB), 100, 0);
  CHECK(root.read().limit_bytes == 200 * kMiB);
}

TEST_CASE("a group outside of the namespace or of the mount still has the mount's limit") {
  for (const char* group : {"0::/../other\n", "0::/elsewhere\n"}) {
    Root root;
    root.with("/proc/self/cgroup", group);
    root.with("/proc/self/mountinfo", "30 25 0:26 /mine /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
    root.v2("/sys/fs/cgroup", std::to_string(77 * kMiB), 1, 0);
    CHECK(root.read().limit_bytes == 77 * kMiB);
  }
  // With the whole hierarchy shown, ".." must not lead out of it.
  Root root;
  root.with("/proc/self/cgroup", "0::/../other\n").with("/proc/self/mountinfo", kV2Mount);
  root.v2("/sys/fs/cgroup", std::to_string(78 * kMiB), 1, 0);
  root.v2("/sys/fs/other", std::to_string(1 * kMiB), 1, 0);
  CHECK(root.read().limit_bytes == 78 * kMiB);
}

TEST_CASE("version 1: the memory controller's own mount, and limits above what it shows") {
  Root root;
  root.with("/proc/self/cgroup",
            "12:pids:/p\n5:cpu,cpuacct:/c\n4:memory:/docker/x\n1:name=systemd:/s\n0::/u\n");
  root.with("/proc/self/mountinfo",
            "31 25 0:27 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n"
            "32 25 0:28 /docker/x /sys/fs/cgroup/my\\040memory rw - cgroup cgroup rw,memory\n");
  const std::string group = "/sys/fs/cgroup/my memory";
  root.with(group + "/memory.limit_in_bytes", std::to_string(500 * kMiB) + "\n");
  root.with(group + "/memory.usage_in_bytes", std::to_string(90 * kMiB) + "\n");
  root.with(group + "/memory.stat",
            "inactive_file 1\nhierarchical_memory_limit 9223372036854771712\n"
            "total_inactive_file " +
                std::to_string(40 * kMiB) + "\n");
  CgroupMemory memory = root.read();
  CHECK(memory.limit_bytes == 500 * kMiB);
  CHECK(memory.reclaimable_bytes == 40 * kMiB);
  CHECK(memory.head_room_bytes == 450 * kMiB);

  root.with(group + "/memory.stat",
            "hierarchical_memory_limit " + std::to_string(200 * kMiB) + "\n");
  memory = root.read();
  CHECK(memory.limit_bytes == 200 * kMiB);
  CHECK(memory.head_room_bytes == 200 * kMiB);
}

TEST_CASE("version 1 without a limit, of whatever page size, is no limit") {
  for (const char* none : {"9223372036854771712\n", "9223372036854710272\n"}) {
    Root root;
    root.with("/proc/self/cgroup", "4:memory:/\n");
    root.with("/proc/self/mountinfo",
              "32 25 0:28 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n");
    root.with("/sys/fs/cgroup/memory/memory.limit_in_bytes", none);
    CHECK(root.read().limit_bytes == UINT64_MAX);
    CHECK(root.read().head_room_bytes == UINT64_MAX);
  }
}

TEST_CASE("the mount is found behind hundreds of long lines") {
  std::string mounts;
  for (int i = 0; i < 300; ++i)
    mounts +=
        "40 1 0:40 / /layer rw - overlay overlay rw,lowerdir=" + std::string(12'000, 'l') + "\n";
  Root root;
  root.with("/proc/self/cgroup", "0::/\n").with("/proc/self/mountinfo", mounts + kV2Mount);
  root.v2("/sys/fs/cgroup", std::to_string(5 * kMiB), 9 * kMiB, 0);
  const CgroupMemory memory = root.read();
  CHECK(memory.limit_bytes == 5 * kMiB);
  CHECK(memory.head_room_bytes == 0);  // above its limit
}

TEST_CASE("nothing readable, or nonsense, is no limit") {
  CHECK(Root().read().limit_bytes == UINT64_MAX);
  Root root;
  root.with("/proc/self/cgroup", "\n::\nx\n0:\n0::/deep\n")
      .with("/proc/self/mountinfo", "30 - \n - cgroup2\n\n");
  CHECK(root.read().limit_bytes == UINT64_MAX);
  root.with("/proc/self/mountinfo", kV2Mount).v2("/sys/fs/cgroup/deep", "12x", 1, 0);
  CHECK(root.read().limit_bytes == UINT64_MAX);
  root.v2("/sys/fs/cgroup/deep", "99999999999999999999999", 1, 0);
  CHECK(root.read().limit_bytes == UINT64_MAX);
}
