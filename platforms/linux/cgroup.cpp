#include "platforms/linux/cgroup.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <string_view>

#include "platforms/linux/cgroup_groups.h"
#include "platforms/linux/text_lines.h"

namespace holdfast::platforms {

namespace {

constexpr std::size_t kMaxFilePath = kMaxGroupPath + 64;  // the longest file name is short

struct Files {
  const char* limit;
  const char* used;
  std::string_view reclaimable_key;  // in memory.stat
};
constexpr Files kV2{"memory.max", "memory.current", "inactive_file"};
constexpr Files kV1{"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"};

// The number behind `key` in memory.stat; UINT64_MAX when it is not there.
std::uint64_t read_stat(const char* directory, std::string_view key) noexcept {
  char path[kMaxFilePath];
  std::snprintf(path, sizeof path, "%s/memory.stat", directory);
  std::uint64_t value = UINT64_MAX;
  for_each_line(path, [&](std::string_view line) {
    if (field_of(line, 0) != key) return true;
    value = cgroup_number(field_of(line, 1));
    return false;
  });
  return value;
}

void consider(const Files& files, const char* directory, CgroupMemory& memory) noexcept {
  const std::uint64_t limit = cgroup_file_number(directory, files.limit);
  if (limit == UINT64_MAX) return;
  const std::uint64_t used = cgroup_file_number(directory, files.used);
  const std::uint64_t stat = read_stat(directory, files.reclaimable_key);
  const std::uint64_t reclaimable = stat == UINT64_MAX ? 0 : stat;
  const std::uint64_t held = used == UINT64_MAX ? 0 : used - std::min(used, reclaimable);
  memory.head_room_bytes = std::min(memory.head_room_bytes, limit - std::min(limit, held));
  if (limit >= memory.limit_bytes) return;
  memory.limit_bytes = limit;
  memory.used_bytes = used;
  memory.reclaimable_bytes = reclaimable;
}

// Version 1 also tells what groups above the mount allow.
void consider_above(const char* directory, CgroupMemory& memory) noexcept {
  const std::uint64_t above = read_stat(directory, "hierarchical_memory_limit");
  memory.limit_bytes = std::min(memory.limit_bytes, above);
  memory.head_room_bytes = std::min(memory.head_room_bytes, memory.limit_bytes);
}

void visit(void* context, const CgroupGroup& group) noexcept {
  auto& memory = *static_cast<CgroupMemory*>(context);
  const bool first = group.version == CgroupVersion::k1;
  const unsigned version = first ? 1 : 2;
  const std::uint64_t before = memory.limit_bytes;
  consider(first ? kV1 : kV2, group.directory, memory);
  if (first && group.own) consider_above(group.directory, memory);
  // Version 1 is visited only where it counts memory, and then version 2 does not.
  const bool counts = memory.version == 0 || (first && memory.limit_bytes == UINT64_MAX);
  if (counts || memory.limit_bytes < before) memory.version = version;
}

}  // namespace

std::uint64_t cgroup_number(std::string_view text) noexcept {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc{} && (end == text.data() + text.size() || *end == ' ');
  return !whole || value >= kNoLimitV1 ? UINT64_MAX : value;  // "max" is no number
}

std::uint64_t cgroup_file_number(const char* directory, const char* name) noexcept {
  char path[kMaxFilePath];
  std::snprintf(path, sizeof path, "%s/%s", directory, name);
  std::uint64_t value = UINT64_MAX;
  for_each_line(path, [&](std::string_view line) {
    value = cgroup_number(line);
    return false;
  });
  return value;
}

CgroupMemory read_cgroup_memory(const char* root, const char* process) noexcept {
  CgroupMemory memory;
  visit_groups(root, "memory", &visit, &memory, process);
  return memory;
}

}  // namespace holdfast::platforms
