// Values of fields, one JNI function for each type; object_records.h has the rest.
#include <bit>

#include "tests/driver/jvmpi_host/object_records.h"

namespace holdfast::jvmpi_host {

namespace {

template <class Bits, class Value>
std::uint64_t bits_of(Value value) {
  return std::bit_cast<Bits>(value);
}

std::uint64_t primitive(JNIEnv* env, jobject object, const FieldFacts& field) {
  switch (field.type) {
    case ValueType::kBoolean:
      return env->GetBooleanField(object, field.id);
    case ValueType::kByte:
      return bits_of<std::uint8_t>(env->GetByteField(object, field.id));
    case ValueType::kChar:
      return env->GetCharField(object, field.id);
    case ValueType::kShort:
      return bits_of<std::uint16_t>(env->GetShortField(object, field.id));
    case ValueType::kInt:
      return bits_of<std::uint32_t>(env->GetIntField(object, field.id));
    case ValueType::kLong:
      return bits_of<std::uint64_t>(env->GetLongField(object, field.id));
    case ValueType::kFloat:
      return bits_of<std::uint32_t>(env->GetFloatField(object, field.id));
    case ValueType::kDouble:
      return bits_of<std::uint64_t>(env->GetDoubleField(object, field.id));
    default:
      broken("a field's type", static_cast<int>(field.type));
  }
}

std::uint64_t static_primitive(JNIEnv* env, jclass object, const FieldFacts& field) {
  switch (field.type) {
    case ValueType::kBoolean:
      return env->GetStaticBooleanField(object, field.id);
    case ValueType::kByte:
      return bits_of<std::uint8_t>(env->GetStaticByteField(object, field.id));
    case ValueType::kChar:
      return env->GetStaticCharField(object, field.id);
    case ValueType::kShort:
      return bits_of<std::uint16_t>(env->GetStaticShortField(object, field.id));
    case ValueType::kInt:
      return bits_of<std::uint32_t>(env->GetStaticIntField(object, field.id));
    case ValueType::kLong:
      return bits_of<std::uint64_t>(env->GetStaticLongField(object, field.id));
    case ValueType::kFloat:
      return bits_of<std::uint32_t>(env->GetStaticFloatField(object, field.id));
    case ValueType::kDouble:
      return bits_of<std::uint64_t>(env->GetStaticDoubleField(object, field.id));
    default:
      broken("a static field's type", static_cast<int>(field.type));
  }
}

}  // namespace

void RecordWriter::field(jobject object, const FieldFacts& field) {
  if (field.type == ValueType::kReference)
    id(view_.objects.take(env_, env_->GetObjectField(object, field.id)));
  else if (values_)
    out_.number(primitive(env_, object, field), jvmpi::value_bytes(field.type, sizeof(void*)));
}

void RecordWriter::static_field(jclass object, const FieldFacts& field) {
  if (field.type == ValueType::kReference)
    id(view_.objects.take(env_, env_->GetStaticObjectField(object, field.id)));
  else if (values_)
    out_.number(static_primitive(env_, object, field),
                jvmpi::value_bytes(field.type, sizeof(void*)));
}

}  // namespace holdfast::jvmpi_host
