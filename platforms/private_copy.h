// Memory that this process shares with another through a file, made its own: same addresses, same contents.
// Why: a child sees its parent's memory as it was at the clone, but not what is mapped shared. A runtime that keeps its data in such
//      memory (CoreCLR's W^X: "/memfd:doublemapper") goes on writing there, and gives it back and clears it, under the child's eyes.
// Shape:  /proc/self/maps is read to its end into `room`, neighbours as one range; then range by range new memory, a copy, and one
//         move over the old mapping. The bytes are paid for, once; one system call a page and 8 KiB of stack. A page behind its file's
//         end becomes zeros; a hole of the file is filled by being read.
// Zone:   child. Whoever else maps the same file is not touched; two views of one page in this process part company.
// Errors: errno values, 0 when all of it was done. Nothing was changed where `room` (ENOSPC) or `most_bytes` (ENOMEM) are too small, or
//         the mappings cannot be read (EACCES, EMFILE, ...; EINVAL: a line that is none). Else ENOMEM, or what mremap answers:
//         some are replaced and some are not, and what was to be read there is not used.
// Source: proc(5), mremap(2).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace holdfast::platforms {

struct MappedRange {
  std::byte* start = nullptr;
  std::size_t bytes = 0;
};

struct PrivateCopies {
  int error = 0;
  std::uint32_t mappings = 0;  // that were found, as /proc/self/maps counts them
  std::uint64_t bytes = 0;     // that were replaced
};

// Every mapping that is shared, readable and writable, and whose path begins so. What is found may no longer be executed.
PrivateCopies make_private(std::string_view path_prefix, std::span<MappedRange> room,
                           std::uint64_t most_bytes = UINT64_MAX) noexcept;

}  // namespace holdfast::platforms
