#include "platforms/pages.h"

#include <sys/mman.h>
#include <unistd.h>

#include "platforms/fault_points.h"
#include "platforms/linux/raw_syscall.h"

namespace holdfast::platforms {

namespace {

const std::size_t kPageBytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));

constexpr int kPrivate = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
constexpr int kNoFile = -1;
#if defined(SYS_mmap2)
constexpr long kMapCall = SYS_mmap2;  // the other one of such a CPU takes its arguments in memory
#else
constexpr long kMapCall = SYS_mmap;
#endif

long protect(std::byte* start, std::size_t bytes, int access) noexcept {
  return raw_syscall(SYS_mprotect, start, bytes, access);
}

// The address, or -errno.
long map(std::byte* wanted, std::size_t bytes, int flags) noexcept {
  return raw_syscall(kMapCall, wanted, bytes, PROT_NONE, flags, kNoFile, 0);
}

}  // namespace

// Asked when the library is loaded: a child asks libc nothing.
std::size_t page_bytes() noexcept { return kPageBytes; }

std::byte* reserve_pages(std::size_t bytes) noexcept {
  if (fault_error(FaultPoint::kReserve) != 0) return nullptr;
  const long start = map(nullptr, bytes, kPrivate);
  return is_refusal(start) ? nullptr : reinterpret_cast<std::byte*>(start);
}

bool commit_pages(std::byte* start, std::size_t bytes) noexcept {
  if (fault_error(FaultPoint::kCommit) != 0) return false;
  return bytes == 0 || protect(start, bytes, PROT_READ | PROT_WRITE) == 0;
}

void decommit_pages(std::byte* start, std::size_t bytes) noexcept {
  if (bytes == 0) return;
  // A fresh mapping over the old one drops contents, access and the commit charge in one call.
  if (fault_error(FaultPoint::kDecommit) == 0 &&
      !is_refusal(map(start, bytes, kPrivate | MAP_FIXED)))
    return;
  // Refused where the process has no mappings left (vm.max_map_count). Dropping the contents splits
  // no mapping, so it works even then; without the access only a wild write would be noticed later.
  raw_syscall(SYS_madvise, start, bytes, MADV_DONTNEED);
  protect(start, bytes, PROT_NONE);
}

void release_pages(std::byte* start, std::size_t bytes) noexcept {
  if (start != nullptr) unmap_range(start, bytes);
}

std::byte* shared_pages(std::size_t bytes) noexcept {
  if (fault_error(FaultPoint::kReserve) != 0) return nullptr;
  void* start = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return start == MAP_FAILED ? nullptr : static_cast<std::byte*>(start);
}

void advise_huge_pages(std::byte* start, std::size_t bytes) noexcept {
  if (bytes != 0) raw_syscall(SYS_madvise, start, bytes, MADV_HUGEPAGE);
}

bool keep_from_children(std::byte* start, std::size_t bytes) noexcept {
  return raw_syscall(SYS_madvise, start, bytes, MADV_DONTFORK) == 0;
}

void give_to_children(std::byte* start, std::size_t bytes) noexcept {
  raw_syscall(SYS_madvise, start, bytes, MADV_DOFORK);
}

void unmap_range(std::byte* start, std::size_t bytes) noexcept {
  if (bytes != 0) raw_syscall(SYS_munmap, start, bytes);
}

}  // namespace holdfast::platforms
