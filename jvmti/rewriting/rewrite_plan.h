// What one class is to be given: an account, and which allocations are counted where they happen.
// Why the called methods are named here: whoever adds them to java.lang.Object and whoever calls them must agree in one place.
// Why public: every class of every loader calls them, and to the VM an interface is no subclass of java.lang.Object (a protected
//      one ends with an IllegalAccessError in the first default method: tried on 17 and 25).
// Shape:  public static methods of one class that every class sees:
//           enter(account) answers the state before it, leave(state) goes back to it; a method is enter … leave.
//           array, arrays (every level of a multianewarray), cloned: told each new object, just made.
// Zone:   any.   Errors: none.
// Source: Bouché, von Löwis, Tröger: Aggregated Accounting of Memory Usage in Java, section 5.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace holdfast::jvmti {

enum class Callee : std::uint8_t { kEnter, kLeave, kArray, kArrays, kCloned, kCount };

inline constexpr std::size_t kCallees = static_cast<std::size_t>(Callee::kCount);
inline constexpr std::string_view kCalleeOwner = "java/lang/Object";
inline constexpr std::array<std::string_view, kCallees> kCalleeNames = {
    "hf$enter", "hf$leave", "hf$array", "hf$arrays", "hf$cloned"};
inline constexpr std::array<std::string_view, kCallees> kCalleeDescriptors = {
    "(I)J", "(J)V", "(Ljava/lang/Object;)V", "(Ljava/lang/Object;)V", "(Ljava/lang/Object;)V"};

struct RewritePlan {
  bool has_account = false;
  std::int32_t account = 0;
  bool every_method = false;  // those too that only call methods of their class which are entered
  bool count_arrays = true;   // newarray, anewarray, multianewarray and what the VM makes by itself
  bool count_clones = true;
  std::string_view callee_owner = kCalleeOwner;
  std::array<std::string_view, kCallees> callees = kCalleeNames;
};

}  // namespace holdfast::jvmti
