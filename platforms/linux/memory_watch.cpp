#include "platforms/memory_watch.h"

#include <algorithm>
#include <cstdio>
#include <string_view>

#include "platforms/clock.h"
#include "platforms/linux/cgroup.h"
#include "platforms/linux/cgroup_groups.h"
#include "platforms/linux/raw_file.h"
#include "platforms/process.h"

namespace holdfast::platforms {

namespace {

constexpr std::size_t kMaxFilePath = kMaxGroupPath + 64;
constexpr std::size_t kMaxFileBytes = 8192;  // memory.stat has about 2,000, /proc/meminfo 1,500
constexpr std::uint64_t kNone = UINT64_MAX;
constexpr std::uint64_t kQuotaPeriodNs = 10'000'000;
constexpr std::string_view kThrottleKey = "nr_throttled ";

using Group = MemoryWatch::Group;

// What a kept descriptor's file says now.
class FileText {
 public:
  explicit FileText(int descriptor) noexcept {
    const long got = raw_syscall(SYS_pread64, descriptor, text_, sizeof text_, 0);
    size_ = descriptor < 0 || got < 0 ? 0 : static_cast<std::size_t>(got);
  }
  // The number in the only line; kNone for "max" and the like.
  std::uint64_t number() const noexcept {
    const std::string_view line = rest_from(0);
    return cgroup_number(line.substr(0, line.find('\n')));
  }
  // The number behind `key` at the start of a line, without its fraction; kNone when it is not there.
  std::uint64_t number_of(std::string_view key) const noexcept {
    for (std::size_t start = 0; start < size_;) {
      std::string_view line = rest_from(start);
      line = line.substr(0, line.find('\n'));
      start += line.size() + 1;
      if (line.size() <= key.size() || line.substr(0, key.size()) != key) continue;
      line.remove_prefix(key.size());
      while (!line.empty() && line[0] == ' ') line.remove_prefix(1);
      return cgroup_number(line.substr(0, line.find('.')));
    }
    return kNone;
  }

