// RequestEvent, and what it tells of one object or thread; requests.h.
#include "tests/driver/jvmpi_host/gc_switch.h"
#include "tests/driver/jvmpi_host/heap_view.h"
#include "tests/driver/jvmpi_host/momentary.h"
#include "tests/driver/jvmpi_host/notify.h"
#include "tests/driver/jvmpi_host/object_records.h"
#include "tests/driver/jvmpi_host/requests.h"
#include "tests/driver/jvmpi_host/rules.h"
#include "tests/driver/jvmpi_host/threads.h"

namespace holdfast::jvmpi_host {

namespace {

bool takes_id(jint type) {
  return type == jvmpi::kClassLoad || type == jvmpi::kObjectAlloc || type == jvmpi::kThreadStart ||
         type == jvmpi::kObjectDump;
}

}  // namespace

jint request_event(JNIEnv* env, jint type, void* argument) {
  if (profiler_interface().NotifyEvent == nullptr) forbidden("RequestEvent without NotifyEvent");
  if (stage() != Stage::kRunning) return jvmpi::kNotAvailable;
  if (takes_id(type) && !gc_is_off()) forbidden("RequestEvent of an id with GC on");
  switch (type) {
    case jvmpi::kClassLoad:
      return request_class_load(env, argument);
    case jvmpi::kObjectAlloc:
      return request_object_alloc(env, argument);
    case jvmpi::kThreadStart:
      return request_thread_start(env, argument);
    case jvmpi::kHeapDump:
      return request_heap_dump(env, argument);
    case jvmpi::kObjectDump:
      return request_object_dump(env, argument);
    default:
      return jvmpi::kNotAvailable;
  }
}

// -- OBJECT_ALLOC --

namespace {

jint array_kind(JNIEnv* env, HeapView& view, ObjectIndex of_class, ObjectKind kind) {
  const bool array = kind == ObjectKind::kReferenceArray || kind == ObjectKind::kPrimitiveArray;
  return array ? static_cast<jint>(view.facts(env, of_class).element_type()) : 0;
}

ObjectIndex class_told(JNIEnv* env, HeapView& view, ObjectIndex index, ObjectKind kind) {
  const ObjectIndex of_class = view.class_of(env, index);
  if (kind == ObjectKind::kPrimitiveArray || index == view.class_of_classes()) return 0;
  return kind == ObjectKind::kReferenceArray ? class_told_of_array(env, view, of_class) : of_class;
}

bool fill_object_alloc(JNIEnv* env, const void* id, jvmpi::JVMPI_Event& event) {
  const std::lock_guard guard(host_lock());
  HeapView& view = heap_view(env, "OBJECT_ALLOC");
  const ObjectIndex index = view.expect("OBJECT_ALLOC", id);
  const Within work(&ThreadState::host_work);
  const ObjectKind kind = view.kind(env, index);
  if (kind == ObjectKind::kGone) return false;
  jlong bytes = 0;
  must(vm().jvmti->GetObjectSize(view.objects[index].ref, &bytes), "GetObjectSize");
  auto& told = event.u.obj_alloc;
  told.class_id = view.objects.id(class_told(env, view, index, kind));
  told.is_array = array_kind(env, view, view.class_of(env, index), kind);
  told.size = static_cast<jint>(bytes);
  told.obj_id = view.objects.id(index);
  return true;
}

}  // namespace

jint request_object_alloc(JNIEnv* env, const void* id) {
  if (id == nullptr) forbidden("OBJECT_ALLOC of NULL");
  const NotificationWithoutGc no_gc;
  jvmpi::JVMPI_Event event{};
  event.event_type = jvmpi::kObjectAlloc;
  event.env_id = env;
  if (!fill_object_alloc(env, id, event)) return jvmpi::kFail;
  answer_request(event);
  return jvmpi::kSuccess;
}

// -- THREAD_START --

namespace {

struct GroupNames {
  std::string own, parent;
};

std::string group_name(jthreadGroup group, jthreadGroup* parent) {
  jvmtiThreadGroupInfo info{};
  if (group == nullptr || vm().jvmti->GetThreadGroupInfo(group, &info) != JVMTI_ERROR_NONE)
    return "";
  *parent = info.parent;
  return taken(info.name);
}

GroupNames group_names(jthreadGroup group) {
  GroupNames names;
  jthreadGroup parent = nullptr, ignored = nullptr;
  names.own = group_name(group, &parent);
  names.parent = group_name(parent, &ignored);
  return names;
}

bool fill_thread_start(JNIEnv* env, const void* id, Momentary& memory, jvmpi::JVMPI_Event& event) {
  const std::lock_guard guard(host_lock());
  HeapView& view = heap_view(env, "THREAD_START");
  const ObjectIndex index = view.expect("THREAD_START", id);
  const Within work(&ThreadState::host_work);
  const LocalFrame frame(env);
  jvmtiThreadInfo info{};
  const jthread thread = view.objects[index].ref;
  if (thread == nullptr || vm().jvmti->GetThreadInfo(thread, &info) != JVMTI_ERROR_NONE)
    return false;
  const GroupNames groups = group_names(info.thread_group);
  auto& told = event.u.thread_start;
  told.thread_name = memory.text(taken(info.name));
  told.group_name = memory.text(groups.own);
  told.parent_name = memory.text(groups.parent);
  told.thread_id = view.objects.id(index);
  told.thread_env_id = env_of(thread);
  return true;
}

}  // namespace

jint request_thread_start(JNIEnv* env, const void* id) {
  const NotificationWithoutGc no_gc;
  Momentary memory;
  jvmpi::JVMPI_Event event{};
  event.event_type = jvmpi::kThreadStart;
  event.env_id = env;
  if (!fill_thread_start(env, id, memory, event)) return jvmpi::kFail;
  answer_request(event);
  return jvmpi::kSuccess;
}

}  // namespace holdfast::jvmpi_host
