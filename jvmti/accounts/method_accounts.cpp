#include "jvmti/accounts/method_accounts.h"

#include "common/accounts/account_patterns.h"

namespace holdfast::jvmti {

namespace {

constexpr unsigned kMethodAccountBits = 16;
static_assert(kMaxAccounts < (1u << kMethodAccountBits));
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

std::uint64_t identity(jmethodID method) noexcept {
  return static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(method));
}

bool fits(std::uint64_t id) noexcept { return id != 0 && id >> (64 - kMethodAccountBits) == 0; }

// Identities are addresses of words, or numbers one after the other: a product spreads both over its upper bits.
std::size_t first_slot(std::uint64_t id) noexcept {
  constexpr std::uint64_t kOdd = 0x9E37'79B9'7F4A'7C15;
  constexpr unsigned kLineBits = 13;
  static_assert(MethodAccounts::kSlots == MethodAccounts::kProbes << kLineBits);
  return static_cast<std::size_t>((id * kOdd) >> (64 - kLineBits)) * MethodAccounts::kProbes;
}

}  // namespace

Result<void> MethodAccounts::open(Arena& arena) noexcept {
  HF_TRY(slots, arena.make_zeroed<std::atomic<std::uint64_t>>(kSlots));
  slots_ = slots;
  return {};
}

// Each word says all there is to know, so no order between words is needed.
bool MethodAccounts::find(jmethodID method, AccountId& account) const noexcept {
  const std::uint64_t id = identity(method);
  if (!fits(id)) return false;
  const std::size_t first = first_slot(id);
  for (std::uint32_t i = 0; i < kProbes; ++i) {
    const std::uint64_t word = slots_[first + i].load(std::memory_order_relaxed);
    if (word >> kMethodAccountBits != id) continue;
    account = static_cast<AccountId>(word & ((1u << kMethodAccountBits) - 1));
    return true;
  }
  return false;
}

// Two threads may put the same method down twice; both words say the same.
void MethodAccounts::put(jmethodID method, AccountId account) noexcept {
  const std::uint64_t id = identity(method);
  if (!fits(id)) return;
  const std::uint64_t word = id << kMethodAccountBits | account;
  const std::size_t first = first_slot(id);
  for (std::uint32_t i = 0; i < kProbes; ++i) {
    std::uint64_t free = 0;
    if (slots_[first + i].compare_exchange_strong(free, word, std::memory_order_relaxed) ||
        free >> kMethodAccountBits == id)
      return;
  }
  // Not always the same one: whoever alternates with another would else never be found.
  slots_[first + (id >> 3) % kProbes].store(word, std::memory_order_relaxed);
}

}  // namespace holdfast::jvmti
