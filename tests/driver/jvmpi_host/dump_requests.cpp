// HEAP_DUMP and OBJECT_DUMP; requests.h.
#include <cstdio>

#include "tests/driver/jvmpi_host/gc_switch.h"
#include "tests/driver/jvmpi_host/heap_view.h"
#include "tests/driver/jvmpi_host/knobs.h"
#include "tests/driver/jvmpi_host/momentary.h"
#include "tests/driver/jvmpi_host/notify.h"
#include "tests/driver/jvmpi_host/object_records.h"
#include "tests/driver/jvmpi_host/requests.h"
#include "tests/driver/jvmpi_host/rules.h"
#include "tests/driver/jvmpi_host/threads.h"

namespace holdfast::jvmpi_host {

// -- HEAP_DUMP --

namespace {

bool names_level(const std::string& levels, jint level) {
  return levels.find(static_cast<char>('0' + level)) != std::string::npos;
}

std::uint8_t listed_type(JNIEnv* env, HeapView& view, ObjectIndex index) {
  const ObjectKind kind = view.kind(env, index);
  if (kind != ObjectKind::kReferenceArray && kind != ObjectKind::kPrimitiveArray) return 0;
  return static_cast<std::uint8_t>(view.facts(env, view.class_of(env, index)).element_type());
}

void write_list(JNIEnv* env, HeapView& view, DumpBuffer& out) {
  for (const ObjectIndex index : view.picture(env).order) {
    if (!view.is_shown(env, index)) continue;
    out.u1(listed_type(env, view, index));
    out.pointer(view.objects.id(index));
  }
}

void write_records(JNIEnv* env, HeapView& view, DumpBuffer& out, bool values) {
  RecordWriter writer(env, view, out, values);
  for (const PictureRoot& root : view.picture(env).roots)
    if (view.objects[root.object].ref != nullptr) writer.root(root);
  for (const ObjectIndex index : view.picture(env).order)
    if (view.is_shown(env, index)) writer.object(index);
}

void write_dump(JNIEnv* env, DumpBuffer& out, jint level) {
  const std::lock_guard guard(host_lock());
  const Within work(&ThreadState::host_work);
  HeapView& view = heap_view(env, "HEAP_DUMP");
  view.picture(env);
  const LocalFrame frame(env);
  if (level == jvmpi::kDumpIds)
    write_list(env, view, out);
  else
    write_records(env, view, out, level == jvmpi::kDumpValues);
}

void deliver_heap_dump(JNIEnv* env, jint level) {
  DumpBuffer dump;
  Momentary memory;
  write_dump(env, dump, level);
  const Traces traces = stack_traces(env, memory);
  jvmpi::JVMPI_Event event{};  // without a thread
  event.event_type = jvmpi::kHeapDump;
  event.u.heap_dump = {level, dump.begin(), dump.end(), traces.count, traces.traces};
  const Within callback(&ThreadState::heap_dumps);
  answer_request(event);
}

}  // namespace

jint request_heap_dump(JNIEnv* env, const void* argument) {
  const jint level = argument != nullptr
                         ? static_cast<const jvmpi::JVMPI_HeapDumpArg*>(argument)->heap_dump_level
                         : static_cast<jint>(jvmpi::kDumpValues);
  if (level < jvmpi::kDumpIds || level > jvmpi::kDumpValues) return jvmpi::kFail;
  if (names_level(knobs().refused_levels, level)) return jvmpi::kFail;
  if (names_level(knobs().levels_without_event, level)) return jvmpi::kSuccess;
  const NotificationWithoutGc no_gc;
  deliver_heap_dump(env, level);
  return jvmpi::kSuccess;
}

// -- OBJECT_DUMP --

namespace {

bool is_foreign(const void* id) {
  const auto object = static_cast<jobjectID>(const_cast<void*>(id));
  return object == nullptr || object_table().decode(object).what == IdIs::kForeign;
}

bool write_object(JNIEnv* env, const void* id, DumpBuffer& out) {
  const std::lock_guard guard(host_lock());
  HeapView& view = heap_view(env, "OBJECT_DUMP");
  if (is_foreign(id)) {
    if (knobs().unwritten_tails) forbidden("OBJECT_DUMP of %p, which is rubbish", id);
    return false;
  }
  const ObjectIndex index = view.expect("OBJECT_DUMP", id);
  const Within work(&ThreadState::host_work);
  view.picture(env);
  const LocalFrame frame(env);
  return RecordWriter(env, view, out, true).object(index);
}

// Data and the end share nothing but the event: both are in it, as VMs that fill a heap dump's members do it.
void tell_object_dump(DumpBuffer& dump, jvmpi::JVMPI_Event& event) {
  static jint garbage = -1;
  garbage = garbage == -1 ? 0x7fffffff : -1;
  const bool lies = knobs().garbage_length;
  event.u.heap_dump.end = lies ? dump.begin() - 1 : dump.end();
  event.u.object_dump.data_len = lies ? garbage : static_cast<jint>(dump.size());
  event.u.object_dump.data = dump.begin();
}

}  // namespace

jint request_object_dump(JNIEnv* env, const void* id) {
  DumpBuffer dump;
  if (!write_object(env, id, dump)) return jvmpi::kFail;
  jvmpi::JVMPI_Event event{};
  event.event_type = jvmpi::kObjectDump;
  event.env_id = env;
  if (knobs().unwritten_tails) dump.spoil_last();
  tell_object_dump(dump, event);
  answer_request(event);
  return jvmpi::kSuccess;
}

}  // namespace holdfast::jvmpi_host
