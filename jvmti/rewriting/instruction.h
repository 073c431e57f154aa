// One instruction in its code: how long it is, and where it may jump.
// Why a visitor: a switch has thousands of targets, and nobody here may collect them.
// Shape:  instruction_bytes is 0 for what is malformed or cut. Targets are told as they stand, in 64 bits: they may lie anywhere.
// Zone:   event, offline.   Errors: 0.
// Source: The Java Virtual Machine Specification, section 6.5.
#pragma once

#include <cstdint>

#include "jvmti/rewriting/big_endian.h"
#include "jvmti/rewriting/opcodes.h"

namespace holdfast::jvmti {

std::uint32_t instruction_bytes(Bytes code, std::uint32_t pc) noexcept;

// Operands of a switch begin at a multiple of four of the code.
constexpr std::uint32_t switch_padding(std::uint32_t pc) noexcept { return 3 - pc % 4; }

// Where the jump table of a switch begins, and how: the default first, then `count` targets every `step` bytes.
struct SwitchTable {
  std::uint32_t default_at;
  std::uint32_t first_at;
  std::uint32_t count;
  std::uint32_t step;
};
// Of an instruction whose length is known to be sound.
SwitchTable switch_table(Bytes code, std::uint32_t pc) noexcept;

inline std::int64_t branch_target(Bytes code, std::uint32_t pc, std::uint32_t at) noexcept {
  return std::int64_t{pc} + static_cast<std::int32_t>(load_u32(code, at));
}
inline std::int64_t short_branch_target(Bytes code, std::uint32_t pc) noexcept {
  return std::int64_t{pc} + static_cast<std::int16_t>(load_u16(code, pc + 1));
}

// visit(target) for every place that a sound instruction may jump to. Stops and answers false when a visit does.
template <class Visit>
bool for_each_target(Bytes code, std::uint32_t pc, Visit visit) noexcept {
  const unsigned op = load_u8(code, pc);
  if (is_short_branch(op)) return visit(short_branch_target(code, pc));
  if (is_wide_branch(op)) return visit(branch_target(code, pc, pc + 1));
  if (!is_switch(op)) return true;
  const SwitchTable table = switch_table(code, pc);
  if (!visit(branch_target(code, pc, table.default_at))) return false;
  for (std::uint32_t i = 0; i < table.count; ++i)
    if (!visit(branch_target(code, pc, table.first_at + i * table.step))) return false;
  return true;
}

}  // namespace holdfast::jvmti
