#include "tests/driver/jvmpi_host/class_catalog.h"

#include <algorithm>

namespace holdfast::jvmpi_host {

namespace {

constexpr jint kStatic = 0x0008;  // ACC_STATIC

FieldFacts field_facts(jclass of, jfieldID field) {
  char *name = nullptr, *signature = nullptr;
  must(vm().jvmti->GetFieldName(of, field, &name, &signature, nullptr), "GetFieldName");
  FieldFacts facts{field, ValueType::kUnknown, taken(name), taken(signature)};
  facts.type = jvmpi::value_type_of_signature(facts.signature[0]);
  return facts;
}

void add_fields(jclass of, ClassFacts& facts) {
  jint count = 0;
  jfieldID* fields = nullptr;
  must(vm().jvmti->GetClassFields(of, &count, &fields), "GetClassFields");
  const JvmtiPointer<jfieldID> owner(fields);
  for (jint i = count; i-- > 0;) {
    jint modifiers = 0;
    must(vm().jvmti->GetFieldModifiers(of, fields[i], &modifiers), "GetFieldModifiers");
    auto& kind = (modifiers & kStatic) != 0 ? facts.statics : facts.instances;
    kind.push_back(field_facts(of, fields[i]));
  }
}

void add_interfaces(JNIEnv* env, ObjectTable& objects, jclass of, ClassFacts& facts) {
  jint count = 0;
  jclass* interfaces = nullptr;
  must(vm().jvmti->GetImplementedInterfaces(of, &count, &interfaces), "GetImplementedInterfaces");
  const JvmtiPointer<jclass> owner(interfaces);
  for (jint i = 0; i < count; ++i) facts.interfaces.push_back(objects.take(env, interfaces[i]));
}

ObjectIndex component_of(JNIEnv* env, ObjectTable& objects, jclass array) {
  const LocalFrame frame(env);
  const jmethodID ask =
      env->GetMethodID(env->GetObjectClass(array), "getComponentType", "()Ljava/lang/Class;");
  return objects.index_of(env, env->CallObjectMethod(array, ask));
}

void add_class(JNIEnv* env, ObjectTable& objects, jclass of, ClassFacts& facts) {
  jboolean interface = JNI_FALSE;
  must(vm().jvmti->IsInterface(of, &interface), "IsInterface");
  facts.interface = interface == JNI_TRUE;
  facts.super = objects.take(env, env->GetSuperclass(of));
  add_fields(of, facts);
  add_interfaces(env, objects, of, facts);
  objects[facts.super].reached = true;
  for (const ObjectIndex implemented : facts.interfaces) objects[implemented].reached = true;
}

std::unique_ptr<ClassFacts> ask_facts(JNIEnv* env, ObjectTable& objects, jclass of) {
  auto facts = std::make_unique<ClassFacts>();
  char* signature = nullptr;
  must(vm().jvmti->GetClassSignature(of, &signature, nullptr), "GetClassSignature");
  facts->signature = taken(signature);
  jint status = 0;
  must(vm().jvmti->GetClassStatus(of, &status), "GetClassStatus");
  facts->prepared = (status & (JVMTI_CLASS_STATUS_PREPARED | JVMTI_CLASS_STATUS_ARRAY)) != 0;
  if (facts->element_type() == ValueType::kReference)
    facts->element = component_of(env, objects, of);
  if (facts->prepared && !facts->is_array()) add_class(env, objects, of, *facts);
  return facts;
}

}  // namespace

std::string ClassFacts::dotted_name() const {
  std::string name = signature;
  if (name.size() > 1 && name[0] == 'L') name = name.substr(1, name.size() - 2);
  // A hidden class's address is behind a '.' in its signature, and behind a '/' in its name.
  for (char& c : name) c = c == '/' ? '.' : c == '.' ? '/' : c;
  return name;
}

ClassFacts& ClassCatalog::of(JNIEnv* env, ObjectTable& objects, ObjectIndex index) {
  auto& known = known_[index];
  if (known != nullptr && known->prepared) return *known;
  auto facts = ask_facts(env, objects, static_cast<jclass>(objects[index].ref));
  if (known == nullptr)
    known = std::move(facts);
  else if (facts->prepared)  // meanwhile; somebody may have it in hand
    *known = std::move(*facts);
  return *known;
}

const std::vector<const FieldFacts*>& ClassCatalog::read_order(JNIEnv* env, ObjectTable& objects,
                                                               ObjectIndex index) {
  ClassFacts& facts = of(env, objects, index);
  if (!facts.values.empty()) return facts.values;
  for (ObjectIndex at = index; at != 0;) {
    const ClassFacts& level = of(env, objects, at);
    for (const FieldFacts& field : level.instances) facts.values.push_back(&field);
    at = level.super;
  }
  return facts.values;
}

}  // namespace holdfast::jvmpi_host
