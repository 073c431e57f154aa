#include "jvmti/accounts/thread_name.h"

namespace holdfast::jvmti {

namespace {

// One row, and not none.
constexpr char kNamelessThread[] = "(no name)";

}  // namespace

StringId name_thread(jvmtiEnv& env, JNIEnv& jni, jthread thread, AccountBook& book) noexcept {
  jvmtiThreadInfo info{};
  if (env.GetThreadInfo(thread, &info) != JVMTI_ERROR_NONE) return book.name(kNamelessThread);
  jni.DeleteLocalRef(info.thread_group);
  jni.DeleteLocalRef(info.context_class_loader);
  const bool named = info.name != nullptr && *info.name != '\0';
  const StringId id = book.name(named ? info.name : kNamelessThread);
  env.Deallocate(reinterpret_cast<unsigned char*>(info.name));
  return id;
}

}  // namespace holdfast::jvmti
