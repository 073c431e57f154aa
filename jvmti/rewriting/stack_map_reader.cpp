#include "jvmti/rewriting/stack_map_reader.h"

#include "jvmti/rewriting/descriptor.h"
#include "jvmti/rewriting/opcodes.h"

namespace holdfast::jvmti {
namespace {

constexpr unsigned kLastSame = 63;
constexpr unsigned kLastSameWithStack = 127;
constexpr unsigned kSameWithStackFar = 247;
constexpr unsigned kSameFar = 251;
constexpr unsigned kFull = 255;

VerificationType type_of(const DescribedType& described) noexcept {
  switch (described.kind) {
    case 'F':
      return {kTypeFloat};
    case 'D':
      return {kTypeDouble};
    case 'J':
      return {kTypeLong};
    case 'L':
    case '[':
      return {kTypeArgument, described.name_at, described.name_bytes};
    default:
      return {kTypeInteger};
  }
}

}  // namespace

LeftAlone StackMapReader::open(const ClassFile& file, const Member& member,
                               const MethodCode& method, Bytes table, Scratch& scratch) noexcept {
  method_ = &method;
  pool_ = &file.pool();
  reader_ = ByteReader(table);
  if (!table.empty()) left_ = reader_.u16();
  if (!scratch.make(locals_, method.max_locals) || !scratch.make(stack_, method.max_stack))
    return LeftAlone::kNoScratch;
  ok_ = arguments(file, member);
  return ok_ ? LeftAlone::kNo : LeftAlone::kMalformedFrames;
}

bool StackMapReader::arguments(const ClassFile& file, const Member& member) noexcept {
  DescriptorReader descriptor(member.descriptor);
  if (!descriptor.open_parameters()) return false;
  if ((member.access & kAccStatic) == 0) {
    // java.lang.Object has no constructor above its own.
    const bool raw = member.name == "<init>" && !file.super_name().empty();
    const VerificationType self = raw ? VerificationType{kTypeUninitializedThis}
                                      : VerificationType{kTypeObject, file.this_index()};
    if (!push_local(self)) return false;
  }
  for (DescribedType type; descriptor.next_parameter(type);)
    if (type.kind == 'V' || !push_local(type_of(type))) return false;
  return descriptor.ok();
}

Frame StackMapReader::frame() noexcept {
  return {pc_,          form_,
          changed_,     locals_.first(local_count_),
          local_words_, std::span<const VerificationType>(stack_).first(stack_count_)};
}

bool StackMapReader::next() noexcept {
  if (left_ == 0 || !ok_) return false;
  --left_;
  stack_count_ = 0;
  changed_ = 0;
  ok_ = read_frame(reader_.u8()) && reader_.ok() && method_->starts(pc_);
  first_ = false;
  return ok_;
}

bool StackMapReader::read_frame(unsigned form) noexcept {
  const auto move = [&](std::uint32_t delta) { pc_ = first_ ? delta : pc_ + delta + 1; };
  if (form > kLastSameWithStack && form < kSameWithStackFar) return false;  // reserved
  move(form <= kLastSame            ? form
       : form <= kLastSameWithStack ? form - kLastSame - 1
                                    : reader_.u16());
  if (form <= kLastSame || form == kSameFar) return form_ = FrameForm::kSame, true;
  if (form <= kSameWithStackFar) {
    form_ = FrameForm::kSameWithStack;
    stack_count_ = 1;
    return !stack_.empty() && read_type(stack_[0]);
  }
  if (form == kFull) return full_frame();
  return form < kSameFar ? chop(kSameFar - form) : append(form - kSameFar);
}

bool StackMapReader::chop(std::uint32_t count) noexcept {
  form_ = FrameForm::kChop;
  changed_ = count;
  if (count > local_count_) return false;
  for (; count > 0; --count) local_words_ -= locals_[--local_count_].words();
  return true;
}

bool StackMapReader::append(std::uint32_t count) noexcept {
  form_ = FrameForm::kAppend;
  changed_ = count;
  for (VerificationType type; count > 0; --count)
    if (!read_type(type) || !push_local(type)) return false;
  return true;
}

bool StackMapReader::full_frame() noexcept {
  form_ = FrameForm::kFull;
  local_count_ = local_words_ = 0;
  VerificationType type;
  for (std::uint32_t count = reader_.u16(); count > 0; --count)
    if (!read_type(type) || !push_local(type)) return false;
  const std::uint32_t depth = reader_.u16();
  if (depth > stack_.size()) return false;
  for (stack_count_ = 0; stack_count_ < depth; ++stack_count_)
    if (!read_type(stack_[stack_count_])) return false;
  return true;
}

bool StackMapReader::push_local(const VerificationType& type) noexcept {
  if (local_words_ + type.words() > method_->max_locals) return false;
  locals_[local_count_++] = type;
  local_words_ += type.words();
  return true;
}

bool StackMapReader::read_type(VerificationType& out) noexcept {
  out = {reader_.u8()};
  if (out.tag > kTypeUninitialized) return false;
  if (out.tag == kTypeObject || out.tag == kTypeUninitialized) out.value = reader_.u16();
  const bool sound = out.tag != kTypeUninitialized ||
                     (method_->starts(out.value) && load_u8(method_->code, out.value) == kNew);
  const bool named = out.tag != kTypeObject || pool_->tag(out.value) == kPoolClass;
  return reader_.ok() && sound && named;
}

}  // namespace holdfast::jvmti
