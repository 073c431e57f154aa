#include "jvmti/exact/counting_facts.h"

#include "jvmti/error_map.h"
#include "jvmti/vm_memory.h"

namespace holdfast::jvmti {

namespace {

// Enough for the size to step twice at an alignment of 256, the largest there is.
constexpr jsize kMostElements = 520;

using ArrayMaker = jobject (*)(JNIEnv& jni, jsize length) noexcept;

jobject make_bytes(JNIEnv& jni, jsize length) noexcept { return jni.NewByteArray(length); }
jobject make_chars(JNIEnv& jni, jsize length) noexcept { return jni.NewCharArray(length); }
jobject make_ints(JNIEnv& jni, jsize length) noexcept { return jni.NewIntArray(length); }
jobject make_longs(JNIEnv& jni, jsize length) noexcept { return jni.NewLongArray(length); }
jobject make_references(JNIEnv& jni, jsize length) noexcept {
  const jclass object = jni.FindClass("java/lang/Object");
  return object == nullptr ? nullptr : jni.NewObjectArray(length, object, nullptr);
}

Result<std::uint32_t> size_of(jvmtiEnv& env, JNIEnv& jni, ArrayMaker make, jsize length) noexcept {
  const LocalFrame frame(jni);
  const jobject array = make(jni, length);
  if (array == nullptr) {
    jni.ExceptionClear();
    return make_error(ErrorCode::kVm);
  }
  jlong bytes = 0;
  HF_CHECK_OK(check(env.GetObjectSize(array, &bytes)));
  return static_cast<std::uint32_t>(bytes);
}

// Where the size is about to step, the array is full: its size is base + length elements.
Result<std::uint32_t> base_of(jvmtiEnv& env, JNIEnv& jni, ArrayMaker make,
                              std::uint32_t element_bytes) noexcept {
  HF_TRY(first, size_of(env, jni, make, 0));
  std::uint32_t before = first;
  for (jsize length = 1; length <= kMostElements; ++length) {
    HF_TRY(bytes, size_of(env, jni, make, length));
    const std::uint32_t full = static_cast<std::uint32_t>(length - 1) * element_bytes;
    if (bytes > before) return before - full;
    before = bytes;
  }
  return make_error(ErrorCode::kUnsupported);
}

Result<std::uint32_t> alignment_of(jvmtiEnv& env, JNIEnv& jni) noexcept {
  HF_TRY(first, size_of(env, jni, &make_bytes, 0));
  std::uint32_t before = first;
  for (jsize length = 1; length <= kMostElements; ++length) {
    HF_TRY(bytes, size_of(env, jni, &make_bytes, length));
    if (bytes > before) return bytes - before;
  }
  return make_error(ErrorCode::kUnsupported);
}

}  // namespace

Result<CountingFacts> read_counting_facts(jvmtiEnv& env, JNIEnv& jni) noexcept {
  constexpr ArrayMaker kMakers[] = {&make_bytes, &make_chars, &make_ints, &make_longs};
  CountingFacts facts;
  facts.before_9 = jni.GetVersion() < JNI_VERSION_9;
  HF_TRY(alignment, alignment_of(env, jni));
  facts.alignment_bytes = alignment;
  for (std::uint32_t shift = 0; shift < 4; ++shift) {
    HF_TRY(base, base_of(env, jni, kMakers[shift], 1u << shift));
    facts.base_bytes[shift] = base;
  }
  HF_TRY(empty, size_of(env, jni, &make_references, 0));
  HF_TRY(long_one, size_of(env, jni, &make_references, kMostElements));
  facts.reference_shift = long_one - empty >= kMostElements * 8u - alignment ? 3 : 2;
  HF_TRY(base, base_of(env, jni, &make_references, 1u << facts.reference_shift));
  facts.reference_base_bytes = base;
  if (alignment < 8 || (alignment & (alignment - 1)) != 0)
    return make_error(ErrorCode::kUnsupported);
  return facts;
}

}  // namespace holdfast::jvmti
