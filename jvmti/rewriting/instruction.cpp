#include "jvmti/rewriting/instruction.h"

namespace holdfast::jvmti {
namespace {

// 0 when the table does not fit into what is left of the code.
std::uint32_t switch_bytes(Bytes code, std::uint32_t pc) noexcept {
  const std::uint64_t operands = std::uint64_t{pc} + 1 + switch_padding(pc);
  const bool table = load_u8(code, pc) == kTableswitch;
  const std::uint64_t head = table ? 12 : 8;
  if (operands + head > code.size()) return 0;
  const auto at = static_cast<std::size_t>(operands);
  const auto first = static_cast<std::int32_t>(load_u32(code, at + 4));
  std::int64_t count = first;
  if (table) count = std::int64_t{static_cast<std::int32_t>(load_u32(code, at + 8))} - first + 1;
  if (count < 0 || count > kMaxCodeBytes) return 0;
  const std::uint64_t end = operands + head + static_cast<std::uint64_t>(count) * (table ? 4 : 8);
  return end <= code.size() ? static_cast<std::uint32_t>(end - pc) : 0;
}

std::uint32_t wide_bytes(Bytes code, std::uint32_t pc) noexcept {
  if (pc + 1 >= code.size()) return 0;
  const unsigned op = load_u8(code, pc + 1);
  const bool local = (op >= 0x15 && op <= kAload) || (op >= kIstore && op <= kAstore) || op == kRet;
  return op == kIinc ? 6 : local ? 4 : 0;
}

}  // namespace

std::uint32_t instruction_bytes(Bytes code, std::uint32_t pc) noexcept {
  const unsigned op = load_u8(code, pc);
  const std::uint32_t bytes = is_switch(op) ? switch_bytes(code, pc)
                              : op == kWide ? wide_bytes(code, pc)
                                            : kLengths[op];
  return bytes <= code.size() - pc ? bytes : 0;
}

SwitchTable switch_table(Bytes code, std::uint32_t pc) noexcept {
  const std::uint32_t at = pc + 1 + switch_padding(pc);
  if (load_u8(code, pc) == kLookupswitch) return {at, at + 12, load_u32(code, at + 4), 8};
  const std::uint32_t count = load_u32(code, at + 8) - load_u32(code, at + 4) + 1;
  return {at, at + 12, count, 4};
}

}  // namespace holdfast::jvmti