 private:
  std::string_view rest_from(std::size_t start) const noexcept {
    return {text_ + start, size_ - start};
  }
  char text_[kMaxFileBytes];
  std::size_t size_;
};

int open_in(const char* directory, const char* name) noexcept {
  char path[kMaxFilePath];
  const int length = std::snprintf(path, sizeof path, "%s/%s", directory, name);
  if (length < 0 || static_cast<std::size_t>(length) >= sizeof path) return -1;
  return std::max(raw_above_standard_streams(raw_open(path, O_RDONLY | O_CLOEXEC)), -1);
}

void close_file(int& descriptor) noexcept {
  if (descriptor >= 0) raw_close(descriptor);
  descriptor = -1;
}

void close_group(Group& group) noexcept {
  for (int* descriptor : {&group.limit, &group.high, &group.used, &group.stat, &group.pressure})
    close_file(*descriptor);
}

// Dirty pages may stand on either list; counted as if all stood on the inactive one.
void read_cache(const FileText& stat, Group& group) noexcept {
  const auto known = [&](std::string_view v1, std::string_view v2) {
    const std::uint64_t bytes = stat.number_of(group.first_version ? v1 : v2);
    return bytes == kNone ? 0 : bytes;
  };
  const std::uint64_t inactive = known("total_inactive_file ", "inactive_file ");
  const std::uint64_t all = inactive + known("total_active_file ", "active_file ");
  const std::uint64_t unwritten =
      known("total_dirty ", "file_dirty ") + known("total_writeback ", "file_writeback ");
  group.reclaimable_bytes = inactive - std::min(inactive, unwritten);
  group.clean_cache_bytes = all - std::min(all, unwritten);
}

void read_stat(Group& group) noexcept {
  const FileText stat(group.stat);
  const std::uint64_t limit = FileText(group.limit).number();
  // Version 1 tells so what groups above the mount allow.
  const std::uint64_t other = group.first_version ? stat.number_of("hierarchical_memory_limit ")
                                                  : FileText(group.high).number();
  group.limit_bytes = std::min(limit, other);
  read_cache(stat, group);
}

std::uint64_t left_in(const Group& group) noexcept {
  const std::uint64_t used = FileText(group.used).number();
  if (group.limit_bytes == kNone || used == kNone) return kNone;
  const std::uint64_t held = used - std::min(used, group.reclaimable_bytes);
  return group.limit_bytes - std::min(group.limit_bytes, held);
}

MemoryWatch::Fill fill_of(const Group& group) noexcept {
  const std::uint64_t used = FileText(group.used).number();
  if (group.limit_bytes == kNone || group.limit_bytes == 0 || used == kNone) return {};
  return {used - std::min(used, group.clean_cache_bytes), group.limit_bytes, false};
}

bool fuller(const MemoryWatch::Fill& a, const MemoryWatch::Fill& b) noexcept {
  if (a.limit_bytes == 0 || b.limit_bytes == 0) return a.limit_bytes != 0;
  const auto share = [](const MemoryWatch::Fill& fill) {
    return static_cast<double>(fill.held_bytes) / static_cast<double>(fill.limit_bytes);
  };
  return share(a) > share(b);
}

// "full avg10=12.34 avg60=…": the whole part of the first number.
bool is_stalled(const Group& group) noexcept {
  if (group.pressure < 0) return false;
  const std::uint64_t percent = FileText(group.pressure).number_of("full avg10=");
  return percent != kNone && percent >= MemoryWatch::kStalledPercent;
}

struct FoundGroups {
  Group* groups;
  std::size_t count = 0;
};

void take_group(void* context, const CgroupGroup& found) noexcept {
  auto& list = *static_cast<FoundGroups*>(context);
  if (list.count == MemoryWatch::kMaxGroups) return;
  Group& group = list.groups[list.count];
  group = Group{};
  group.first_version = found.version == CgroupVersion::k1;
  const char* const directory = found.directory;
  group.limit = open_in(directory, group.first_version ? "memory.limit_in_bytes" : "memory.max");
  group.used = open_in(directory, group.first_version ? "memory.usage_in_bytes" : "memory.current");
  group.stat = open_in(directory, "memory.stat");
  if (!group.first_version) {
    group.high = open_in(directory, "memory.high");
    group.pressure = open_in(directory, "memory.pressure");
  }
  read_stat(group);
  if (left_in(group) == kNone)
    close_group(group);
  else
    ++list.count;
}

struct FoundQuotas {
  int* files;
  std::size_t count = 0;
};

void take_quota(void* context, const CgroupGroup& found) noexcept {
  auto& list = *static_cast<FoundQuotas*>(context);
  if (list.count == MemoryWatch::kMaxGroups) return;
  int file = open_in(found.directory, "cpu.stat");
  if (FileText(file).number_of(kThrottleKey) == kNone)
    close_file(file);
  else
    list.files[list.count++] = file;
}

}  // namespace

void MemoryWatch::open(const char* root) noexcept {
  close();
  FoundGroups groups{groups_};
  visit_groups(root, "memory", &take_group, &groups);
  group_count_ = groups.count;
  FoundQuotas quotas{quotas_};
  visit_groups(root, "cpu", &take_quota, &quotas);
  quota_count_ = quotas.count;
  char proc[kMaxGroupPath];
  std::snprintf(proc, sizeof proc, "%s/proc", root);
  machine_ = open_in(proc, "meminfo");
  stat_read_ns_ = quota_read_ns_ = monotonic_ns();
  throttles_seen_ = throttle_count();
  throttled_until_ns_ = 0;
}

bool MemoryWatch::stat_is_old() noexcept {
  const std::uint64_t now_ns = monotonic_ns();
  const bool old = now_ns - stat_read_ns_ >= kStatPeriodNs;
  if (old) stat_read_ns_ = now_ns;
  return old;
}

std::uint64_t MemoryWatch::left_bytes() noexcept {
  const bool read_anew = stat_is_old();
  const std::uint64_t available_kb = FileText(machine_).number_of("MemAvailable:");
  std::uint64_t left = available_kb == kNone ? kUnknownBytes : available_kb * 1024;
  for (std::size_t i = 0; i < group_count_; ++i) {
    if (read_anew) read_stat(groups_[i]);
    left = std::min(left, left_in(groups_[i]));
  }
  return left;
}

MemoryWatch::Fill MemoryWatch::fullest() noexcept {
  const bool read_anew = stat_is_old();
  Fill fullest;
  bool stalled = false;
  for (std::size_t i = 0; i < group_count_; ++i) {
    if (read_anew) read_stat(groups_[i]);
    const Fill fill = fill_of(groups_[i]);
    if (fuller(fill, fullest)) fullest = fill;
    stalled = stalled || is_stalled(groups_[i]);
  }
  fullest.stalled = stalled && fullest.limit_bytes != 0;
  return fullest;
}

std::uint64_t MemoryWatch::throttle_count() const noexcept {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < quota_count_; ++i) {
    const std::uint64_t count = FileText(quotas_[i]).number_of(kThrottleKey);
    sum += count == kNone ? 0 : count;
  }
  return sum;
}

bool MemoryWatch::throttled() noexcept {
  const std::uint64_t now_ns = monotonic_ns();
  if (now_ns - quota_read_ns_ >= kQuotaPeriodNs) {
    quota_read_ns_ = now_ns;
    const std::uint64_t count = throttle_count();
    if (count > throttles_seen_) throttled_until_ns_ = now_ns + kThrottledForNs;
    throttles_seen_ = count;
  }
  return now_ns < throttled_until_ns_;
}

void MemoryWatch::close() noexcept {
  for (std::size_t i = 0; i < group_count_; ++i) close_group(groups_[i]);
  for (std::size_t i = 0; i < quota_count_; ++i) close_file(quotas_[i]);
  close_file(machine_);
  group_count_ = 0;
  quota_count_ = 0;
}

}  // namespace holdfast::platforms
