#include "tests/driver/jvmpi_host/object_records.h"

#include "jvmpi/records/record_reader.h"
#include "tests/driver/jvmpi_host/knobs.h"
#include "tests/driver/jvmpi_host/threads.h"

namespace holdfast::jvmpi_host {

namespace {

using jvmpi::RecordTag;
using jvmpi::value_bytes;

constexpr std::size_t kIdBytes = sizeof(void*);
constexpr std::uint32_t kHeaderBytes = 16;  // of an object that nobody has measured
constexpr std::uint32_t kObjectAlignment = 8;

RecordTag tag_of(jvmtiHeapReferenceKind kind) {
  switch (kind) {
    case JVMTI_HEAP_REFERENCE_JNI_GLOBAL:
      return RecordTag::kJniGlobal;
    case JVMTI_HEAP_REFERENCE_JNI_LOCAL:
      return RecordTag::kJniLocal;
    case JVMTI_HEAP_REFERENCE_STACK_LOCAL:
      return RecordTag::kJavaFrame;
    case JVMTI_HEAP_REFERENCE_SYSTEM_CLASS:
      return RecordTag::kStickyClass;
    case JVMTI_HEAP_REFERENCE_THREAD:
      return RecordTag::kThreadBlock;
    case JVMTI_HEAP_REFERENCE_MONITOR:
      return RecordTag::kMonitorUsed;
    default:
      return RecordTag::kUnknownRoot;
  }
}

}  // namespace

void RecordWriter::head(std::uint8_t tag, ObjectIndex index) {
  out_.u1(tag);
  id(index);
}

JNIEnv* RecordWriter::root_thread(const PictureRoot& root) {
  const jobject thread = view_.objects[root.thread].ref;
  return thread != nullptr ? env_of(thread) : stand_in_env(root.thread_number);
}

void RecordWriter::root(const PictureRoot& root) {
  const RecordTag tag = tag_of(root.kind);
  head(static_cast<std::uint8_t>(tag), root.object);
  if (tag == RecordTag::kJniGlobal) out_.pointer(nullptr);
  if (tag == RecordTag::kThreadBlock) out_.pointer(root_thread(root));
  if (tag == RecordTag::kJniLocal || tag == RecordTag::kJavaFrame) {
    out_.pointer(root_thread(root));
    out_.u4(root.depth);
  }
}

bool RecordWriter::object(ObjectIndex index) {
  switch (view_.kind(env_, index)) {
    case ObjectKind::kClass:
      of_class(index);
      return true;
    case ObjectKind::kPrimitiveClass:
      primitive_class(index);
      return true;
    case ObjectKind::kInstance:
      instance(index);
      return true;
    case ObjectKind::kReferenceArray:
      reference_array(index);
      return true;
    case ObjectKind::kPrimitiveArray:
      primitive_array(index);
      return true;
    case ObjectKind::kGone:
    case ObjectKind::kUnpreparedClass:
      break;
  }
  return false;
}

// -- classes --

void RecordWriter::of_class(ObjectIndex index) {
  const auto object = static_cast<jclass>(view_.objects[index].ref);
  const ClassFacts& facts = view_.facts(env_, index);
  head(static_cast<std::uint8_t>(RecordTag::kClass), index);
  links(index, facts);
  id(0);  // name
  id(0);  // reserved
  out_.u4(instance_bytes(env_, view_, index));
  for (const ObjectIndex interface : facts.interfaces) id(interface);
  constants(index);
  for (const FieldFacts& field : facts.statics) static_field(object, field);
}

// Super, loader, signers, protection domain; arrays have none of them.
void RecordWriter::links(ObjectIndex index, const ClassFacts& facts) {
  if (facts.is_array()) {
    for (int i = 0; i < 4; ++i) id(0);
    return;
  }
  jobject loader = nullptr;
  must(vm().jvmti->GetClassLoader(static_cast<jclass>(view_.objects[index].ref), &loader),
       "GetClassLoader");
  id(facts.interface ? 0 : facts.super);
  id(view_.objects.take(env_, loader));
  const auto& all = view_.picture(env_).links;
  const auto found = all.find(index);
  id(found != all.end() ? found->second.signers : 0);
  id(found != all.end() ? found->second.protection_domain : 0);
}

void RecordWriter::constants(ObjectIndex index) {
  const auto& all = view_.picture(env_).links;
  const auto found = all.find(index);
  if (found == all.end()) return out_.u2(0);
  out_.u2(found->second.constants.size());
  for (const auto& [place, target] : found->second.constants) {
    out_.u2(place);
    out_.u1(static_cast<std::uint8_t>(ValueType::kReference));
    id(target);
  }
}

std::uint32_t instance_bytes(JNIEnv* env, HeapView& view, ObjectIndex of_class) {
  const auto& measured = view.picture(env).instance_bytes;
  const auto found = measured.find(of_class);
  if (found != measured.end()) return static_cast<std::uint32_t>(found->second);
  if (view.facts(env, of_class).is_array()) return 0;
  std::size_t bytes = kHeaderBytes;
  for (const FieldFacts* field : view.values_of(env, of_class))
    bytes += value_bytes(field->type, kIdBytes);
  const std::size_t aligned = (bytes + kObjectAlignment - 1) / kObjectAlignment * kObjectAlignment;
  return static_cast<std::uint32_t>(aligned);
}

// -- instances --

void RecordWriter::instance(ObjectIndex index) {
  const jobject object = view_.objects[index].ref;
  const ObjectIndex of_class = view_.class_of(env_, index);
  head(static_cast<std::uint8_t>(RecordTag::kInstance), index);
  id(of_class);
  const std::size_t count_at = out_.size();
  out_.u4(0);
  for (const FieldFacts* of_object : view_.values_of(env_, of_class)) field(object, *of_object);
  out_.overwrite_u4(count_at, out_.size() - count_at - 4);
}

// An instance of java.lang.Class, all of whose values are zero; or a class without anything.
void RecordWriter::primitive_class(ObjectIndex index) {
  if (knobs().primitive_classes) {
    head(static_cast<std::uint8_t>(RecordTag::kClass), index);
    for (int link = 0; link < 6; ++link) id(0);
    out_.u4(0);
    return out_.u2(0);
  }
  head(static_cast<std::uint8_t>(RecordTag::kInstance), index);
  id(view_.class_of_classes());
  const std::size_t count_at = out_.size();
  out_.u4(0);
  for (const FieldFacts* field : view_.values_of(env_, view_.class_of_classes()))
    if (values_ || field->type == ValueType::kReference)
      out_.number(0, value_bytes(field->type, kIdBytes));
  out_.overwrite_u4(count_at, out_.size() - count_at - 4);
}

// -- arrays --

ObjectIndex class_told_of_array(JNIEnv* env, HeapView& view, ObjectIndex array_class) {
  return knobs().array_class_is_its_own ? array_class : view.facts(env, array_class).element;
}

void RecordWriter::reference_array(ObjectIndex index) {
  const auto array = static_cast<jobjectArray>(view_.objects[index].ref);
  const jsize length = env_->GetArrayLength(array);
  head(static_cast<std::uint8_t>(RecordTag::kObjectArray), index);
  out_.u4(static_cast<std::uint32_t>(length));
  id(class_told_of_array(env_, view_, view_.class_of(env_, index)));
  for (jsize i = 0; i < length; ++i)
    id(view_.objects.take(env_, env_->GetObjectArrayElement(array, i)));
}

void RecordWriter::primitive_array(ObjectIndex index) {
  const auto array = static_cast<jarray>(view_.objects[index].ref);
  const auto length = static_cast<std::uint32_t>(env_->GetArrayLength(array));
  const ValueType type = view_.facts(env_, view_.class_of(env_, index)).element_type();
  head(static_cast<std::uint8_t>(RecordTag::kPrimitiveArray), index);
  out_.u4(length);
  out_.u1(static_cast<std::uint8_t>(type));
  if (!values_ || length == 0) return;
  void* const elements = env_->GetPrimitiveArrayCritical(array, nullptr);
  if (elements == nullptr) broken("GetPrimitiveArrayCritical", 0);
  out_.numbers(static_cast<const char*>(elements), length, value_bytes(type, kIdBytes));
  env_->ReleasePrimitiveArrayCritical(array, elements, JNI_ABORT);
}

}  // namespace holdfast::jvmpi_host
