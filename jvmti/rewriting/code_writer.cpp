#include "jvmti/rewriting/code_writer.h"

#include "jvmti/rewriting/instruction.h"

namespace holdfast::jvmti {
namespace {

constexpr std::uint32_t kMostEntries = 65535;

class CodeWriter {
 public:
  CodeWriter(const CodeLayout& layout, ByteWriter& writer) noexcept
      : layout_(layout), method_(layout.method()), writer_(writer), start_(writer.at()) {}

  LeftAlone write() noexcept {
    const InsertedCode& inserted = layout_.inserted();
    writer_.put(inserted.prologue.bytes());
    for (std::uint32_t pc = 0; pc < method_.size();) {
      if (writer_.ok() && offset() != layout_.position(pc)) return LeftAlone::kMalformedCode;
      const std::uint32_t bytes = instruction_bytes(method_.code, pc);
      writer_.put(inserted.before_of(method_.insertions[pc]).bytes());
      if (!instruction(pc, bytes)) return LeftAlone::kMalformedCode;
      writer_.put(inserted.after_of(method_.insertions[pc]).bytes());
      pc += bytes;
      stones_before(pc);
    }
    for (std::uint32_t i = 0; i < inserted.handlers.count(); ++i)
      writer_.put(inserted.handler.bytes());
    if (!writer_.ok()) return LeftAlone::kNoRoom;
    return offset() == layout_.total_bytes() ? LeftAlone::kNo : LeftAlone::kMalformedCode;
  }

 private:
  std::uint32_t offset() const noexcept {
    return static_cast<std::uint32_t>(writer_.at() - start_);
  }

  bool instruction(std::uint32_t pc, std::uint32_t bytes) noexcept {
    const unsigned op = load_u8(method_.code, pc);
    if (is_switch(op)) return jump_table(pc, op), true;
    if (is_wide_branch(op))
      return wide(op, offset(), branch_target(method_.code, pc, pc + 1)), true;
    if (!is_short_branch(op)) return writer_.put(method_.code.subspan(pc, bytes)), true;
    const std::int64_t target = short_branch_target(method_.code, pc);
    if ((method_.marks[pc] & kWidened) != 0)
      return wide(op == kGoto ? kGotoW : kJsrW, offset(), target), true;
    std::int32_t distance = 0;
    if (!layout_.reachable(pc, static_cast<std::uint32_t>(target), distance)) return false;
    writer_.u8(op);
    writer_.u16(static_cast<std::uint16_t>(distance));
    return true;
  }

  void wide(unsigned op, std::uint32_t from, std::int64_t target) noexcept {
    writer_.u8(op);
    target_word(from, target);
  }
  void target_word(std::uint32_t from, std::int64_t target) noexcept {
    writer_.u32(layout_.position(static_cast<std::uint32_t>(target)) - from);
  }

  void jump_table(std::uint32_t pc, unsigned op) noexcept {
    const std::uint32_t from = offset();
    const SwitchTable table = switch_table(method_.code, pc);
    writer_.u8(op);
    for (std::uint32_t left = switch_padding(from); left > 0; --left) writer_.u8(0);
    target_word(from, branch_target(method_.code, pc, table.default_at));
    if (op == kTableswitch) {
      writer_.put(method_.code.subspan(table.default_at + 4, 8));  // low, high
    } else {
      writer_.u32(table.count);
    }
    for (std::uint32_t i = 0; i < table.count; ++i) {
      const std::uint32_t at = table.first_at + i * table.step;
      if (op == kLookupswitch) writer_.put(method_.code.subspan(at - 4, 4));  // what is looked for
      target_word(from, branch_target(method_.code, pc, at));
    }
  }

  void stones_before(std::uint32_t pc) noexcept {
    for (const CodeLayout::Stone& stone : layout_.stones())
      if (stone.next == pc) wide(kGotoW, offset(), stone.target);
  }

  const CodeLayout& layout_;
  const MethodCode& method_;
  ByteWriter& writer_;
  std::size_t start_;
};

// Longest stretches of instructions that a handler is for: begin(first), end(next).
template <class Take>
void for_each_stretch(const MethodCode& method, bool after_init, Take take) noexcept {
  bool open = false;
  std::uint32_t from = 0;
  for (std::uint32_t pc = 0; pc < method.size(); pc += instruction_bytes(method.code, pc)) {
    const bool inside =
        method.after_init(pc) == after_init && method.insertions[pc] != Insertion::kInitCall;
    if (inside && !open) from = pc;
    if (!inside && open) take(from, pc);
    open = inside;
  }
  if (open) take(from, method.size());
}

}  // namespace

LeftAlone write_code(const CodeLayout& layout, ByteWriter& writer) noexcept {
  return CodeWriter(layout, writer).write();
}

LeftAlone write_exception_table(const CodeLayout& layout, ByteWriter& writer) noexcept {
  const MethodCode& method = layout.method();
  const std::size_t count_at = writer.at();
  std::uint32_t count = 0;
  const auto put = [&](std::uint32_t from, std::uint32_t to, std::uint32_t handler, unsigned type) {
    for (const std::uint32_t part : {from, to, handler}) writer.u16(part);
    writer.u16(type);
    ++count;
  };
  writer.u16(0);
  for (std::size_t i = 0; i < method.handler_count(); ++i) {
    const ExceptionEntry entry = method.handler(i);
    put(layout.position(entry.start), layout.end_position(entry.end),
        layout.position(entry.handler), entry.type);
  }
  std::uint32_t which = 0;
  const auto ours = [&](bool after_init) {
    const std::uint32_t handler = layout.handler_position(which++);
    for_each_stretch(method, after_init, [&](std::uint32_t from, std::uint32_t to) {
      put(layout.position(from), layout.end_position(to), handler, 0);
    });
  };
  if (layout.inserted().handlers.before_init) ours(false);
  if (layout.inserted().handlers.after_init) ours(true);
  if (count > kMostEntries) return LeftAlone::kCodeTooLong;
  writer.patch_u16(count_at, count);
  return LeftAlone::kNo;
}

}  // namespace holdfast::jvmti
