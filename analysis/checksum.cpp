#include "analysis/checksum.h"

#include <xxhash.h>

namespace holdfast::analysis {

std::uint64_t checksum(std::span<const std::byte> first,
                       std::span<const std::byte> second) noexcept {
  if (second.empty()) return XXH3_64bits(first.data(), first.size());
  XXH3_state_t state;
  XXH3_INITSTATE(&state);
  XXH3_64bits_reset(&state);
  XXH3_64bits_update(&state, first.data(), first.size());
  XXH3_64bits_update(&state, second.data(), second.size());
  return XXH3_64bits_digest(&state);
}

}  // namespace holdfast::analysis
