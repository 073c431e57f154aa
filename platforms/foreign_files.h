// Files in another process' file system, which may be a container's: nothing there may lead us out of it.
// Why descriptors: a path through /proc/PID/root that meets an absolute link of the container's ends in our own file system. Here
//      each step is taken from a directory that is already open, and links are either refused or resolved inside the other's root.
// Shape:  descriptors are close-on-exec; directories are opened without any right but to look names up (O_PATH).
// Zone:   offline.
// Errors: errno values, 0 when it worked; what answers a descriptor answers -errno. ELOOP: a link where none is allowed.
// Source: path_resolution(7), openat2(2), proc(5) on /proc/PID/root.
#pragma once

#include <cstddef>
#include <cstdint>

namespace holdfast::platforms {

// Takes a descriptor along; closes it in the end.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int value) noexcept : value_(value) {}
  Descriptor(Descriptor&& other) noexcept : value_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor();
  int get() const noexcept { return value_; }
  bool valid() const noexcept { return value_ >= 0; }
  int error() const noexcept { return value_ < 0 ? -value_ : 0; }
  int release() noexcept {
    const int value = value_;
    value_ = -1;
    return value;
  }

 private:
  int value_ = -1;  // or -errno
};

enum class ProcessDirectory : std::uint8_t {
  kRoot,
  kWorking,
  kDescriptors,  // /proc/PID/fd itself
};
Descriptor open_process_directory(std::uint32_t pid, ProcessDirectory which) noexcept;
// The directory that this descriptor of the process is.
Descriptor open_process_descriptor(std::uint32_t pid, unsigned descriptor) noexcept;

// A directory below `root`; `path` begins with '/'. No step may be a link.
Descriptor open_directory_strictly(int root, const char* path) noexcept;
// The same, with links resolved as the process itself would; strictly where the kernel cannot (before 5.6).
Descriptor open_directory_inside(int root, const char* path) noexcept;

struct DirectoryFacts {
  bool no_exec = false;  // nothing on this file system may be run or mapped as code
  bool read_only = false;
  std::uint64_t free_bytes = 0;  // for an unprivileged user
};
int read_directory_facts(int directory, DirectoryFacts& out) noexcept;

// A new empty file for writing, mode 0600 less what `mode` lacks; EEXIST when anything has the name.
Descriptor create_in(int directory, const char* name, unsigned mode) noexcept;
// A new directory of mode 0700, and a descriptor of it.
Descriptor make_directory_in(int directory, const char* name) noexcept;
int remove_in(int directory, const char* name) noexcept;
int remove_directory_in(int directory, const char* name) noexcept;
int set_mode(int descriptor, unsigned mode) noexcept;

struct FileOwner {
  std::uint32_t user = 0;
  std::uint32_t group = 0;
  bool is_socket = false;
  bool is_plain_file = false;
};
// Of what has this name, and of nothing that it links to.
int read_owner_in(int directory, const char* name, FileOwner& out) noexcept;
int read_owner(int descriptor, FileOwner& out) noexcept;

// A file for reading; whatever it is, opening it waits for nobody.
Descriptor open_file_in(int directory, const char* name) noexcept;
// What can be read up to `capacity`; how many bytes, or -errno.
std::int64_t read_descriptor(int descriptor, void* out, std::size_t capacity) noexcept;
// The first bytes of a file; how many, or -errno.
std::int64_t read_first_in(int directory, const char* name, void* out,
                           std::size_t capacity) noexcept;

// May this user, as we are now, read the file?
int check_readable_file(const char* path) noexcept;
bool on_no_exec_mount(const char* path) noexcept;

// `count` random hexadecimal digits and a NUL.
int random_digits(char* out, std::size_t count) noexcept;

}  // namespace holdfast::platforms
