#include "platforms/private_copy.h"

#include <errno.h>
#include <sys/mman.h>

#include <cstring>

#include "platforms/linux/mapping_line.h"
#include "platforms/linux/raw_syscall.h"
#include "platforms/linux/text_lines.h"
#include "platforms/mappings.h"
#include "platforms/pages.h"

namespace holdfast::platforms {

namespace {

// What is to be replaced: used <= room.size(), and `bytes` is the sum of room[0 .. used).
class SharedRanges {
 public:
  explicit SharedRanges(std::span<MappedRange> room) noexcept : room_(room) {}

  bool add(const MappingLine& line) noexcept {
    auto* const start = reinterpret_cast<std::byte*>(line.start);
    const auto bytes = static_cast<std::size_t>(line.end - line.start);
    if (used_ != 0 && room_[used_ - 1].start + room_[used_ - 1].bytes == start) {
      room_[used_ - 1].bytes += bytes;
    } else {
      if (used_ == room_.size()) return false;
      room_[used_++] = MappedRange{start, bytes};
    }
    ++mappings_;
    bytes_ += bytes;
    return true;
  }
  std::span<const MappedRange> all() const noexcept { return room_.first(used_); }
  std::uint32_t mappings() const noexcept { return mappings_; }
  std::uint64_t bytes() const noexcept { return bytes_; }

 private:
  std::span<MappedRange> room_;
  std::size_t used_ = 0;
  std::uint32_t mappings_ = 0;
  std::uint64_t bytes_ = 0;
};

// To the end before anything is replaced: the list changes with each replacement.
int find_shared(std::string_view path_prefix, SharedRanges& out) noexcept {
  int error = 0;
  const int unread = for_each_line("/proc/self/maps", [&](std::string_view text) {
    MappingLine line;
    if (!parse_mapping(text, line))
      error = EINVAL;
    else if (line.shared && line.readable && line.writable && line.path.starts_with(path_prefix))
      error = out.add(line) ? 0 : ENOSPC;
    return error == 0;
  });
  return error != 0 ? error : unread;
}

// Page by page: behind the end of its file a mapping has none, and to touch one is a bus error.
void copy_pages(std::byte* to, const MappedRange& from) noexcept {
  for (std::size_t at = 0; at < from.bytes; at += page_bytes())
    if (is_readable(reinterpret_cast<std::uint64_t>(from.start + at)))
      std::memcpy(to + at, from.start + at, page_bytes());
}

int replace(const MappedRange& range) noexcept {
  std::byte* copy = reserve_pages(range.bytes);
  if (copy == nullptr) return ENOMEM;
  long moved = -ENOMEM;
  if (commit_pages(copy, range.bytes)) {
    copy_pages(copy, range);
    moved = raw_syscall(SYS_mremap, copy, range.bytes, range.bytes, MREMAP_MAYMOVE | MREMAP_FIXED,
                        range.start);
  }
  if (!is_refusal(moved)) return 0;
  release_pages(copy, range.bytes);
  return static_cast<int>(-moved);
}

}  // namespace

PrivateCopies make_private(std::string_view path_prefix, std::span<MappedRange> room,
                           std::uint64_t most_bytes) noexcept {
  SharedRanges ranges(room);
  PrivateCopies copies;
  copies.error = find_shared(path_prefix, ranges);
  if (copies.error == 0 && ranges.bytes() > most_bytes) copies.error = ENOMEM;
  if (copies.error != 0) return copies;
  copies.mappings = ranges.mappings();
  for (const MappedRange& range : ranges.all()) {
    copies.error = replace(range);
    if (copies.error != 0) return copies;
    copies.bytes += range.bytes;
  }
  return copies;
}

}  // namespace holdfast::platforms
