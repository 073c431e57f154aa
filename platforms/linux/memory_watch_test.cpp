#include "platforms/memory_watch.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <string>

#include "platforms/cgroup_root_for_test.h"
#include "platforms/clock.h"
#include "platforms/process.h"
#include "platforms/process_for_tests.h"

using namespace holdfast::platforms;

namespace {

const std::string kGroup = "/sys/fs/cgroup/a/b";
const std::string kAbove = "/sys/fs/cgroup/a";

std::string mebibytes(std::uint64_t count) { return std::to_string(count * kMiB) + "\n"; }

void version_two(CgroupRoot& root) {
  root.with("/proc/self/cgroup", "0::/a/b\n").with("/proc/self/mountinfo", kV2Mount);
}

void let_figures_age() { sleep_ns(MemoryWatch::kStatPeriodNs + 1'000'000); }

int next_descriptor() {
  const int next = ::open("/", O_PATH | O_CLOEXEC);
  ::close(next);
  return next;
}

}  // namespace

TEST_CASE("what is left is counted in every group, and the nearest end wins") {
  CgroupRoot root;
  version_two(root);
  root.v2(kGroup, std::to_string(500 * kMiB), 100 * kMiB, 0);
  root.v2(kAbove, std::to_string(900 * kMiB), 880 * kMiB, 30 * kMiB);
  MemoryWatch watch;
  watch.open(root.path());
  CHECK(watch.left_bytes() == 50 * kMiB);  // neighbours fill the larger group
  root.with(kGroup + "/memory.current", mebibytes(480));
  CHECK(watch.left_bytes() == 20 * kMiB);  // at once
  root.with(kGroup + "/memory.current", mebibytes(600));
  CHECK(watch.left_bytes() == 0);
}

TEST_CASE("the machine's end may be nearer than any group's") {
  CgroupRoot root;
  version_two(root);
  root.v2(kGroup, std::to_string(500 * kMiB), 100 * kMiB, 0);
  root.with("/proc/meminfo", "MemTotal:  9 kB\nMemAvailable:      2048 kB\nMemFree: 1 kB\n");
  MemoryWatch watch;
  watch.open(root.path());
  CHECK(watch.left_bytes() == 2 * kMiB);
  root.with("/proc/meminfo", "MemTotal:  9 kB\nMemAvailable:      1024 kB\nMemFree: 1 kB\n");
  CHECK(watch.left_bytes() == 1 * kMiB);
}

TEST_CASE("cache that must be written first is not counted as free") {
  CgroupRoot root;
  version_two(root);
  root.v2(kGroup, std::to_string(100 * kMiB), 90 * kMiB, 0);
  const auto stat = [&](std::uint64_t inactive, std::uint64_t dirty, std::uint64_t writeback) {
    root.with(kGroup + "/memory.stat", "inactive_file " + mebibytes(inactive) + "active_file " +
                                           mebibytes(50) + "file_dirty " + mebibytes(dirty) +
                                           "file_writeback " + mebibytes(writeback));
  };
  MemoryWatch watch;
  watch.open(root.path());
  CHECK(watch.left_bytes() == 10 * kMiB);
  stat(40, 5, 7);
  let_figures_age();
  CHECK(watch.left_bytes() == 38 * kMiB);
  stat(10, 50, 0);
  let_figures_age();
  CHECK(watch.left_bytes() == 10 * kMiB);
}

TEST_CASE("a group that is held back above its high mark ends there") {
  CgroupRoot root;
  version_two(root);
  root.v2(kGroup, std::to_string(500 * kMiB), 100 * kMiB, 0);
  root.with(kGroup + "/memory.high", mebibytes(150));
  root.v2(kAbove, "max", 300 * kMiB, 0).with(kAbove + "/memory.high", "max\n");
  MemoryWatch watch;
  watch.open(root.path());
  CHECK(watch.left_bytes() == 50 * kMiB);
  root.with(kGroup + "/memory.high", mebibytes(120));
  let_figures_age();
  CHECK(watch.left_bytes() == 20 * kMiB);
}

