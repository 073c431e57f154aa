#include "common/memory_share.h"

#include <algorithm>

#include "platforms/process.h"

namespace holdfast {

std::uint64_t automatic_memory_bytes(const MemoryFacts& facts) noexcept {
  constexpr std::uint64_t kPage = 4096;
  // Where the system says nothing, a machine of 4 GB is assumed: the reservation is address space, and untouched it is free.
  constexpr std::uint64_t kAssumedLimit = std::uint64_t{4} << 30;
  std::uint64_t limit = std::min(facts.physical_bytes, facts.cgroup_bytes);
  if (limit == platforms::kUnknownBytes || limit == 0) limit = kAssumedLimit;
  const bool known = facts.max_heap_bytes != platforms::kUnknownBytes && facts.max_heap_bytes != 0;
  const std::uint64_t wanted = known ? facts.max_heap_bytes : limit / 4;
  const std::uint64_t most = std::max(kLeastBytes, std::min(limit / 2, facts.address_bytes / 16));
  return std::clamp(wanted, kLeastBytes, most) / kPage * kPage;
}

}  // namespace holdfast
