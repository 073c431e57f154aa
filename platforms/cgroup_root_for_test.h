// A root with the files of /proc and of control groups that a test names, gone when the test ends.
// Zone:   tests.   Errors: the test ends.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace holdfast::platforms {

inline constexpr std::uint64_t kMiB = 1u << 20;

inline constexpr const char* kV2Mount =
    "25 1 0:22 / /sys rw - sysfs sysfs rw\n"
    "30 25 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";

class CgroupRoot {
 public:
  CgroupRoot() {
    std::string pattern = (std::filesystem::temp_directory_path() / "hf-cgroup-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) std::abort();
    path_ = pattern;
  }
  ~CgroupRoot() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  CgroupRoot(const CgroupRoot&) = delete;
  CgroupRoot& operator=(const CgroupRoot&) = delete;

  CgroupRoot& with(const std::string& name, const std::string& text) {
    const std::filesystem::path file = path_ + name;
    std::filesystem::create_directories(file.parent_path());
    // As the kernel's files, they are never empty for whoever looks meanwhile with a descriptor of its own.
    if (!std::filesystem::exists(file)) std::ofstream(file).flush();
    std::fstream(file, std::ios::in | std::ios::out) << text;
    std::filesystem::resize_file(file, text.size());
    return *this;
  }
  // One group of version 2: memory.max, memory.current and memory.stat.
  CgroupRoot& v2(const std::string& group, const std::string& max, std::uint64_t used,
                 std::uint64_t inactive) {
    with(group + "/memory.max", max + "\n");
    with(group + "/memory.current", std::to_string(used) + "\n");
    return with(group + "/memory.stat",
                "anon 1\ninactive_anon 2\ninactive_file " + std::to_string(inactive) + "\n");
  }
  void remove(const std::string& name) const { std::filesystem::remove_all(path_ + name); }
  const char* path() const { return path_.c_str(); }

 private:
  std::string path_;
};

}  // namespace holdfast::platforms
