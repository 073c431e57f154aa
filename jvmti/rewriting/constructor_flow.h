// Where in a constructor this() or super() has been called already, and which instructions call it.
// Why: until then the object is nobody's, the caller pays for what its superclass allocates, and a handler there must say so in
//      its frame. A `new` of the same class among the arguments looks the same, so the operand stack is followed.
// Shape:  one bit for each word of the stack: is it the object under construction? Code is passed from front to back, states are
//         carried along jumps, until nothing new is reached: at most kMostPasses, O(code) each. Marks kBeforeInit and kAfterInit,
//         and sets Insertion::kInitCall.
// Zone:   event, offline.
// Errors: false where it cannot be told for sure: the two states meet, the object is stored away, the stack is deeper than
//         kMostWords or more than kMostPending jumps are open before the call, jsr before it, dead code, a handler over both.
// Source: The Java Virtual Machine Specification, section 4.10.2.4.
#pragma once

#include <cstdint>

#include "jvmti/rewriting/method_code.h"

namespace holdfast::jvmti {

class ConstructorFlow {
 public:
  static constexpr std::uint32_t kMostWords = 64;
  static constexpr std::size_t kMostPending = 64;
  static constexpr std::uint32_t kMostPasses = 16;

  ConstructorFlow(const ClassFile& file, MethodCode& method) noexcept
      : file_(file), method_(method) {}
  // Uses the positions as scratch.
  bool find() noexcept;

 private:
  struct Words {
    std::uint64_t object_bits = 0;
    std::uint32_t depth = 0;
    bool operator==(const Words&) const = default;
  };
  struct Pending {
    std::uint32_t pc;
    Words words;
  };

  bool pass() noexcept;
  bool step(std::uint32_t pc, unsigned op) noexcept;
  bool follow_before(std::uint32_t pc, unsigned op) noexcept;
  bool local_access(unsigned op, std::uint32_t index) noexcept;
  bool implicit_local_access(unsigned op) noexcept;
  bool duplicate(unsigned op) noexcept;
  bool field_access(std::uint32_t pc, unsigned op) noexcept;
  bool call(std::uint32_t pc, unsigned op) noexcept;
  bool arrive(std::uint32_t pc, bool jump) noexcept;
  bool enter_handlers() noexcept;
  bool all_clear() noexcept;

  bool push(bool object) noexcept;
  bool pop(std::uint32_t words) noexcept;
  bool top_is_object() const noexcept {
    return words_.depth > 0 && (words_.object_bits >> (words_.depth - 1) & 1u) != 0;
  }
  const Pending* pending_at(std::uint32_t pc) const noexcept;

  const ClassFile& file_;
  MethodCode& method_;
  Words words_;
  bool after_ = false;
  bool changed_ = false;
  Pending pending_[kMostPending];
  std::size_t pending_count_ = 0;
};

}  // namespace holdfast::jvmti
