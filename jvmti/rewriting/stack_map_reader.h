// The frames of a StackMapTable, one after the other, each with all its locals.
// Why all: the local that is added lies behind all others, so that a frame often has to be written in full.
// Shape:  6 B of scratch for each local and each word of the stack. What the descriptor tells of the arguments stays a place in its
//         text until it has to be written: only then is a Class entry wanted for it.
// Zone:   event, offline.   Errors: ok() is false for malformed frames; kNoScratch.
// Source: The Java Virtual Machine Specification, sections 4.7.4 and 4.10.1.4.
#pragma once

#include <cstdint>
#include <string_view>

#include "jvmti/rewriting/method_code.h"

namespace holdfast::jvmti {

enum TypeTag : std::uint8_t {
  kTypeTop = 0,
  kTypeInteger = 1,
  kTypeFloat = 2,
  kTypeDouble = 3,
  kTypeLong = 4,
  kTypeUninitializedThis = 6,
  kTypeObject = 7,
  kTypeUninitialized = 8,
  kTypeArgument = 0x80,  // ours: an object, named in the method's descriptor
};

struct VerificationType {
  std::uint8_t tag = kTypeTop;
  std::uint16_t value = 0;       // Class entry; place of the `new`; place of the name
  std::uint16_t name_bytes = 0;  // of an argument's
  std::uint32_t words() const noexcept { return tag == kTypeLong || tag == kTypeDouble ? 2 : 1; }
};

enum class FrameForm : std::uint8_t { kSame, kSameWithStack, kChop, kAppend, kFull };

struct Frame {
  std::uint32_t pc = 0;
  FrameForm form = FrameForm::kSame;
  std::uint32_t changed = 0;  // locals chopped or appended
  std::span<VerificationType> locals;
  std::uint32_t local_words = 0;
  std::span<const VerificationType> stack;
};

class StackMapReader {
 public:
  // `table`: the attribute's content; empty for a method that has none.
  LeftAlone open(const ClassFile& file, const Member& member, const MethodCode& method, Bytes table,
                 Scratch& scratch) noexcept;

  std::uint32_t left() const noexcept { return left_; }
  // False at the end, and for what is malformed: ask ok().
  bool next() noexcept;
  // All were told, and nothing stands behind them.
  bool ended_well() const noexcept { return ok_ && left_ == 0 && reader_.ok() && reader_.at_end(); }
  bool ok() const noexcept { return ok_; }
  // The present one; before the first next() the one that is implied at the start.
  Frame frame() noexcept;

 private:
  bool arguments(const ClassFile& file, const Member& member) noexcept;
  bool read_frame(unsigned form) noexcept;
  bool full_frame() noexcept;
  bool read_type(VerificationType& out) noexcept;
  bool push_local(const VerificationType& type) noexcept;
  bool chop(std::uint32_t count) noexcept;
  bool append(std::uint32_t count) noexcept;

  const MethodCode* method_ = nullptr;
  const ConstantPool* pool_ = nullptr;
  ByteReader reader_{Bytes{}};
  std::uint32_t left_ = 0;
  bool first_ = true;
  bool ok_ = true;
  std::uint32_t pc_ = 0;
  FrameForm form_ = FrameForm::kSame;
  std::uint32_t changed_ = 0;
  std::span<VerificationType> locals_;
  std::span<VerificationType> stack_;
  std::uint32_t local_count_ = 0;
  std::uint32_t local_words_ = 0;
  std::uint32_t stack_count_ = 0;
};

}  // namespace holdfast::jvmti
