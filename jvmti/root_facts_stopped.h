// What a heap callback is told of a root, alike for the walk and the freeze: its kind, its frame, and where its object lies.
// Shape:  the tag of a thread is its object's number + 1, and threads follow the classes (class_scan.h). HotSpot keeps an object's
//         address and size in front of the tag that it shows the callback, on its own stack; that is not documented, so whoever uses
//         it has the size prove it.
// Zone:   stopped.   Errors: none; what does not fit is saturated.
// Source: HotSpot, prims/jvmtiTagMap.cpp (CallbackWrapper).
#pragma once

#include <jvmti.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "common/snapshot/builder.h"

namespace holdfast::jvmti {

struct BesideTag {
  std::uint64_t address;
  jlong shallow_bytes;
};

inline BesideTag beside(const jlong* tag) noexcept {
  BesideTag found;
  std::memcpy(&found, reinterpret_cast<const std::byte*>(tag) - sizeof found, sizeof found);
  return found;
}

// HotSpot's "system class" roots include what the boot loader keeps besides classes: only the object tells.
inline RootKind root_kind_of(jvmtiHeapReferenceKind kind) noexcept {
  switch (kind) {
    case JVMTI_HEAP_REFERENCE_JNI_GLOBAL:
      return RootKind::kJniGlobal;
    case JVMTI_HEAP_REFERENCE_SYSTEM_CLASS:
      return RootKind::kSystemClass;
    case JVMTI_HEAP_REFERENCE_MONITOR:
      return RootKind::kMonitor;
    case JVMTI_HEAP_REFERENCE_STACK_LOCAL:
      return RootKind::kStackLocal;
    case JVMTI_HEAP_REFERENCE_JNI_LOCAL:
      return RootKind::kJniLocal;
    case JVMTI_HEAP_REFERENCE_THREAD:
      return RootKind::kThread;
    default:
      return RootKind::kOther;
  }
}

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

// HotSpot reports what the code of a compiled frame refers to as a JNI local of that frame. A method that is not native has no JNI
// locals: what looks like one is a constant of its code, which every frame of the method shares.
inline bool may_be_code_constant(const RawRoot& root) noexcept {
  return root.kind == RootKind::kJniLocal && root.method != 0;
}
inline void make_code_constant(RawRoot& root) noexcept {
  root.kind = RootKind::kOther;
  root.thread = ThreadId{};
  root.depth = 0;
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
