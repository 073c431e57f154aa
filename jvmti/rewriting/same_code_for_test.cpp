#include "jvmti/rewriting/same_code_for_test.h"

#include <map>
#include <optional>
#include <vector>

#include "jvmti/rewriting/instruction.h"
#include "jvmti/rewriting/method_code.h"
#include "jvmti/rewriting/rewrite_plan.h"

namespace holdfast::jvmti {
namespace {

constexpr std::size_t kMemoryBytes = kScratchBytes * 2;

std::optional<Callee> callee_at(const ClassFile& file, Bytes code, std::uint32_t pc) {
  if (pc >= code.size() || load_u8(code, pc) != kInvokestatic) return std::nullopt;
  const MemberReference call = file.pool().reference(load_u16(code, pc + 1));
  for (std::size_t i = 0; i < kCallees; ++i)
    if (call.owner == kCalleeOwner && call.name == kCalleeNames[i]) return static_cast<Callee>(i);
  return std::nullopt;
}

class Comparison {
 public:
  Comparison(const MethodCode& old_code, const ClassFile& new_file, const MethodCode& new_code)
      : new_file_(new_file), old_(old_code), new_(new_code) {}

  std::string run() {
    std::uint32_t at = 0;
    for (std::uint32_t pc = 0; pc < old_.size(); pc += instruction_bytes(old_.code, pc)) {
      const std::uint32_t entry = skip_counted(at);
      entries_[pc] = pc == 0 ? skip_entered(entry) : entry;
      at = skip_inserted(entry, pc);
      if (at >= new_.size()) return say("the code ends early", pc);
      places_[pc] = at;
      if (const std::string wrong = same_instruction(pc, at); !wrong.empty()) return say(wrong, pc);
      at += instruction_bytes(new_.code, at);
    }
    places_[old_.size()] = entries_[old_.size()] = at;
    for (std::uint32_t pc = 0; pc < old_.size(); pc += instruction_bytes(old_.code, pc))
      if (!same_targets(pc)) return say("a branch leads elsewhere", pc);
    return same_handlers();
  }

 private:
  static std::string say(const std::string& what, std::uint32_t pc) {
    return what + " at " + std::to_string(pc);
  }
  std::uint32_t next(std::uint32_t at) const { return at + instruction_bytes(new_.code, at); }
  bool calls(std::uint32_t at, Callee callee) const {
    return callee_at(new_file_, new_.code, at) == callee;
  }
  bool counts(std::uint32_t at) const {
    const std::optional<Callee> callee = callee_at(new_file_, new_.code, at);
    return callee && *callee != Callee::kEnter && *callee != Callee::kLeave;
  }
  bool room(std::uint32_t at) const { return at < new_.size() && next(at) < new_.size(); }

  // dup, call: belongs to the instruction before.
  std::uint32_t skip_counted(std::uint32_t at) const {
    return room(at) && load_u8(new_.code, at) == kDup && counts(next(at)) ? next(next(at)) : at;
  }
  // push, enter, lstore.
  std::uint32_t skip_entered(std::uint32_t at) const {
    return room(at) && calls(next(at), Callee::kEnter) ? next(next(next(at))) : at;
  }
  std::uint32_t skip_left(std::uint32_t at) const {
    return room(at) && calls(next(at), Callee::kLeave) ? next(next(at)) : at;
  }
  std::uint32_t skip_inserted(std::uint32_t at, std::uint32_t old_pc) const {
    at = skip_entered(at);
    while (at < new_.size() && load_u8(new_.code, at) == kGotoW && at > 0 && is_stone(at, old_pc))
      at = next(at);
    return skip_left(at);
  }
  // A goto_w that the old code does not have there.
  bool is_stone(std::uint32_t at, std::uint32_t old_pc) const {
    const unsigned op = load_u8(old_.code, old_pc);
    return (op != kGoto && op != kGotoW) ||
           (next(at) < new_.size() && load_u8(new_.code, next(at)) == kGotoW);
  }

