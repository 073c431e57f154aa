// Starts to fetch memory that will be read or written soon. A hint, never an error, for any address.
// Why not the builtin alone: g++ takes a function that only prefetches for one without effect and drops its calls, silently
//      (reachability ran without its prefetches that way, and a third longer). The empty statement is the effect.
// Zone:   all.   Errors: none.
#pragma once

namespace holdfast {

[[gnu::always_inline]] inline void prefetch(const void* address) noexcept {
  __builtin_prefetch(address);
  asm volatile("");
}

}  // namespace holdfast
