#include "jvmti/rewriting/allocation_sites.h"

#include "jvmti/rewriting/opcodes.h"

namespace holdfast::jvmti {
namespace {

constexpr std::string_view kObject = "java/lang/Object";
constexpr std::string_view kClone = "clone";
constexpr std::string_view kCloneDescriptor = "()Ljava/lang/Object;";

}  // namespace

bool AllocationSites::open(const ClassFile& file, const RewritePlan& plan,
                           Scratch& scratch) noexcept {
  file_ = &file;
  plan_ = &plan;
  return scratch.make_zeroed(known_, file.pool().count());
}

Callee AllocationSites::told_of(Bytes code, std::uint32_t pc) noexcept {
  const unsigned op = load_u8(code, pc);
  switch (op) {
    case kNewarray:
    case kAnewarray:
      return plan_->count_arrays ? Callee::kArray : Callee::kCount;
    case kMultianewarray:
      return plan_->count_arrays ? Callee::kArrays : Callee::kCount;
    case kInvokevirtual:
    case kInvokespecial:
    case kInvokestatic:
      return told_of_call(load_u16(code, pc + 1));
    default:
      return Callee::kCount;
  }
}

Callee AllocationSites::told_of_call(std::uint16_t index) noexcept {
  if (index >= known_.size()) return Callee::kCount;
  if (known_[index] == 0) known_[index] = static_cast<std::uint8_t>(look_up(index)) + 1;
  return static_cast<Callee>(known_[index] - 1);
}

Callee AllocationSites::look_up(std::uint16_t index) const noexcept {
  const MemberReference call = file_->pool().reference(index);
  if (call.name == kClone && call.descriptor == kCloneDescriptor) {
    const bool array = call.owner.starts_with('[');
    if (array && plan_->count_arrays) return Callee::kArray;
    return call.owner == kObject && plan_->count_clones ? Callee::kCloned : Callee::kCount;
  }
  if (!plan_->count_arrays) return Callee::kCount;
  for (const MadeByVm& made : kMadeByVm)
    if (call.name == made.name && call.owner == made.owner && call.descriptor == made.descriptor)
      return made.told;
  return Callee::kCount;
}

bool AllocationSites::counted_by_callers(std::string_view name,
                                         std::string_view descriptor) const noexcept {
  for (const MadeByVm& made : kMadeByVm)
    if (name == made.name && descriptor == made.descriptor && file_->name() == made.owner)
      return true;
  return false;
}

}  // namespace holdfast::jvmti
