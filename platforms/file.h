// Files, as far as reports need them: create exclusively, write all, sync, publish without overwriting.
// Shape:  descriptors are close-on-exec and never 0, 1 or 2 (an application may have closed those, and
//         would print into our file); a file is created with mode 0600. A created file is locked
//         (flock) while it is open: that tells a file being written from one left behind, also between
//         containers that share a directory but not their process numbers.
// Zone:   capture, worker, offline. Creating, writing, publishing, removing and asking for one file also in a child: raw system
//         calls. Not create_unnamed_file, free_disk_bytes and list_directory.
// Errors: an errno value, 0 when it worked; create answers a negative errno instead of a descriptor.
#pragma once

#include <cstddef>
#include <cstdint>

namespace holdfast::platforms {

int create_file(const char* path) noexcept;  // descriptor, or -errno (-EEXIST when it is there)
int append_file(
    const char*
        path) noexcept;  // descriptor of a new or existing file, written at its end; or -errno
// A file in `directory` that no name leads to: gone once it is closed and no longer mapped. Descriptor, or -errno.
int create_unnamed_file(const char* directory) noexcept;
int write_all(int descriptor, const void* data, std::size_t bytes) noexcept;
int sync_file(int descriptor) noexcept;
int sync_and_close(int descriptor) noexcept;
void close_quietly(int descriptor) noexcept;
int remove_file(const char* path) noexcept;
// Removes a file that nobody writes any more. EWOULDBLOCK: somebody does. EPERM: not a plain file of our
// user. ENOLCK, EOPNOTSUPP: this file system cannot tell, so the file stays.
int remove_abandoned_file(const char* path) noexcept;
// Renames without ever replacing an existing file (EEXIST), and syncs the directory. After an error there
// is no file under the final name that was not there before.
int publish_file(const char* temporary_path, const char* final_path) noexcept;
// Renames over a file that is there, and syncs the directory. Errors: the old one is there as before, or (of the last sync) the new one.
int replace_file(const char* temporary_path, const char* final_path) noexcept;
int check_directory_writable(const char* path) noexcept;  // ENOENT, ENOTDIR, EACCES, EROFS ...
bool is_own_plain_file(const char* path) noexcept;        // of our user, and no link
bool file_exists(const char* path) noexcept;
std::uint64_t file_bytes(const char* path) noexcept;  // 0 when there is no such file
// Its maker (create_file) has it open still. False as well where that cannot be found out.
bool is_being_written(const char* path) noexcept;
std::uint64_t file_modified_ns(
    const char* path) noexcept;  // since 1970; 0 when there is no such file
// Free bytes for an unprivileged user on the file system of `path`; UINT64_MAX when unknown.
std::uint64_t free_disk_bytes(const char* path) noexcept;

// A whole file, read-only, as memory. data is nullptr for an empty file; release with unmap_file.
struct MappedFile {
  const std::byte* data = nullptr;
  std::size_t bytes = 0;
};
int map_file(const char* path, MappedFile& out) noexcept;
int map_descriptor(int descriptor, MappedFile& out) noexcept;  // may be closed afterwards
void unmap_file(MappedFile& file) noexcept;
// Lets go of the memory behind whole pages of a mapping that was read and will not be soon; they stay readable.
void drop_mapped_pages(const std::byte* start, std::uint64_t bytes) noexcept;
// Reads at most `capacity` bytes of a small file (proc, sysfs); the count, or -errno.
std::int64_t read_small_file(const char* path, char* buffer, std::size_t capacity) noexcept;

// The highest number that the next `count` descriptors would get, or -EMFILE, -ENFILE.
int highest_of_next_descriptors(int count) noexcept;

// Calls `visit` for each name in the directory (not "." and ".."); errno or 0.
int list_directory(const char* path, void (*visit)(void* context, const char* name),
                   void* context) noexcept;

}  // namespace holdfast::platforms
