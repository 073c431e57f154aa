// Why a heap could not be imported: thrown inside this folder and by its front, caught once by the command.
// Why an exception: readers of foreign formats fail deep inside nested records, and this folder never runs inside a VM.
// Shape:  a code that decides the exit code, the offset in the (uncompressed) input, and a reason for a person.
// Zone:   offline.   Errors: is one.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

#include "common/arena.h"
#include "common/error.h"

namespace holdfast::analysis {

class ImportFailure : public std::runtime_error {
 public:
  ImportFailure(ErrorCode failed, std::uint64_t at, const std::string& reason)
      : std::runtime_error(reason), code(failed), offset(at) {}

  ErrorCode
      code;  // kDamaged, kNotOurs, kNewerVersion, kIo, kOutOfBudget, kOutOfMemory, kTooMany, kCancelled
  std::uint64_t offset;  // where the input stops making sense; 0 when that says nothing
};

// So many in the arena; where they do not fit, the import ends.
template <class T>
std::span<T> in_arena(Arena& arena, std::size_t count) {
  auto made = arena.make_filled<T>(count, T{});
  if (!made) throw ImportFailure(made.error().code, 0, "the memory limit is used up");
  return *made;
}

}  // namespace holdfast::analysis
