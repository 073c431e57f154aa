#include "platforms/pages.h"

#include <sys/mman.h>
#include <unistd.h>

#include "platforms/fault_points.h"
#include "platforms/linux/raw_syscall.h"

namespace holdfast::platforms {

std::size_t page_bytes() noexcept { return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)); }

std::byte* reserve_pages(std::size_t bytes) noexcept {
  if (fault_error(FaultPoint::kReserve) != 0) return nullptr;
  void* start =
      ::mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return start == MAP_FAILED ? nullptr : static_cast<std::byte*>(start);
}

bool commit_pages(std::byte* start, std::size_t bytes) noexcept {
  if (fault_error(FaultPoint::kCommit) != 0) return false;
  return bytes == 0 || ::mprotect(start, bytes, PROT_READ | PROT_WRITE) == 0;
}

void decommit_pages(std::byte* start, std::size_t bytes) noexcept {
  if (bytes == 0) return;
  constexpr int kOver = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;
  // A fresh mapping over the old one drops contents, access and the commit charge in one call.
  if (fault_error(FaultPoint::kDecommit) == 0 &&
      ::mmap(start, bytes, PROT_NONE, kOver, -1, 0) != MAP_FAILED)
    return;
  // Refused where the process has no mappings left (vm.max_map_count). Dropping the contents splits
  // no mapping, so it works even then; without the access only a wild write would be noticed later.
  ::madvise(start, bytes, MADV_DONTNEED);
  ::mprotect(start, bytes, PROT_NONE);
}

void release_pages(std::byte* start, std::size_t bytes) noexcept {
  if (start != nullptr && bytes != 0) ::munmap(start, bytes);
}

std::byte* shared_pages(std::size_t bytes) noexcept {
  if (fault_error(FaultPoint::kReserve) != 0) return nullptr;
  void* start = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return start == MAP_FAILED ? nullptr : static_cast<std::byte*>(start);
}

void advise_huge_pages(std::byte* start, std::size_t bytes) noexcept {
  if (bytes != 0) ::madvise(start, bytes, MADV_HUGEPAGE);
}

void unmap_range(std::byte* start, std::size_t bytes) noexcept {
  if (bytes != 0) raw_syscall(SYS_munmap, start, bytes);
}

}  // namespace holdfast::platforms