  std::string same_instruction(std::uint32_t pc, std::uint32_t at) const {
    const unsigned op = load_u8(old_.code, pc), now = load_u8(new_.code, at);
    const bool widened = (op == kGoto && now == kGotoW) || (op == kJsr && now == kJsrW);
    if (op != now && !widened)
      return "opcode " + std::to_string(now) + " for " + std::to_string(op);
    if (is_short_branch(op) || is_wide_branch(op)) return {};
    if (is_switch(op)) return same_keys(pc, at) ? "" : "another switch";
    const std::uint32_t bytes = instruction_bytes(old_.code, pc);
    for (std::uint32_t i = 0; i < bytes; ++i)
      if (old_.code[pc + i] != new_.code[at + i]) return "other operands";
    return {};
  }
  bool same_keys(std::uint32_t pc, std::uint32_t at) const {
    const SwitchTable was = switch_table(old_.code, pc), is = switch_table(new_.code, at);
    if (was.count != is.count || was.step != is.step) return false;
    if (load_u32(old_.code, was.default_at + 4) != load_u32(new_.code, is.default_at + 4))
      return false;
    for (std::uint32_t i = 0; was.step == 8 && i < was.count; ++i)
      if (load_u32(old_.code, was.first_at + i * 8 - 4) !=
          load_u32(new_.code, is.first_at + i * 8 - 4))
        return false;
    return true;
  }
  bool same_targets(std::uint32_t pc) {
    std::vector<std::int64_t> was, is;
    const auto into = [](std::vector<std::int64_t>& list) {
      return [&list](std::int64_t target) { return list.push_back(target), true; };
    };
    for_each_target(old_.code, pc, into(was));
    for_each_target(new_.code, places_[pc], into(is));
    for (std::size_t i = 0; i < was.size(); ++i)
      if (!leads_to(is[i], static_cast<std::uint32_t>(was[i]))) return false;
    return was.size() == is.size();
  }
  // What is inserted before an instruction runs for those that jump there, too; the prologue does not.
  bool leads_to(std::int64_t target, std::uint32_t old_target) {
    if (target < 0 || target >= new_.size()) return false;
    auto at = static_cast<std::uint32_t>(target);
    if (at != first_of(old_target) && load_u8(new_.code, at) == kGotoW)
      at = static_cast<std::uint32_t>(branch_target(new_.code, at, at + 1));
    return at == first_of(old_target);
  }
  // Where what belongs to an instruction begins: behind stones and what belongs to those before.
  std::uint32_t first_of(std::uint32_t pc) {
    std::uint32_t at = entries_[pc];
    if (pc > 0) at = skip_entered(at);
    while (at < places_[pc] && load_u8(new_.code, at) == kGotoW) at = next(at);
    return at;
  }
  std::string same_handlers() {
    for (std::size_t i = 0; i < old_.handler_count(); ++i) {
      const ExceptionEntry was = old_.handler(i), is = new_.handler(i);
      const bool end = is.end <= first_of(was.end) && is.end >= skip_entered(entries_[was.end]);
      if (is.start != first_of(was.start) || !end || is.handler != first_of(was.handler) ||
          is.type != was.type)
        return say("exception entry " + std::to_string(i), was.start);
    }
    return {};
  }

  const ClassFile& new_file_;
  const MethodCode& old_;
  const MethodCode& new_;
  std::map<std::uint32_t, std::uint32_t> places_;   // the instruction itself
  std::map<std::uint32_t, std::uint32_t> entries_;  // behind what counts for the one before
};

std::optional<Bytes> code_of(const ClassFile& file, const Member& member) {
  ByteReader reader(member.attributes);
  for (std::uint32_t left = member.attribute_count; left > 0; --left)
    if (const Attribute attribute = file.read_attribute(reader); attribute.name == "Code")
      return attribute.content;
  return std::nullopt;
}

std::string compare_method(const ClassFile& was, const Member& old_member, const ClassFile& is,
                           const Member& new_member, Scratch& scratch) {
  const std::optional<Bytes> old_content = code_of(was, old_member);
  const std::optional<Bytes> new_content = code_of(is, new_member);
  if (old_content.has_value() != new_content.has_value()) return "code came or went";
  if (!old_content) return {};
  if (old_content->size() == new_content->size() &&
      std::memcmp(old_content->data(), new_content->data(), old_content->size()) == 0)
    return {};
  MethodCode old_code, new_code;
  if (read_code(*old_content, was, nullptr, scratch, old_code) != LeftAlone::kNo ||
      read_code(*new_content, is, nullptr, scratch, new_code) != LeftAlone::kNo ||
      check_targets(new_code, is.pool()) != LeftAlone::kNo)
    return "the code cannot be read";
  return Comparison(old_code, is, new_code).run();
}

}  // namespace

std::string difference(Bytes before, Bytes after) {
  static std::vector<std::byte> memory(kMemoryBytes);  // one thread
  Scratch scratch(memory);
  ClassFile was, is;
  if (was.read(before, scratch) != LeftAlone::kNo || is.read(after, scratch) != LeftAlone::kNo)
    return "the class cannot be read";
  if (was.method_count() != is.method_count() || was.name() != is.name()) return "other methods";
  ByteReader old_reader(was.methods()), new_reader(is.methods());
  for (std::uint32_t left = was.method_count(); left > 0; --left) {
    const Member old_member = was.read_member(old_reader), new_member = is.read_member(new_reader);
    const Scratch::Mark mark = scratch.mark();
    const std::string wrong = compare_method(was, old_member, is, new_member, scratch);
    scratch.rewind(mark);
    if (!wrong.empty()) return std::string(old_member.name) + ": " + wrong;
  }
  return {};
}

}  // namespace holdfast::jvmti
