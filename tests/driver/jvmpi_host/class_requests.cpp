// CLASS_LOAD by request; requests.h.
#include <algorithm>

#include "tests/driver/jvmpi_host/gc_switch.h"
#include "tests/driver/jvmpi_host/heap_view.h"
#include "tests/driver/jvmpi_host/knobs.h"
#include "tests/driver/jvmpi_host/momentary.h"
#include "tests/driver/jvmpi_host/notify.h"
#include "tests/driver/jvmpi_host/requests.h"
#include "tests/driver/jvmpi_host/rules.h"

namespace holdfast::jvmpi_host {

namespace {

jvmpi::JVMPI_Field* told_fields(const std::vector<FieldFacts>& fields, Momentary& memory) {
  auto* const told = memory.array<jvmpi::JVMPI_Field>(fields.size());
  for (std::size_t i = 0; i < fields.size(); ++i)
    told[i] = {memory.text(fields[i].name), memory.text(fields[i].signature)};
  return told;
}

void tell_lines(jmethodID method, jvmpi::JVMPI_Method& told) {
  jint count = 0;
  jvmtiLineNumberEntry* table = nullptr;
  told.start_lineno = told.end_lineno = -1;
  if (vm().jvmti->GetLineNumberTable(method, &count, &table) != JVMTI_ERROR_NONE) return;
  const JvmtiPointer<jvmtiLineNumberEntry> owner(table);
  for (jint i = 0; i < count; ++i) {
    const jint line = table[i].line_number;
    told.start_lineno = told.start_lineno < 0 ? line : std::min(told.start_lineno, line);
    told.end_lineno = std::max(told.end_lineno, line);
  }
}

jvmpi::JVMPI_Method told_method(jmethodID method, Momentary& memory) {
  char *name = nullptr, *signature = nullptr;
  must(vm().jvmti->GetMethodName(method, &name, &signature, nullptr), "GetMethodName");
  jvmpi::JVMPI_Method told{memory.text(taken(name)), memory.text(taken(signature)), 0, 0, method};
  tell_lines(method, told);
  return told;
}

void tell_methods(jclass of, Momentary& memory, jvmpi::JVMPI_Event& event) {
  jint count = 0;
  jmethodID* methods = nullptr;
  must(vm().jvmti->GetClassMethods(of, &count, &methods), "GetClassMethods");
  const JvmtiPointer<jmethodID> owner(methods);
  auto& told = event.u.class_load;
  told.num_methods = count;
  told.methods = memory.array<jvmpi::JVMPI_Method>(static_cast<std::size_t>(count));
  for (jint i = 0; i < count; ++i) told.methods[i] = told_method(methods[i], memory);
}

char* source_name(jclass of, Momentary& memory) {
  char* name = nullptr;
  if (vm().jvmti->GetSourceFileName(of, &name) != JVMTI_ERROR_NONE) return nullptr;
  return memory.text(taken(name));
}

void tell_class(const ClassFacts& facts, jclass of, Momentary& memory, jvmpi::JVMPI_Event& event) {
  auto& told = event.u.class_load;
  told.class_name = memory.text(facts.dotted_name());
  told.source_name = source_name(of, memory);
  told.num_interfaces = static_cast<jint>(facts.interfaces.size());
  told.num_static_fields = static_cast<jint>(facts.statics.size());
  told.statics = told_fields(facts.statics, memory);
  told.num_instance_fields = static_cast<jint>(facts.instances.size());
  told.instances = told_fields(facts.instances, memory);
  if (facts.prepared && !facts.is_array()) tell_methods(of, memory, event);
}

bool fill_class_load(JNIEnv* env, const void* id, Momentary& memory, jvmpi::JVMPI_Event& event) {
  const std::lock_guard guard(host_lock());
  HeapView& view = heap_view(env, "CLASS_LOAD");
  const ObjectIndex index = view.expect("CLASS_LOAD", id);
  const Within work(&ThreadState::host_work);
  const ObjectKind kind = view.kind(env, index);
  if (kind == ObjectKind::kPrimitiveClass) forbidden("CLASS_LOAD of a primitive type");
  if (kind == ObjectKind::kGone) return false;
  // One that is not initialised has a name; a VM of old has read its fields by then, this one does not tell them.
  if (kind != ObjectKind::kClass && kind != ObjectKind::kUnpreparedClass)
    forbidden("CLASS_LOAD of %p, which is no class", id);
  const ClassFacts& facts = view.facts(env, index);
  if (facts.dotted_name() == knobs().failing_class) return false;
  tell_class(facts, static_cast<jclass>(view.objects[index].ref), memory, event);
  event.u.class_load.class_id = view.objects.id(index);
  return true;
}

}  // namespace

jint request_class_load(JNIEnv* env, const void* id) {
  const NotificationWithoutGc no_gc;
  Momentary memory;
  jvmpi::JVMPI_Event event{};
  event.event_type = jvmpi::kClassLoad;
  event.env_id = env;
  if (!fill_class_load(env, id, memory, event)) return jvmpi::kFail;
  answer_request(event);
  return jvmpi::kSuccess;
}

}  // namespace holdfast::jvmpi_host
