// The one reservation: all address space that the agent will ever use, taken at load and cut into named stretches.
// Why: a dump must work when the process can get nothing more; and what is not reserved cannot be exceeded.
// Shape:  memory_bytes is the promise (the ledger's limit). Address space is a small multiple of it, because each capture
//         column may in the extreme take the whole capture budget (see capture_memory.h); untouched, it costs nothing.
// Zone:   open() at load; take() in capture or at load.
// Errors: kOutOfMemory (detail: bytes) when the system refuses the address space; kTooMany when it is all given out, or
//         when it is opened twice.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/arena.h"
#include "common/ledger.h"
#include "common/result.h"

namespace holdfast {

class Reservation {
 public:
  Reservation() = default;
  Reservation(const Reservation&) = delete;
  Reservation& operator=(const Reservation&) = delete;
  ~Reservation();

  Result<void> open(std::uint64_t address_space_bytes) noexcept;
  // The next `bytes` (rounded up to pages), not committed.
  Result<std::byte*> take(std::size_t bytes) noexcept;
  Result<Arena> take_arena(std::size_t bytes, Ledger& ledger, MemoryCategory category) noexcept;
  std::size_t reserved_bytes() const noexcept { return bytes_; }

 private:
  std::byte* start_ = nullptr;
  std::size_t bytes_ = 0;
  std::size_t taken_ = 0;
};

}  // namespace holdfast