TEST_CASE("version 1: usage, cache and limits above the mount") {
  CgroupRoot root;
  root.with("/proc/self/cgroup", "4:memory:/x\n2:cpu,cpuacct:/x\n0::/\n");
  root.with("/proc/self/mountinfo",
            "31 25 0:27 /x /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n"
            "32 25 0:28 /x /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n");
  const std::string memory = "/sys/fs/cgroup/memory";
  root.with(memory + "/memory.limit_in_bytes", mebibytes(500));
  root.with(memory + "/memory.usage_in_bytes", mebibytes(400));
  root.with(memory + "/memory.stat",
            "inactive_file 1\ndirty 2\nhierarchical_memory_limit 9223372036854771712\n"
            "total_dirty " +
                mebibytes(1) + "total_inactive_file " + mebibytes(20));
  root.with("/sys/fs/cgroup/cpu/cpu.stat", "nr_periods 9\nnr_throttled 3\n");
  MemoryWatch watch;
  watch.open(root.path());
  CHECK(watch.left_bytes() == 119 * kMiB);
  root.with(memory + "/memory.limit_in_bytes", "9223372036854771712\n");
  root.with(memory + "/memory.stat", "hierarchical_memory_limit " + mebibytes(410));
  watch.open(root.path());
  CHECK(watch.left_bytes() == 10 * kMiB);
  CHECK_FALSE(watch.throttled());
  root.with("/sys/fs/cgroup/cpu/cpu.stat", "nr_periods 10\nnr_throttled 4\n");
  let_figures_age();
  CHECK(watch.throttled());
}

TEST_CASE("a quota that holds us back is told for a while, from any group") {
  CgroupRoot root;
  version_two(root);
  root.with(kGroup + "/cpu.stat", "usage_usec 1\nnr_periods 1\nnr_throttled 7\n");
  root.with(kAbove + "/cpu.stat", "usage_usec 1\nnr_throttled 0\nthrottled_usec 0\n");
  MemoryWatch watch;
  watch.open(root.path());
  let_figures_age();
  CHECK_FALSE(watch.throttled());  // what was before does not count
  root.with(kAbove + "/cpu.stat", "usage_usec 1\nnr_throttled 1\nthrottled_usec 5\n");
  let_figures_age();
  CHECK(watch.throttled());
  let_figures_age();
  CHECK(watch.throttled());
  sleep_ns(MemoryWatch::kThrottledForNs);
  CHECK_FALSE(watch.throttled());
}

TEST_CASE("no limit, nothing readable, and files that go are no end") {
  MemoryWatch watch;
  CHECK(watch.left_bytes() == kUnknownBytes);
  CHECK_FALSE(watch.throttled());
  CgroupRoot root;
  version_two(root);
  watch.open(root.path());
  CHECK(watch.left_bytes() == kUnknownBytes);
  root.v2(kGroup, "max", 1, 0).v2(kAbove, "nonsense", 1, 0);
  const int before = next_descriptor();
  watch.open(root.path());
  CHECK(next_descriptor() == before);
  CHECK(watch.left_bytes() == kUnknownBytes);
  root.v2(kGroup, std::to_string(kMiB), 0, 0);
  watch.open(root.path());
  CHECK(watch.left_bytes() == kMiB);
  root.with(kGroup + "/memory.current", "");
  CHECK(watch.left_bytes() == kUnknownBytes);
  watch.close();
  CHECK(watch.left_bytes() == kUnknownBytes);
}

TEST_CASE("as deep as groups are, no more descriptors than promised, and all given back") {
  CgroupRoot root;
  std::string group;
  std::string directory = "/sys/fs/cgroup";
  for (unsigned depth = 0; depth < 40; ++depth) {
    group += "/g";
    directory += "/g";
    root.v2(directory, std::to_string((100 - depth) * kMiB), 0, 0);
    root.with(directory + "/cpu.stat", "nr_throttled 0\n");
  }
  root.with("/proc/self/cgroup", "0::" + group + "\n").with("/proc/self/mountinfo", kV2Mount);
  root.with("/proc/meminfo", "MemAvailable: 1048576 kB\n");
  const int before = next_descriptor();
  {
    MemoryWatch watch;
    watch.open(root.path());
    watch.open(root.path());
    CHECK(watch.left_bytes() == 61 * kMiB);
    CHECK(next_descriptor() <= before + static_cast<int>(5 * MemoryWatch::kMaxGroups + 1));
  }
  CHECK(next_descriptor() == before);
}

