#include "jvmti/exact/exact_events.h"

#include "jvmti/agent_place.h"
#include "jvmti/exact/exact_counting.h"

namespace holdfast::jvmti {

namespace {

// The counting of the agent, as long as this lives; nullptr: there is none, or it is leaving.
class Counting {
 public:
  Counting() noexcept {
    Agent* const agent = settled_agent();
    if (agent != nullptr && agent->exact().begin_use()) exact_ = &agent->exact();
  }
  ~Counting() {
    if (exact_ != nullptr) exact_->end_use();
  }
  Counting(const Counting&) = delete;
  Counting& operator=(const Counting&) = delete;
  explicit operator bool() const noexcept { return exact_ != nullptr; }
  ExactCounting* operator->() const noexcept { return exact_; }

 private:
  AgentVisit visit_;
  ExactCounting* exact_ = nullptr;
};

void JNICALL on_class_load(jvmtiEnv*, JNIEnv* jni, jclass /*redefined*/, jobject loader,
                           const char* name, jobject domain, jint length, const unsigned char* data,
                           jint* new_length, unsigned char** new_data) noexcept {
  const Counting exact;
  if (exact && length > 0)
    exact->class_loaded(
        jni, loader, name, domain,
        {reinterpret_cast<const std::byte*>(data), static_cast<std::size_t>(length)}, new_length,
        new_data);
}

void JNICALL on_thread_end(jvmtiEnv*, JNIEnv* jni, jthread thread) noexcept {
  const Counting exact;
  if (exact && thread != nullptr) exact->thread_ended(*jni, thread);
}

}  // namespace

jvmtiEventCallbacks exact_callbacks() noexcept {
  jvmtiEventCallbacks callbacks{};
  callbacks.ClassFileLoadHook = &on_class_load;
  callbacks.ThreadEnd = &on_thread_end;
  return callbacks;
}

}  // namespace holdfast::jvmti

using namespace holdfast;
using namespace holdfast::jvmti;

// The natives of java.lang.HoldfastCounts. Without an agent rows are handed out all the same: nothing reads them any more.

extern "C" {

JNIEXPORT jlong JNICALL Java_java_lang_HoldfastCounts_attach(JNIEnv* jni, jclass, jobject thread) {
  if (thread == nullptr) return 0;
  const Counting exact;
  if (exact) return exact->attach(*jni, thread);
  return static_cast<jlong>(count_rows().lane_for_thread(false));
}

JNIEXPORT jlong JNICALL Java_java_lang_HoldfastCounts_find(JNIEnv*, jclass, jlong lane,
                                                           jlong state) {
  return lane == 0 ? 0
                   : static_cast<jlong>(count_rows().row_of(static_cast<TaggedLane>(lane),
                                                            static_cast<AccountState>(state)));
}

JNIEXPORT jint JNICALL Java_java_lang_HoldfastCounts_place(JNIEnv* jni, jclass, jclass type) {
  if (type == nullptr) return 0;
  const Counting exact;
  if (exact) return exact->place(*jni, type);
  return static_cast<jint>(count_rows().add_class({}));
}

JNIEXPORT void JNICALL Java_java_lang_HoldfastCounts_told(JNIEnv* jni, jclass, jobject object,
                                                          jclass type, jobject thread, jlong state,
                                                          jint place, jlong bytes) {
  if (type == nullptr) return;
  const Counting exact;
  if (exact)
    exact->told(*jni, {object, type, thread, static_cast<AccountState>(state), place, bytes});
}
}
