#include "platforms/pages.h"

#include <sys/mman.h>
#include <unistd.h>

namespace holdfast::platforms {

std::size_t page_bytes() noexcept {
  static const auto bytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return bytes;
}

std::byte* reserve_pages(std::size_t bytes) noexcept {
  void* start = ::mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return start == MAP_FAILED ? nullptr : static_cast<std::byte*>(start);
}

bool commit_pages(std::byte* start, std::size_t bytes) noexcept {
  return bytes == 0 || ::mprotect(start, bytes, PROT_READ | PROT_WRITE) == 0;
}

void decommit_pages(std::byte* start, std::size_t bytes) noexcept {
  if (bytes == 0) return;
  // A fresh mapping over the old one drops contents, access and the commit charge in one call.
  ::mmap(start, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

void release_pages(std::byte* start, std::size_t bytes) noexcept {
  if (start != nullptr && bytes != 0) ::munmap(start, bytes);
}

void advise_huge_pages(std::byte* start, std::size_t bytes) noexcept {
  if (bytes != 0) ::madvise(start, bytes, MADV_HUGEPAGE);
}

}  // namespace holdfast::platforms
