#include "platforms/linux/cgroup.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <string_view>

#include "platforms/linux/text_lines.h"

namespace holdfast::platforms {

namespace {

constexpr std::size_t kMaxPath = 4096;
constexpr std::size_t kMaxFilePath = kMaxPath + 64;  // the longest file name below a group is short
// A v1 group without a limit shows the largest page-aligned 63-bit number; pages differ in size.
constexpr std::uint64_t kNoLimitV1 = 0x7FFF'FFFF'0000'0000;
constexpr int kMaxDepth = 128;  // of groups above each other

struct Version {
  std::string_view file_system;
  const char* limit_file;
  const char* used_file;
  std::string_view reclaimable_key;  // in memory.stat
};
constexpr Version kV2{"cgroup2", "memory.max", "memory.current", "inactive_file"};
constexpr Version kV1{"cgroup", "memory.limit_in_bytes", "memory.usage_in_bytes",
                      "total_inactive_file"};

// Where a hierarchy is mounted, and which of its groups is seen there.
struct Mount {
  char point[kMaxPath] = "";
  char shown[kMaxPath] = "";
  bool found = false;
  bool holds_us = false;  // our group is `shown` or below it
};

std::uint64_t number_in(std::string_view text) noexcept {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc{} && (end == text.data() + text.size() || *end == ' ');
  return !whole || value >= kNoLimitV1 ? UINT64_MAX : value;  // "max" is no number
}

std::uint64_t read_number(const char* directory, const char* name) noexcept {
  char path[kMaxFilePath];
  std::snprintf(path, sizeof path, "%s/%s", directory, name);
  std::uint64_t value = UINT64_MAX;
  for_each_line(path, [&](std::string_view line) {
    value = number_in(line);
    return false;
  });
  return value;
}

// The number behind `key` in memory.stat; UINT64_MAX when it is not there.
std::uint64_t read_stat(const char* directory, std::string_view key) noexcept {
  char path[kMaxFilePath];
  std::snprintf(path, sizeof path, "%s/memory.stat", directory);
  std::uint64_t value = UINT64_MAX;
  for_each_line(path, [&](std::string_view line) {
    if (field_of(line, 0) != key) return true;
    value = number_in(field_of(line, 1));
    return false;
  });
  return value;
}

void consider(const Version& version, const char* directory, CgroupMemory& memory) noexcept {
  const std::uint64_t limit = read_number(directory, version.limit_file);
  if (limit == UINT64_MAX) return;
  const std::uint64_t used = read_number(directory, version.used_file);
  const std::uint64_t stat = read_stat(directory, version.reclaimable_key);
  const std::uint64_t reclaimable = stat == UINT64_MAX ? 0 : stat;
  const std::uint64_t held = used == UINT64_MAX ? 0 : used - std::min(used, reclaimable);
  memory.head_room_bytes = std::min(memory.head_room_bytes, limit - std::min(limit, held));
  if (limit >= memory.limit_bytes) return;
  memory.limit_bytes = limit;
  memory.used_bytes = used;
  memory.reclaimable_bytes = reclaimable;
}

// From the group's directory up to the mount point, which is `floor` bytes long.
void walk_up(const Version& version, std::string_view directory, std::size_t floor,
             CgroupMemory& memory) noexcept {
  char path[kMaxPath];
  for (int depth = 0; depth < kMaxDepth; ++depth) {
    std::snprintf(path, sizeof path, "%.*s", static_cast<int>(directory.size()), directory.data());
    consider(version, path, memory);
    const std::size_t slash = directory.rfind('/');
    if (directory.size() <= floor || slash == directory.npos || slash < floor) return;
    directory = directory.substr(0, slash);
  }
}

// What of `group` lies below `shown`: "/docker/1/a" below "/docker/1" is "/a". False: not below it.
bool below(std::string_view group, std::string_view shown, std::string_view& rest) noexcept {
  if (shown == "/") shown = {};
  if (group.substr(0, shown.size()) != shown) return false;
  rest = group.substr(shown.size());
  return rest.empty() || rest[0] == '/';
}

// Mountinfo writes a space as \040, and so on.
void copy_unescaped(std::string_view text, char (&out)[kMaxPath]) noexcept {
  std::size_t length = 0;
  for (std::size_t i = 0; i < text.size() && length + 1 < sizeof out; ++i) {
    const bool escaped = text[i] == '\\' && i + 3 < text.size();
    const auto digit = [&](std::size_t at) { return text[i + at] - '0'; };
    out[length++] = escaped ? static_cast<char>(digit(1) * 64 + digit(2) * 8 + digit(3)) : text[i];
    if (escaped) i += 3;
  }
  out[length] = '\0';
}

bool has_word(std::string_view list, std::string_view word) noexcept {
  while (!list.empty()) {
    const std::size_t comma = list.find(',');
    if (list.substr(0, comma) == word) return true;
    if (comma == list.npos) return false;
    list.remove_prefix(comma + 1);
  }
  return false;
}

// "36 35 98:0 /shown /point rw,noatime master:1 - cgroup2 source options"
void read_mount(const Version& version, std::string_view line, std::string_view group,
                Mount& mount) noexcept {
  const std::size_t dash = line.find(" - ");
  if (dash == line.npos || mount.holds_us) return;
  const std::string_view end = line.substr(dash + 3);
  if (field_of(end, 0) != version.file_system) return;
  if (&version == &kV1 && !has_word(field_of(end, 2), "memory")) return;
  Mount seen;
  seen.found = true;
  copy_unescaped(field_of(line, 3), seen.shown);
  copy_unescaped(field_of(line, 4), seen.point);
  std::string_view rest;
  seen.holds_us = below(group, seen.shown, rest);
  if (!mount.found || seen.holds_us) mount = seen;
}

// A group that its mount does not show (a namespace made after the mount, or a group outside of the
// namespace, "/../x") still has the mount's own limits above it.
void read_hierarchy(const Version& version, std::string_view group, const char* root,
                    CgroupMemory& memory) noexcept {
  char path[kMaxFilePath];
  std::snprintf(path, sizeof path, "%s/proc/self/mountinfo", root);
  Mount mount;
  for_each_line(path, [&](std::string_view line) {
    read_mount(version, line, group, mount);
    return !mount.holds_us;
  });
  if (!mount.found) return;
  std::string_view rest;
  if (!below(group, mount.shown, rest) || rest == "/" || rest.find("/..") != rest.npos) rest = {};
  char directory[kMaxPath];
  const int floor = std::snprintf(directory, sizeof directory, "%s%s", root, mount.point);
  const int length = std::snprintf(directory, sizeof directory, "%s%s%.*s", root, mount.point,
                                   static_cast<int>(rest.size()), rest.data());
  if (length < 0 || static_cast<std::size_t>(length) >= sizeof directory) return;
  walk_up(version, directory, static_cast<std::size_t>(floor), memory);
  if (&version != &kV1) return;
  // Version 1 also tells what groups above the mount allow.
  const std::uint64_t above = read_stat(directory, "hierarchical_memory_limit");
  memory.limit_bytes = std::min(memory.limit_bytes, above);
  memory.head_room_bytes = std::min(memory.head_room_bytes, memory.limit_bytes);
}

}  // namespace

// A line is "id:controllers:path"; version 2 has id 0 and no controllers.
CgroupMemory read_cgroup_memory(const char* root) noexcept {
  CgroupMemory memory;
  char path[kMaxFilePath];
  std::snprintf(path, sizeof path, "%s/proc/self/cgroup", root);
  for_each_line(path, [&](std::string_view line) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == line.npos || second == line.npos) return true;
    const std::string_view controllers = line.substr(first + 1, second - first - 1);
    const std::string_view group = line.substr(second + 1);
    if (controllers.empty()) read_hierarchy(kV2, group, root, memory);
    if (has_word(controllers, "memory")) read_hierarchy(kV1, group, root, memory);
    return true;
  });
  return memory;
}

}  // namespace holdfast::platforms
