#include "jvmti/rewriting/method_rewriter.h"

#include <cstring>

#include "jvmti/rewriting/code_writer.h"
#include "jvmti/rewriting/constructor_flow.h"
#include "jvmti/rewriting/instruction.h"

namespace holdfast::jvmti {
namespace {

constexpr std::uint32_t kSavedWords = 2;     // a long
constexpr std::uint32_t kHandlerStack = 3;   // what was thrown, and a long
constexpr std::uint32_t kMostWords = 65535;  // of locals and stack
constexpr std::string_view kFramesName = "StackMapTable";

bool reads_frames(const ClassFile& file) noexcept { return file.major() >= kFramesMajor; }

void mark_all_after_init(MethodCode& method) noexcept {
  for (std::uint8_t& mark : method.marks)
    if ((mark & kStart) != 0) mark = static_cast<std::uint8_t>(mark | kAfterInit);
}

}  // namespace

bool MethodRewriter::open() noexcept {
  if (!sites_.open(file_, plan_, scratch_) || !additions_.open(file_, scratch_)) return false;
  return !plan_.has_account || own_calls_.open(file_, scratch_);
}

MethodOutcome MethodRewriter::write(const Member& member, ByteWriter& writer) noexcept {
  MethodOutcome outcome;
  const std::size_t from = writer.at();
  ByteReader reader(member.attributes);
  for (std::uint32_t left = member.attribute_count; left > 0; --left) {
    const Attribute attribute = file_.read_attribute(reader);
    if (attribute.name != "Code") continue;
    const Scratch::Mark mark = scratch_.mark();
    outcome.reason = rewrite(member, attribute, writer, outcome);
    scratch_.rewind(mark);
    break;
  }
  outcome.changed = outcome.changed && outcome.reason == LeftAlone::kNo;
  if (outcome.changed) return outcome;
  writer.rewind(from);
  writer.put(member.bytes);
  return outcome;
}

LeftAlone MethodRewriter::rewrite(const Member& member, const Attribute& code, ByteWriter& writer,
                                  MethodOutcome& outcome) noexcept {
  Task task;
  const bool body_counts = !sites_.counted_by_callers(member.name, member.descriptor);
  LeftAlone reason =
      read_code(code.content, file_, body_counts ? &sites_ : nullptr, scratch_, task.code);
  if (reason != LeftAlone::kNo) return reason;
  outcome.code_bytes_before = outcome.code_bytes_after = task.code.size();
  task.code.works = plan_.has_account && task.code.works && works_itself(task.code);
  if (task.code.sites == 0 && !task.code.works) return LeftAlone::kNo;
  reason = check_targets(task.code, file_.pool());
  if (reason != LeftAlone::kNo) return reason;
  reason = prepare(member, task);
  if (reason != LeftAlone::kNo || (task.code.sites == 0 && !task.bracketed)) return reason;
  CodeLayout layout(task.code, task.inserted);
  reason = layout.place(scratch_);
  if (reason != LeftAlone::kNo) return reason;
  reason = write_member(member, code, layout, task.saved, writer);
  outcome.changed = true;
  outcome.bracketed = task.bracketed;
  outcome.sites = task.code.sites;
  outcome.code_bytes_after = layout.total_bytes();
  return reason;
}

// What is inserted where.
LeftAlone MethodRewriter::prepare(const Member& member, Task& task) noexcept {
  const bool constructor = member.name == "<init>" && !file_.super_name().empty();
  task.saved.index = task.code.max_locals;
  if (task.code.works) {
    if (task.code.max_locals + kSavedWords > kMostWords) return LeftAlone::kFrameTooLarge;
    number_ =
        plan_.number_of == nullptr ? plan_.account : plan_.number_of(plan_.context, member.name);
    if (constructor) {
      if (const LeftAlone reason = prepare_constructor(task); reason != LeftAlone::kNo)
        return reason;
    } else {
      task.bracketed = true;
      task.saved.after_init = true;
      task.inserted.prologue = enter(task.saved.index);
      task.inserted.handlers.after_init = true;
    }
  }
  if (!task.bracketed || !constructor) mark_all_after_init(task.code);
  if (task.bracketed) {
    task.inserted.handler = leave(task.saved.index);
    task.inserted.handler.op(kAthrow);
    if (task.inserted.handlers.after_init)
      task.inserted.before[static_cast<std::size_t>(Insertion::kReturn)] = leave(task.saved.index);
  }
  if (task.code.max_stack + kSavedWords > kMostWords) return LeftAlone::kFrameTooLarge;
  if (task.code.sites > 0) {
    count_after(task, Insertion::kArray, Callee::kArray);
    count_after(task, Insertion::kArrays, Callee::kArrays);
    count_after(task, Insertion::kCloned, Callee::kCloned);
  }
  return additions_.reason();
}

// What is counted here is charged here; what a callee of this class allocates is charged there.
bool MethodRewriter::works_itself(const MethodCode& code, std::uint32_t pc) noexcept {
  if (!does_work(code.code, pc, file_.pool())) return false;
  return sites_.told_of(code.code, pc) != Callee::kCount || !own_calls_.stays_here(code.code, pc);
}

bool MethodRewriter::works_itself(const MethodCode& code) noexcept {
  for (std::uint32_t pc = 0; pc < code.size(); pc += instruction_bytes(code.code, pc))
    if (works_itself(code, pc)) return true;
  return false;
}

LeftAlone MethodRewriter::prepare_constructor(Task& task) noexcept {
  if (!scratch_.make(task.code.positions, std::size_t{task.code.size()} + 1))
    return LeftAlone::kNoScratch;
  if (!ConstructorFlow(file_, task.code).find()) return LeftAlone::kUnclearConstructor;
  bool before = false, after = false;
  const MethodCode& code = task.code;
  for (std::uint32_t pc = 0; pc < code.size(); pc += instruction_bytes(code.code, pc)) {
    if (code.insertions[pc] == Insertion::kInitCall || !works_itself(code, pc)) continue;
    (code.after_init(pc) ? after : before) = true;
  }
  task.bracketed = before || after;
  task.saved.before_init = before;
  task.saved.after_init = before || after;
  task.inserted.handlers = {before, after};
  constexpr auto kInit = static_cast<std::size_t>(Insertion::kInitCall);
  if (before) {
    task.inserted.prologue = enter(task.saved.index);
    task.inserted.before[kInit] = leave(task.saved.index);
  }
  if (after) task.inserted.after[kInit] = enter(task.saved.index);
  return LeftAlone::kNo;
}

// --- snippets ---

void MethodRewriter::call(Snippet& snippet, Callee callee) noexcept {
  const auto i = static_cast<std::size_t>(callee);
  if (callees_[i] == 0)
    callees_[i] = additions_.method(additions_.class_named(plan_.callee_owner), plan_.callees[i],
                                    kCalleeDescriptors[i]);
  snippet.op_u16(kInvokestatic, callees_[i]);
}

void MethodRewriter::push_number(Snippet& snippet) noexcept {
  if (number_ >= -1 && number_ <= 5) return snippet.op(static_cast<unsigned>(kIconst0 + number_));
  if (number_ >= INT8_MIN && number_ <= INT8_MAX)
    return snippet.op_u8(kBipush, static_cast<std::uint8_t>(number_));
  if (number_ >= INT16_MIN && number_ <= INT16_MAX)
    return snippet.op_u16(kSipush, static_cast<std::uint16_t>(number_));
  if (constant_index_ == 0 || constant_ != number_) {
    constant_ = number_;
    constant_index_ = additions_.integer(number_);
  }
  if (constant_index_ <= 0xFF) return snippet.op_u8(kLdc, constant_index_);
  snippet.op_u16(kLdcW, constant_index_);
}

Snippet MethodRewriter::enter(std::uint32_t saved) noexcept {
  Snippet snippet;
  push_number(snippet);
  call(snippet, Callee::kEnter);
  snippet.local(kLstore, kLstore0, saved);
  return snippet;
}

Snippet MethodRewriter::leave(std::uint32_t saved) noexcept {
  Snippet snippet;
  snippet.local(kLload, kLload0, saved);
  call(snippet, Callee::kLeave);
  return snippet;
}

void MethodRewriter::count_after(Task& task, Insertion kind, Callee callee) noexcept {
  const std::span<const Insertion> kinds = task.code.insertions;
  if (std::memchr(kinds.data(), static_cast<int>(kind), kinds.size()) == nullptr) return;
  Snippet& snippet = task.inserted.after[static_cast<std::size_t>(kind)];
  snippet.op(kDup);
  call(snippet, callee);
}

// --- writing ---

LeftAlone MethodRewriter::write_member(const Member& member, const Attribute& code,
                                       const CodeLayout& layout, const SavedLocal& saved,
                                       ByteWriter& writer) noexcept {
  const auto up_to_code = static_cast<std::size_t>(code.bytes.data() - member.bytes.data());
  writer.put(member.bytes.first(up_to_code));
  writer.u16(code.name_index);
  const std::size_t length_at = writer.at();
  writer.u32(0);
  const LeftAlone reason = write_code_attribute(member, layout, saved, writer);
  if (reason != LeftAlone::kNo) return reason;
  writer.patch_u32(length_at, static_cast<std::uint32_t>(writer.at() - length_at - 4));
  writer.put(member.bytes.subspan(up_to_code + code.bytes.size()));
  return writer.ok() ? LeftAlone::kNo : LeftAlone::kNoRoom;
}

LeftAlone MethodRewriter::write_code_attribute(const Member& member, const CodeLayout& layout,
                                               const SavedLocal& saved,
                                               ByteWriter& writer) noexcept {
  const MethodCode& code = layout.method();
  const bool entered = saved.before_init || saved.after_init;
  const std::uint32_t more_stack = entered ? kSavedWords : 1;
  std::uint32_t stack = code.max_stack + more_stack;
  if (layout.inserted().handlers.count() > 0 && stack < kHandlerStack) stack = kHandlerStack;
  writer.u16(stack);
  writer.u16(entered ? code.max_locals + kSavedWords : code.max_locals);
  writer.u32(layout.total_bytes());
  if (const LeftAlone reason = write_code(layout, writer); reason != LeftAlone::kNo) return reason;
  if (const LeftAlone reason = write_exception_table(layout, writer); reason != LeftAlone::kNo)
    return reason;
  return write_attributes(member, layout, saved, writer);
}

LeftAlone MethodRewriter::write_attributes(const Member& member, const CodeLayout& layout,
                                           const SavedLocal& saved, ByteWriter& writer) noexcept {
  const MethodCode& code = layout.method();
  const std::size_t count_at = writer.at();
  std::uint32_t count = 0;
  bool framed = false;
  writer.u16(0);
  ByteReader reader(code.attributes);
  for (std::uint32_t left = code.attribute_count; left > 0; --left) {
    const Attribute attribute = file_.read_attribute(reader);
    const CodeTable table = code_table(attribute.name);
    const bool frames = table == CodeTable::kFrames;
    if (table == CodeTable::kLeftOut || (frames && !reads_frames(file_))) continue;
    // Two tables, or one that cannot even be counted: the VM refuses them.
    if (frames && (framed || attribute.content.size() < 2)) return LeftAlone::kMalformedFrames;
    framed |= frames;
    const LeftAlone reason = write_table(table, attribute, member, layout, saved, writer);
    if (reason != LeftAlone::kNo) return reason;
    ++count;
  }
  // A method without branches had no frames, and has one now. In version 50 others without them are left to the old verifier.
  const bool plain = !code.branches && code.handlers.empty();
  const bool wanted = file_.major() >= kFramesOnlyMajor || (reads_frames(file_) && plain);
  if (!framed && wanted && layout.inserted().handlers.count() > 0) {
    if (frames_name_index_ == 0) frames_name_index_ = additions_.utf8(kFramesName);
    Attribute none;
    none.name_index = frames_name_index_;
    const LeftAlone reason = write_table(CodeTable::kFrames, none, member, layout, saved, writer);
    if (reason != LeftAlone::kNo) return reason;
    ++count;
  }
  writer.patch_u16(count_at, count);
  return additions_.reason();
}

LeftAlone MethodRewriter::write_table(CodeTable table, const Attribute& attribute,
                                      const Member& member, const CodeLayout& layout,
                                      const SavedLocal& saved, ByteWriter& writer) noexcept {
  if (table == CodeTable::kNone) return writer.put(attribute.bytes), LeftAlone::kNo;
  writer.u16(attribute.name_index);
  const std::size_t length_at = writer.at();
  writer.u32(0);
  LeftAlone reason = LeftAlone::kNo;
  if (table == CodeTable::kLines) {
    reason = write_lines(attribute.content, layout, writer);
  } else if (table == CodeTable::kVariables) {
    reason = write_variables(attribute.content, layout, writer);
  } else {
    StackMapWriter frames(file_, member, layout, saved, additions_, writer);
    reason = frames.write(attribute.content, scratch_);
  }
  writer.patch_u32(length_at, static_cast<std::uint32_t>(writer.at() - length_at - 4));
  return reason;
}

}  // namespace holdfast::jvmti
