#include "platforms/linux/cgroup_groups.h"

#include <cstdio>
#include <string_view>

#include "platforms/linux/text_lines.h"

namespace holdfast::platforms {

namespace {

constexpr std::size_t kMaxFilePath = kMaxGroupPath + 64;  // "/proc/self/mountinfo" below a root
constexpr int kMaxDepth = 128;                            // of groups above each other

// What is looked for, and what to do with it.
struct Search {
  const char* root;
  std::string_view controller;
  void (*visit)(void* context, const CgroupGroup& group);
  void* context;
};

// Where a hierarchy is mounted, and which of its groups is seen there.
struct Mount {
  char point[kMaxGroupPath] = "";
  char shown[kMaxGroupPath] = "";
  bool found = false;
  bool holds_us = false;  // our group is `shown` or below it
};

// From the group's directory up to the mount point, which is `floor` bytes long.
void walk_up(const Search& search, CgroupVersion version, std::string_view directory,
             std::size_t floor) noexcept {
  char path[kMaxGroupPath];
  for (int depth = 0; depth < kMaxDepth; ++depth) {
    std::snprintf(path, sizeof path, "%.*s", static_cast<int>(directory.size()), directory.data());
    search.visit(search.context, CgroupGroup{version, path, depth == 0});
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
void copy_unescaped(std::string_view text, char (&out)[kMaxGroupPath]) noexcept {
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
void read_mount(const Search& search, CgroupVersion version, std::string_view line,
                std::string_view group, Mount& mount) noexcept {
  const std::size_t dash = line.find(" - ");
  if (dash == line.npos || mount.holds_us) return;
  const std::string_view end = line.substr(dash + 3);
  const bool first = version == CgroupVersion::k1;
  if (field_of(end, 0) != (first ? "cgroup" : "cgroup2")) return;
  if (first && !has_word(field_of(end, 2), search.controller)) return;
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
void visit_hierarchy(const Search& search, CgroupVersion version, std::string_view group) noexcept {
  char path[kMaxFilePath];
  std::snprintf(path, sizeof path, "%s/proc/self/mountinfo", search.root);
  Mount mount;
  for_each_line(path, [&](std::string_view line) {
    read_mount(search, version, line, group, mount);
    return !mount.holds_us;
  });
  if (!mount.found) return;
  std::string_view rest;
  if (!below(group, mount.shown, rest) || rest == "/" || rest.find("/..") != rest.npos) rest = {};
  char directory[kMaxGroupPath];
  const int floor = std::snprintf(directory, sizeof directory, "%s%s", search.root, mount.point);
  const int length = std::snprintf(directory, sizeof directory, "%s%s%.*s", search.root,
                                   mount.point, static_cast<int>(rest.size()), rest.data());
  if (length < 0 || static_cast<std::size_t>(length) >= sizeof directory) return;
  walk_up(search, version, directory, static_cast<std::size_t>(floor));
}

}  // namespace

// A line is "id:controllers:path"; version 2 has id 0 and no controllers.
void visit_groups(const char* root, const char* controller,
                  void (*visit)(void* context, const CgroupGroup& group), void* context,
                  const char* process) noexcept {
  const Search search{root, controller, visit, context};
  char path[kMaxFilePath];
  std::snprintf(path, sizeof path, "%s/proc/%s/cgroup", root, process);
  for_each_line(path, [&](std::string_view line) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == line.npos || second == line.npos) return true;
    const std::string_view controllers = line.substr(first + 1, second - first - 1);
    const std::string_view group = line.substr(second + 1);
    if (controllers.empty()) visit_hierarchy(search, CgroupVersion::k2, group);
    if (has_word(controllers, controller)) visit_hierarchy(search, CgroupVersion::k1, group);
    return true;
  });
}

}  // namespace holdfast::platforms
