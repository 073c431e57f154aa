// The code of one method, and what is known of each of its instructions.
// Why arrays over the code's bytes: an instruction is known by its place, and every question about one is a single load.
// Shape:  6 B of scratch for each byte of the code: marks and insertions at the first byte of an instruction, positions for the
//         layout. A place that is no instruction's first byte has no mark: whatever points there is malformed.
// Zone:   event, offline.   Errors: kMalformedCode, kNoScratch.
// Source: The Java Virtual Machine Specification, sections 4.7.3, 4.9.
#pragma once

#include <cstdint>

#include "jvmti/rewriting/allocation_sites.h"
#include "jvmti/rewriting/class_file.h"

namespace holdfast::jvmti {

// What is put around an instruction.
enum class Insertion : std::uint8_t { kNone, kArray, kArrays, kCloned, kReturn, kInitCall, kCount };
inline constexpr std::size_t kInsertions = static_cast<std::size_t>(Insertion::kCount);

enum CodeMark : std::uint8_t {
  kStart = 1,        // an instruction begins here
  kBeforeInit = 2,   // of a constructor: this() or super() has not been called
  kAfterInit = 4,    // it has, or there is none to call
  kWidened = 8,      // goto, jsr: by 32 bits
  kByStone = 16,     // a conditional branch: to a stepping stone
  kStonePlace = 32,  // a stepping stone may stand behind it
};

struct ExceptionEntry {
  static constexpr std::size_t kBytes = 8;
  std::uint16_t start, end, handler, type;
};

struct MethodCode {
  std::uint16_t max_stack = 0;
  std::uint16_t max_locals = 0;
  Bytes code;
  Bytes handlers;  // the exception table
  Bytes attributes;
  std::uint16_t attribute_count = 0;

  std::span<std::uint8_t> marks;
  std::span<Insertion> insertions;
  std::span<std::uint32_t> positions;  // one more than there are bytes
  std::uint32_t sites = 0;             // that are counted
  bool works = false;                  // allocates or calls
  bool branches = false;

  std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(code.size()); }
  bool starts(std::int64_t pc) const noexcept {
    return pc >= 0 && pc < size() && (marks[static_cast<std::size_t>(pc)] & kStart) != 0;
  }
  bool after_init(std::uint32_t pc) const noexcept { return (marks[pc] & kAfterInit) != 0; }
  std::size_t handler_count() const noexcept { return handlers.size() / ExceptionEntry::kBytes; }
  ExceptionEntry handler(std::size_t i) const noexcept {
    const std::size_t at = i * ExceptionEntry::kBytes;
    return {load_u16(handlers, at), load_u16(handlers, at + 2), load_u16(handlers, at + 4),
            load_u16(handlers, at + 6)};
  }
};

// From the content of a Code attribute; its instructions are found, and what is to be counted. `sites`: nullptr to count nothing.
LeftAlone read_code(Bytes content, const ClassFile& file, AllocationSites* sites, Scratch& scratch,
                    MethodCode& out) noexcept;

// Whether all branches and the exception table lead to instructions: for code that will be rewritten.
LeftAlone check_targets(MethodCode& method, const ConstantPool& pool) noexcept;

// Whether an instruction allocates or calls what may allocate.
bool does_work(Bytes code, std::uint32_t pc, const ConstantPool& pool) noexcept;

}  // namespace holdfast::jvmti
