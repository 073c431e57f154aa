#include "platforms/linux/container_id.h"

#include <cstdio>
#include <string_view>

#include "platforms/linux/text_lines.h"

namespace holdfast::platforms {

namespace {

constexpr std::size_t kIdDigits = 64;
constexpr std::size_t kMaxPath = 4096;

bool is_hex(char c) noexcept { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

// The last run of exactly 64 hexadecimal digits; empty when there is none.
std::string_view last_id(std::string_view text) noexcept {
  std::string_view found;
  std::size_t run = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    run = is_hex(text[i]) ? run + 1 : 0;
    const bool ends = i + 1 == text.size() || !is_hex(text[i + 1]);
    if (run == kIdDigits && ends) found = text.substr(i + 1 - kIdDigits, kIdDigits);
  }
  return found;
}

bool put_by_engine(std::string_view mount_point) noexcept {
  return mount_point == "/etc/hostname" || mount_point == "/etc/hosts" ||
         mount_point == "/etc/resolv.conf";
}

}  // namespace

void read_container_id(const char* root, char* out, std::size_t capacity,
                       const char* process) noexcept {
  char path[kMaxPath];
  out[0] = '\0';
  const auto take = [&](std::string_view id) {
    if (!id.empty())
      std::snprintf(out, capacity, "%.*s", static_cast<int>(kContainerIdDigits), id.data());
    return id.empty();  // go on
  };
  std::snprintf(path, sizeof path, "%s/proc/%s/cgroup", root, process);
  for_each_line(path, [&](std::string_view line) { return take(last_id(line)); });
  if (out[0] != '\0') return;
  std::snprintf(path, sizeof path, "%s/proc/%s/mountinfo", root, process);
  for_each_line(path, [&](std::string_view line) {
    return !put_by_engine(field_of(line, 4)) || take(last_id(field_of(line, 3)));
  });
}

}  // namespace holdfast::platforms
