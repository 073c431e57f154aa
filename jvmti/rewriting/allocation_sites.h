// Which instructions make an array or a copy that no constructor sees, and who is to be told.
// Why calls too: some methods of the JDK are replaced by the compiler or written in native code, so that what stands in their body
//      is not what runs. Their callers count instead, and their bodies do not.
// Shape:  kMadeByVm is the list. What a constant of the pool calls is looked up once: 1 B of scratch a constant.
// Zone:   event, offline.   Errors: open() is false when there is no scratch left.
// Source: HotSpot, classfile/vmIntrinsics.hpp: _copyOf, _copyOfRange, _newArray, _allocateUninitializedArray, _clone.
#pragma once

#include <cstdint>
#include <string_view>

#include "jvmti/rewriting/class_file.h"
#include "jvmti/rewriting/rewrite_plan.h"

namespace holdfast::jvmti {

struct MadeByVm {
  std::string_view owner, name, descriptor;
  Callee told;
};
inline constexpr MadeByVm kMadeByVm[] = {
    {"java/util/Arrays", "copyOf", "([Ljava/lang/Object;ILjava/lang/Class;)[Ljava/lang/Object;",
     Callee::kArray},
    {"java/util/Arrays", "copyOfRange",
     "([Ljava/lang/Object;IILjava/lang/Class;)[Ljava/lang/Object;", Callee::kArray},
    {"java/lang/reflect/Array", "newArray", "(Ljava/lang/Class;I)Ljava/lang/Object;",
     Callee::kArray},
    {"java/lang/reflect/Array", "multiNewArray", "(Ljava/lang/Class;[I)Ljava/lang/Object;",
     Callee::kArrays},
    {"jdk/internal/misc/Unsafe", "allocateUninitializedArray0",
     "(Ljava/lang/Class;I)Ljava/lang/Object;", Callee::kArray},
};

class AllocationSites {
 public:
  bool open(const ClassFile& file, const RewritePlan& plan, Scratch& scratch) noexcept;

  // kCount: nobody. The instruction is known to be whole.
  Callee told_of(Bytes code, std::uint32_t pc) noexcept;
  // A method of the list: its callers count.
  bool counted_by_callers(std::string_view name, std::string_view descriptor) const noexcept;

 private:
  Callee told_of_call(std::uint16_t index) noexcept;
  Callee look_up(std::uint16_t index) const noexcept;

  const ClassFile* file_ = nullptr;
  const RewritePlan* plan_ = nullptr;
  std::span<std::uint8_t> known_;  // Callee + 1; 0: not looked up yet
};

}  // namespace holdfast::jvmti
