#include "jvmti/tracking/object_finder.h"

#include <algorithm>

#include "jvmti/vm_memory.h"

namespace holdfast::jvmti {

namespace {

constexpr jint kStaticModifier = 0x0008;  // class file format, ACC_STATIC

std::uint64_t address_behind(jobject local) noexcept {
  constexpr std::uintptr_t kTagBits = 7;
  std::uint64_t address = 0;
  std::memcpy(&address,
              reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(local) & ~kTagBits),
              sizeof address);
  return address;
}

bool is_reference(std::string_view signature) noexcept {
  return signature.starts_with('L') || signature.starts_with('[');
}

}  // namespace

jobject ObjectFinder::find(jobject anchor, const NamedHead& head,
                           std::span<const NamedStep> steps) noexcept {
  jobject at = anchor;
  for (const NamedStep& step : steps) {
    if (at == nullptr) return nullptr;
    at = go(at, step);
  }
  return at != nullptr && is_the_one(at, head) ? at : nullptr;
}

jobject ObjectFinder::go(jobject from, const NamedStep& step) noexcept {
  if (step.kind == NamedStepKind::kElement) return element(from, step.id);
  const auto field = reinterpret_cast<jfieldID>(static_cast<std::uintptr_t>(step.id));
  jclass type = jni_.GetObjectClass(from);
  if (step.kind == NamedStepKind::kField)
    return has_reference_field(type, field, false) ? jni_.GetObjectField(from, field) : nullptr;
  // The anchor: a class object, by its tag.
  const auto owner = static_cast<jclass>(from);
  return declares(owner, field) && has_reference_field(owner, field, true)
             ? jni_.GetStaticObjectField(owner, field)
             : nullptr;
}

jobject ObjectFinder::element(jobject array, std::uint64_t index) noexcept {
  VmMemory<char> signature(env_);
  if (env_.GetClassSignature(jni_.GetObjectClass(array), signature.out(), nullptr) !=
          JVMTI_ERROR_NONE ||
      !signature.text().starts_with('[') || !is_reference(signature.text().substr(1)))
    return nullptr;
  const auto references = static_cast<jobjectArray>(array);
  if (index >= static_cast<std::uint64_t>(jni_.GetArrayLength(references))) return nullptr;
  return jni_.GetObjectArrayElement(references, static_cast<jsize>(index));
}

bool ObjectFinder::has_reference_field(jclass type, jfieldID field, bool is_static) noexcept {
  for (jclass at = type; at != nullptr; at = jni_.GetSuperclass(at)) {
    if (!declares(at, field)) continue;
    VmMemory<char> signature(env_);
    jint modifiers = 0;
    return env_.GetFieldName(at, field, nullptr, signature.out(), nullptr) == JVMTI_ERROR_NONE &&
           env_.GetFieldModifiers(at, field, &modifiers) == JVMTI_ERROR_NONE &&
           ((modifiers & kStaticModifier) != 0) == is_static && is_reference(signature.text());
  }
  return false;
}

bool ObjectFinder::declares(jclass type, jfieldID field) noexcept {
  VmMemory<jfieldID> fields(env_);
  jint count = 0;
  if (env_.GetClassFields(type, &count, fields.out()) != JVMTI_ERROR_NONE) return false;
  const std::span<jfieldID> all = fields.items(count);
  return std::find(all.begin(), all.end(), field) != all.end();
}

// By place and class.
bool ObjectFinder::is_the_one(jobject found, const NamedHead& head) noexcept {
  jlong tag = 0;
  return address_behind(found) == head.address &&
         env_.GetTag(jni_.GetObjectClass(found), &tag) == JVMTI_ERROR_NONE && tag == head.class_tag;
}

}  // namespace holdfast::jvmti
