// What becomes of a class as the VM loads it: rewritten so that its allocations are counted, in the account that its name belongs to.
// Why one lock: a class takes a tenth of a millisecond, and the memory for rewriting is there once.
// Shape:  kScratchBytes and two buffers of kMostClassBytes, committed at load, touched as far as classes are long.
// Zone:   event (class file load hook, any thread, from the VM's first class on); under the lock only `keep` calls
//         the VM, for memory, which waits for nobody.
// Errors: none: what cannot be rewritten is left alone and counted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "common/accounts/account_book.h"
#include "common/ledger.h"
#include "common/result.h"
#include "jvmti/exact/core_additions.h"
#include "platforms/thread.h"

namespace holdfast::jvmti {

class ClassHook {
 public:
  static constexpr std::size_t kMostClassBytes = std::size_t{4}
                                                 << 20;  // larger ones are left alone

  ClassHook() = default;
  ClassHook(const ClassHook&) = delete;
  ClassHook& operator=(const ClassHook&) = delete;
  ~ClassHook();

  // `names`: where names of methods get numbers; nullptr: methods are not told apart. It outlives this, or stop() comes before its end.
  Result<void> open(const AccountPatterns& patterns, AccountBook* names, Ledger& ledger,
                    MemoryCategory category) noexcept;

  // From now on every class stays as it is; the patterns may go.
  void stop() noexcept;

  // `internal_name`: "java/util/ArrayList"; may be empty, then the class file tells. What is handed to `keep` is valid inside it
  // only; it is not called where the class stays as it is. The answer of `keep`: the VM has taken it.
  using Keep = bool (*)(void* context, std::span<const std::byte> rewritten) noexcept;
  void load(std::string_view internal_name, std::span<const std::byte> file,
            const ClassOrigin& origin, Keep keep, void* context) noexcept;

  struct Counts {
    std::uint64_t classes_seen = 0;
    std::uint64_t classes_left_alone = 0;
    std::uint64_t methods_left_alone = 0;
    std::uint32_t core_classes = 0;  // of the four that core_additions knows
  };
  Counts counts() const noexcept;

 private:
  AccountId account_of(std::string_view name, const ClassOrigin& origin) const noexcept;
  std::span<const std::byte> rewritten(std::string_view name, std::span<const std::byte> file,
                                       const ClassOrigin& origin) noexcept;
  std::span<const std::byte> with_additions(CoreClass which,
                                            std::span<const std::byte> file) noexcept;

  mutable platforms::Mutex working_;
  const AccountPatterns* patterns_ = nullptr;
  AccountBook* names_ = nullptr;
  std::byte* memory_ = nullptr;
  Counts counts_;
  bool object_added_ = false;
};

}  // namespace holdfast::jvmti
