// Which of the objects that were counted live: each is tagged with the number of its row as it is allocated, and a dump asks the VM which
// of them can be reached.
// Why tags: only the VM knows what lives, and a tag is all that it keeps of an object for us.
// Shape:  an environment of its own, so that dumps' tags are others. A tag is round << 40 | halvings << 32 | row + 1; round: that of the
//         walk which saw the object last, 0 for none, so that a walk counts each once and clears nothing.
//         At most kMostTags live, 40 to 70 bytes each in the VM. The last quarter is for those that chance picks: with half of what is
//         left used up, one in two is tagged and stands for two, then one in four; so what lives stays unbiased, and its stated
//         error tells.
// Zone:   open(), listen(), close(): load, end. follow(): event, calls the VM, allocates nothing on the heap. died(): event, perhaps at
//         a safepoint: one subtraction. count(): capture, stops the VM for as long as it takes to follow all references.
// Errors: open(): kUnsupported, kRefused, kVm. count(): kVm.
// Source: JVMTI, FollowReferences and heap filters; Horvitz, Thompson, as common/accounts/account_book.h.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <cstdint>

#include "common/accounts/account_book.h"
#include "common/result.h"

namespace holdfast::jvmti {

class LiveTags {
 public:
  static constexpr std::uint64_t kMostTags = 8u << 20;
  // So many are all of them; only then chance picks.
  static constexpr std::uint64_t kMostWithoutChance = kMostTags / 4 * 3;

  Result<void> open(JavaVM& vm) noexcept;
  bool is_open() const noexcept { return env_ != nullptr; }
  void close() noexcept;

  void follow(jobject object, std::uint32_t row) noexcept;
  void died() noexcept { tagged_.fetch_sub(1, std::memory_order_relaxed); }
  // Tells the book, behind its begin_live(), what lives now; answers how long that took (ns), which is as long as the application stood still.
  Result<std::uint64_t> count(AccountBook& book) noexcept;
  // How long it would take now: as the time before, an object.
  std::uint64_t predicted_ns() const noexcept;

  // Objects that chance did not pick, so far.
  std::uint64_t passed_over() const noexcept {
    return passed_over_.load(std::memory_order_relaxed);
  }
  // Of the next object, when so many are tagged; kNever: there is no room.
  static constexpr std::uint32_t kNever = 32;
  static std::uint32_t halvings_at(std::uint64_t tagged) noexcept;

 private:
  Result<void> listen() noexcept;
  bool picked(std::uint32_t halvings) noexcept;

  jvmtiEnv* env_ = nullptr;
  std::uint32_t round_ = 0;  // of the walk that was last
  // Of that walk; before the first as measured (docs/decisions/044-exact-live-tags.md).
  std::uint64_t ns_per_tag_ = 500;
  std::atomic<std::uint64_t> tagged_{0};
  std::atomic<std::uint64_t> passed_over_{0};
  std::atomic<std::uint64_t> chance_{0};
};

}  // namespace holdfast::jvmti