TEST_CASE("an application that closed its standard streams does not find ours behind them") {
  const auto closed = [] {
    for (int stream = 0; stream < 3; ++stream) ::close(stream);
    MemoryWatch watch;
    watch.open();
    if (watch.left_bytes() == kUnknownBytes) return 1;
    return ::fcntl(0, F_GETFD) < 0 && ::fcntl(1, F_GETFD) < 0 && ::fcntl(2, F_GETFD) < 0 ? 0 : 2;
  };
  CHECK(run_in_child(closed) == 0);
}

TEST_CASE("on this machine the figure is one that can be") {
  MemoryWatch watch;
  watch.open();
  CHECK(watch.left_bytes() > 0);
  CHECK(watch.left_bytes() <= physical_memory_bytes());
}

TEST_CASE("fullest: the group with the largest share, and all clean file cache can be had back") {
  CgroupRoot root;
  version_two(root);
  root.v2(kGroup, std::to_string(500 * kMiB), 300 * kMiB, 0);
  root.v2(kAbove, std::to_string(1000 * kMiB), 990 * kMiB, 0);
  const auto stat = [&](std::uint64_t active, std::uint64_t dirty) {
    root.with(kAbove + "/memory.stat", "inactive_file " + mebibytes(90) + "active_file " +
                                           mebibytes(active) + "file_dirty " + mebibytes(dirty));
  };
  stat(200, 0);
  root.with(kGroup + "/memory.high", "max\n");
  MemoryWatch watch;
  watch.open(root.path());
  CHECK(watch.fullest().limit_bytes == 1000 * kMiB);
  CHECK(watch.fullest().held_bytes == 700 * kMiB);
  CHECK_FALSE(watch.fullest().stalled);
  stat(500, 90);
  let_figures_age();
  CHECK(watch.fullest().limit_bytes == 500 * kMiB);  // 60 % against 49 %
  CHECK(watch.fullest().held_bytes == 300 * kMiB);
  root.with(kGroup + "/memory.high", mebibytes(310));
  let_figures_age();
  CHECK(watch.fullest().limit_bytes == 310 * kMiB);
  root.with(kGroup + "/memory.current", mebibytes(400));
  CHECK(watch.fullest().held_bytes == 400 * kMiB);  // beyond memory.high
}

TEST_CASE("fullest: a group that stalls") {
  CgroupRoot root;
  version_two(root);
  const auto pressure = [&](const char* full) {
    root.with(kGroup + "/memory.pressure",
              std::string("some avg10=99.00 avg60=99.00 avg300=99.00 total=9\nfull avg10=") + full +
                  " avg60=50.00 avg300=50.00 total=9\n");
  };
  root.v2(kGroup, std::to_string(500 * kMiB), 100 * kMiB, 0);
  pressure("9.99");
  MemoryWatch watch;
  watch.open(root.path());
  CHECK_FALSE(watch.fullest().stalled);
  pressure("10.00");
  CHECK(watch.fullest().stalled);
  pressure("100.00");
  CHECK(watch.fullest().stalled);
  pressure("nonsense");
  CHECK_FALSE(watch.fullest().stalled);
}

TEST_CASE("fullest: version 1, and no limit at all") {
  CgroupRoot root;
  root.with("/proc/self/cgroup", "4:memory:/a\n")
      .with("/proc/self/mountinfo",
            "31 25 0:27 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n");
  const std::string group = "/sys/fs/cgroup/memory/a";
  root.with(group + "/memory.limit_in_bytes", mebibytes(100))
      .with(group + "/memory.usage_in_bytes", mebibytes(90))
      .with(group + "/memory.stat", "hierarchical_memory_limit " + mebibytes(100) +
                                        "total_inactive_file " + mebibytes(5) +
                                        "total_active_file " + mebibytes(15));
  MemoryWatch watch;
  watch.open(root.path());
  CHECK(watch.fullest().held_bytes == 70 * kMiB);
  CHECK(watch.fullest().limit_bytes == 100 * kMiB);
  watch.close();
  CHECK(watch.fullest().limit_bytes == 0);
  CgroupRoot none;
  version_two(none);
  none.v2(kGroup, "max", 100 * kMiB, 0);
  watch.open(none.path());
  CHECK(watch.fullest().limit_bytes == 0);
  CHECK_FALSE(watch.fullest().stalled);
}
