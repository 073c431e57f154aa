// What accounts call a thread: its name; threads without one, as most virtual ones are, are one.
// Zone:   event: asks the VM, which runs no Java for it.   Errors: none.
#pragma once

#include <jvmti.h>

#include "common/accounts/account_book.h"

namespace holdfast::jvmti {

StringId name_thread(jvmtiEnv& env, JNIEnv& jni, jthread thread, AccountBook& book) noexcept;

}  // namespace holdfast::jvmti
