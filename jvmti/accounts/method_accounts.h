// Which account a method belongs to, remembered: what every frame of every sample asks.
// Why words of 64 bits: method and account in one, so that readers need no lock and never see half
//      of a pair. Why entries are replaced and none is ever taken out: an identity says all;
//      HotSpot never gives one to another class (docs/decisions/040-allocation-sampling-java.md),
//      so what belongs to an unloaded class is never asked for again, and makes room in time.
// Shape:  kSlots words of 8 bytes, of which a method may stand in kProbes; when all are taken by others, the first of them goes.
// Zone:   open(): load. find(), put(): event, from any number of threads.
// Errors: kOutOfBudget from open(). A method whose identity has more than 48 bits is not remembered.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <cstdint>
#include <span>

#include "common/accounts/account_figures.h"
#include "common/arena.h"
#include "common/result.h"

namespace holdfast::jvmti {

class MethodAccounts {
 public:
  // 512 KB. A large server has some 100,000 methods that ever run, but few of them below allocations.
  static constexpr std::uint32_t kSlots = 1u << 16;
  static constexpr std::uint32_t kProbes = 8;  // a cache line

  Result<void> open(Arena& arena) noexcept;
  // False: not known.
  bool find(jmethodID method, AccountId& account) const noexcept;
  void put(jmethodID method, AccountId account) noexcept;

 private:
  std::span<std::atomic<std::uint64_t>> slots_;  // method << 16 | account; 0: free
};

}  // namespace holdfast::jvmti
