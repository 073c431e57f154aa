// Account and principal of the allocation that the calling thread is making: its stack, walked from the top as far as needed.
// Why two calls at most: each costs by the frames that it tells and those that it skips. The first frames often say it all, and where
//      they do not, the rest at once is the cheapest (docs/decisions/041-sampling-cost-java.md).
// Shape:  the first frame that has an account is the agent's; the next one of another account is the principal's. At most kMaxFrames are
//         looked at; where there is but one account, nothing behind its first frame.
// Zone:   event.   Errors: kVm when the VM does not tell the stack. A method whose class is not told belongs to no account.
// Source: Bouché and others (common/accounts/account_figures.h), section 3.
#pragma once

#include <jvmti.h>

#include "common/accounts/account_patterns.h"
#include "common/result.h"
#include "jvmti/accounts/class_origins.h"
#include "jvmti/accounts/method_accounts.h"

namespace holdfast::jvmti {

struct StackAccounts {
  AccountId account = kUnaccounted;
  AccountId principal = kUnaccounted;
  jmethodID method = nullptr;  // of the frame that has the account
  bool cut = false;            // no account in kMaxFrames frames, and there are more
};

// What a walk asks, with the thread that asks.
struct StackReader {
  jvmtiEnv& env;
  JNIEnv& jni;
  const AccountPatterns& patterns;
  MethodAccounts& methods;
  ClassOrigins& origins;
};

inline constexpr jint kMaxFrames = 512;
inline constexpr jint kFirstFrames = 16;
inline constexpr jint kOtherFrames = kMaxFrames - kFirstFrames;  // 8 KB of the thread's stack

Result<StackAccounts> read_stack_accounts(const StackReader& reader) noexcept;
AccountId account_of_method(const StackReader& reader, jmethodID method) noexcept;

}  // namespace holdfast::jvmti
