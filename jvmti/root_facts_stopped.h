// What a root's frame says: thread, method, depth, location, slot; alike for the walk and the freeze.
// Shape:  the tag of a thread is its object's number + 1, and threads follow the classes (class_scan.h).
// Zone:   stopped.   Errors: none; what does not fit is saturated.
#pragma once

#include <jvmti.h>

#include <cstdint>

#include "common/snapshot/builder.h"

namespace holdfast::jvmti {

template <class Narrow, class Wide>
Narrow saturated(Wide value) noexcept {
  constexpr Narrow kMost = static_cast<Narrow>(~Narrow{0});
  return value < 0 || static_cast<std::uint64_t>(value) > kMost ? kMost
                                                                : static_cast<Narrow>(value);
}

inline ThreadId thread_of_tag(std::uint32_t class_count, std::uint32_t thread_count,
                              jlong thread_tag) noexcept {
  const jlong thread = thread_tag - 1 - jlong{class_count};
  return thread >= 0 && thread < jlong{thread_count} ? ThreadId{static_cast<std::uint32_t>(thread)}
                                                     : ThreadId{};
}

inline std::uint64_t handle_of(jmethodID method) noexcept {
  return reinterpret_cast<std::uintptr_t>(method);
}

inline void describe_frame(std::uint32_t class_count, std::uint32_t thread_count,
                           jvmtiHeapReferenceKind kind, const jvmtiHeapReferenceInfo& info,
                           RawRoot& root) noexcept {
  if (kind == JVMTI_HEAP_REFERENCE_STACK_LOCAL) {
    const jvmtiHeapReferenceInfoStackLocal& local = info.stack_local;
    root.thread = thread_of_tag(class_count, thread_count, local.thread_tag);
    root.method = handle_of(local.method);
    root.location = saturated<std::uint32_t>(local.location);
    root.depth = saturated<std::uint16_t>(local.depth);
    root.slot = saturated<std::uint16_t>(local.slot);
  } else if (kind == JVMTI_HEAP_REFERENCE_JNI_LOCAL) {
    root.thread = thread_of_tag(class_count, thread_count, info.jni_local.thread_tag);
    root.method = handle_of(info.jni_local.method);
    root.depth = saturated<std::uint16_t>(info.jni_local.depth);
  }
}

}  // namespace holdfast::jvmti
