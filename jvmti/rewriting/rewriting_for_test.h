// What the tests of this room share: a class through the rewriter, with memory of its own, and its methods afterwards.
// Zone:   offline.   Errors: none.
#pragma once

#include <string_view>
#include <vector>

#include "jvmti/rewriting/class_assembler_for_test.h"
#include "jvmti/rewriting/class_rewriter.h"

namespace holdfast::jvmti {

inline RewritePlan account(std::int32_t number) {
  RewritePlan plan;
  plan.has_account = true;
  plan.account = number;
  return plan;
}

struct Rewritten {
  RewriteResult result;
  std::vector<std::byte> bytes;

  std::uint32_t alone(LeftAlone reason) const {
    return result.methods_left_alone[static_cast<std::size_t>(reason)];
  }
  bool rewritten() const { return result.outcome == RewriteOutcome::kRewritten; }
};

inline Rewritten rewrite(const std::vector<std::byte>& in, const RewritePlan& plan,
                         std::size_t scratch_bytes = kScratchBytes, std::size_t room = 0) {
  std::vector<std::byte> memory(scratch_bytes);
  Rewritten made;
  made.bytes.resize(room != 0 ? room : in.size() * kRoomFactor * 4 + kRoomBytes);
  Scratch scratch(memory);
  made.result = rewrite_class(in, plan, scratch, made.bytes);
  made.bytes.resize(made.result.bytes);
  return made;
}

// One method of a class, read again.
class ReadBack {
 public:
  explicit ReadBack(std::vector<std::byte> bytes, std::size_t which = 0)
      : bytes_(std::move(bytes)), memory_(kScratchBytes), scratch_(memory_) {
    readable_ = file_.read(bytes_, scratch_) == LeftAlone::kNo;
    if (!readable_) return;
    ByteReader reader(file_.methods());
    for (std::size_t i = 0; i <= which; ++i) member_ = file_.read_member(reader);
    ByteReader attributes(member_.attributes);
    const Attribute code = file_.read_attribute(attributes);
    readable_ = read_code(code.content, file_, nullptr, scratch_, code_) == LeftAlone::kNo;
  }

  bool readable() const { return readable_; }
  const ClassFile& file() const { return file_; }
  const Member& member() const { return member_; }
  const MethodCode& code() const { return code_; }
  Scratch& scratch() { return scratch_; }
  std::vector<unsigned> opcodes() const {
    std::vector<unsigned> list;
    for (std::uint32_t pc = 0; pc < code_.size(); ++pc)
      if (code_.starts(pc)) list.push_back(load_u8(code_.code, pc));
    return list;
  }
  std::string_view callee(std::uint32_t pc) const {
    return file_.pool().reference(load_u16(code_.code, pc + 1)).name;
  }
  Bytes attribute(std::string_view name) const {
    ByteReader reader(code_.attributes);
    for (std::uint32_t left = code_.attribute_count; left > 0; --left)
      if (const Attribute found = file_.read_attribute(reader); found.name == name)
        return found.content;
    return {};
  }

 private:
  std::vector<std::byte> bytes_;
  std::vector<std::byte> memory_;
  Scratch scratch_;
  ClassFile file_;
  Member member_;
  MethodCode code_;
  bool readable_ = false;
};

}  // namespace holdfast::jvmti
