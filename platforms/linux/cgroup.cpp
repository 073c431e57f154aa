#include "platforms/linux/cgroup.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "platforms/file.h"

namespace holdfast::platforms {

namespace {

constexpr std::size_t kMaxPath = 4096;
constexpr std::size_t kMaxSmallFile = 8192;
constexpr std::size_t kMaxFileNameBytes = 64;  // of the files read inside a group's directory
// A v1 group without a limit shows this or more (the largest page-aligned 63-bit number).
constexpr std::uint64_t kNoLimitV1 = 0x7FFF'FFFF'0000'0000;

struct Hierarchy {
  const char* mount;        // below <root>/sys/fs/cgroup
  const char* limit_file;
  const char* used_file;
  const char* inactive_key;  // in memory.stat
};
constexpr Hierarchy kV2{"", "memory.max", "memory.current", "inactive_file "};
constexpr Hierarchy kV1{"/memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file "};

std::int64_t read_text(const char* path, char (&text)[kMaxSmallFile]) noexcept {
  const std::int64_t bytes = read_small_file(path, text, sizeof text - 1);
  text[bytes > 0 ? bytes : 0] = '\0';
  return bytes;
}

std::uint64_t read_number(const char* directory, const char* name) noexcept {
  char path[kMaxPath + kMaxFileNameBytes];
  char text[kMaxSmallFile];
  std::snprintf(path, sizeof path, "%s/%s", directory, name);
  if (read_text(path, text) <= 0 || text[0] < '0' || text[0] > '9') return UINT64_MAX;  // "max"
  const std::uint64_t value = std::strtoull(text, nullptr, 10);
  return value >= kNoLimitV1 ? UINT64_MAX : value;
}

std::uint64_t read_inactive(const char* directory, const char* key) noexcept {
  char path[kMaxPath + kMaxFileNameBytes];
  char text[kMaxSmallFile];
  std::snprintf(path, sizeof path, "%s/memory.stat", directory);
  if (read_text(path, text) <= 0) return 0;
  const char* at = std::strstr(text, key);
  return at == nullptr ? 0 : std::strtoull(at + std::strlen(key), nullptr, 10);
}

// Takes the limit of `directory` when it is the smallest so far.
void consider(const Hierarchy& hierarchy, const char* directory, CgroupMemory& memory) noexcept {
  const std::uint64_t limit = read_number(directory, hierarchy.limit_file);
  if (limit >= memory.limit_bytes) return;
  memory.limit_bytes = limit;
  memory.used_bytes = read_number(directory, hierarchy.used_file);
  memory.reclaimable_bytes = read_inactive(directory, hierarchy.inactive_key);
}

// From the group up to the mount; a path that a namespace hides simply has no files there, the mount still has.
void walk_up(const Hierarchy& hierarchy, const char* root, std::string_view group, CgroupMemory& memory) noexcept {
  char directory[kMaxPath];
  while (true) {
    std::snprintf(directory, sizeof directory, "%s/sys/fs/cgroup%s%.*s", root, hierarchy.mount,
                  static_cast<int>(group.size()), group.data());
    consider(hierarchy, directory, memory);
    const std::size_t slash = group.rfind('/');
    if (group.empty() || slash == std::string_view::npos) return;
    group = group.substr(0, slash);
  }
}

// A line is "id:controllers:path"; v2 has id 0 and no controllers.
void read_line(std::string_view line, const char* root, CgroupMemory& memory) noexcept {
  const std::size_t first = line.find(':');
  const std::size_t second = line.find(':', first + 1);
  if (first == std::string_view::npos || second == std::string_view::npos) return;
  const std::string_view controllers = line.substr(first + 1, second - first - 1);
  const std::string_view path = line.substr(second + 1);
  if (controllers.empty()) walk_up(kV2, root, path, memory);
  char list[256];
  std::snprintf(list, sizeof list, ",%.*s,", static_cast<int>(controllers.size()), controllers.data());
  if (std::strstr(list, ",memory,") != nullptr) walk_up(kV1, root, path, memory);
}

}  // namespace

CgroupMemory read_cgroup_memory(const char* root) noexcept {
  CgroupMemory memory;
  char path[kMaxPath + kMaxFileNameBytes];
  char text[kMaxSmallFile];
  std::snprintf(path, sizeof path, "%s/proc/self/cgroup", root);
  if (read_text(path, text) <= 0) return memory;
  std::string_view rest(text);
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    read_line(rest.substr(0, end), root, memory);
    if (end == std::string_view::npos) break;
    rest.remove_prefix(end + 1);
  }
  return memory;
}

}  // namespace holdfast::platforms
