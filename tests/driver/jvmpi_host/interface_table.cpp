// The function table of JVMPI: each function checks the rules, then asks the part that knows. notify.h declares the table.
#include "tests/driver/jvmpi_host/events.h"
#include "tests/driver/jvmpi_host/gc_switch.h"
#include "tests/driver/jvmpi_host/heap_view.h"
#include "tests/driver/jvmpi_host/notify.h"
#include "tests/driver/jvmpi_host/raw_monitors.h"
#include "tests/driver/jvmpi_host/requests.h"
#include "tests/driver/jvmpi_host/rules.h"
#include "tests/driver/jvmpi_host/threads.h"

namespace holdfast::jvmpi_host {

namespace {

using jvmpi::JVMPI_CallTrace;
using jvmpi::JVMPI_RawMonitor;

const void* shown(jint value) {
  return reinterpret_cast<const void*>(static_cast<std::intptr_t>(value));
}

// -- events --

jint enable_event(jint type, void*) {
  const Call call("EnableEvent", CallKind::kOther, shown(type));
  if (profiler_interface().NotifyEvent == nullptr) forbidden("EnableEvent without NotifyEvent");
  return call.answer(set_event(type, true));
}

jint disable_event(jint type, void*) {
  const Call call("DisableEvent", CallKind::kOther, shown(type));
  return call.answer(set_event(type, false));
}

const char* request_name(jint type) {
  switch (type) {
    case jvmpi::kClassLoad:
      return "RequestEvent(CLASS_LOAD)";
    case jvmpi::kObjectAlloc:
      return "RequestEvent(OBJECT_ALLOC)";
    case jvmpi::kThreadStart:
      return "RequestEvent(THREAD_START)";
    case jvmpi::kHeapDump:
      return "RequestEvent(HEAP_DUMP)";
    case jvmpi::kObjectDump:
      return "RequestEvent(OBJECT_DUMP)";
    default:
      return "RequestEvent";
  }
}

jint request(jint type, void* argument) {
  const Call call(request_name(type), CallKind::kOther, argument);
  return call.answer(request_event(current_env(), type, argument));
}

// -- threads --

void get_call_trace(JVMPI_CallTrace* trace, jint depth) {
  const Call call("GetCallTrace", CallKind::kOther, trace->env_id);
  JNIEnv* const env = current_env();
  const LocalFrame frame(env);
  const jthread thread = thread_of(env, trace->env_id);
  trace->num_frames = 0;
  if (thread != nullptr) fill_trace(thread, *trace, depth);
}

void profiler_exit(jint) { forbidden("ProfilerExit"); }
void suspend_thread(JNIEnv*) { forbidden("SuspendThread"); }
void resume_thread(JNIEnv*) { const Call call("ResumeThread"); }
void suspend_threads(jint, JNIEnv**, jint*) { forbidden("SuspendThreadList"); }
void resume_threads(jint, JNIEnv**, jint*) { const Call call("ResumeThreadList"); }

jlong current_thread_cpu_time() {
  const Call call("GetCurrentThreadCpuTime");
  jlong ns = 0;
  vm().jvmti->GetCurrentThreadCpuTime(&ns);
  return ns;
}

jint thread_status(JNIEnv*) { return Call("GetThreadStatus").answer(jint{1}); }

jboolean thread_has_run(JNIEnv*) {
  const Call call("ThreadHasRun");
  return JNI_TRUE;
}

jint system_thread(char* name, jint priority, void (*run)(void*)) {
  const Call call("CreateSystemThread", CallKind::kOther, name);
  if (stage() != Stage::kRunning) forbidden("CreateSystemThread before JVM_INIT_DONE");
  const Within work(&ThreadState::host_work);
  return call.answer(create_system_thread(current_env(), name, priority, run));
}

void set_storage(JNIEnv* env, void* value) {
  const Call call("SetThreadLocalStorage", CallKind::kOther, env);
  store_with_thread(env, value);
}

void* get_storage(JNIEnv* env) {
  return Call("GetThreadLocalStorage", CallKind::kOther, env).answer(stored_with_thread(env));
}

// -- raw monitors --

JVMPI_RawMonitor monitor_create(char* name) {
  const Call call("RawMonitorCreate", CallKind::kMonitor, name);
  const JVMPI_RawMonitor made = create_monitor();
  call.answer(static_cast<void*>(made));
  return made;
}

void monitor_enter(JVMPI_RawMonitor monitor) {
  const Call call("RawMonitorEnter", CallKind::kMonitor, monitor);
  enter_monitor(monitor);
}

void monitor_exit(JVMPI_RawMonitor monitor) {
  const Call call("RawMonitorExit", CallKind::kMonitor, monitor);
  exit_monitor(monitor);
}

void monitor_wait(JVMPI_RawMonitor monitor, jlong ms) {
  const Call call("RawMonitorWait", CallKind::kMonitor, monitor);
  wait_on_monitor(monitor, ms);
}

void monitor_notify(JVMPI_RawMonitor monitor) {
  const Call call("RawMonitorNotifyAll", CallKind::kMonitor, monitor);
  notify_monitor(monitor);
}

void monitor_destroy(JVMPI_RawMonitor monitor) {
  const Call call("RawMonitorDestroy", CallKind::kMonitor, monitor);
  destroy_monitor(monitor);
}

// -- GC --

void gc_disable() {
  const Call call("DisableGC");
  disable_gc();
}

void gc_enable() {
  const Call call("EnableGC");
  enable_gc();
}

void gc_run() {
  const Call call("RunGC");
  if (this_thread().heap_dumps > 0) forbidden("RunGC inside HEAP_DUMP");
  if (gc_is_off()) forbidden("RunGC while GC is disabled");
  vm().jvmti->ForceGarbageCollection();
}

// -- ids --

jobjectID told(const Call& call, HeapView& view, jobject object) {
  const jobjectID id = view.objects.id(view.objects.index_of(current_env(), object));
  call.answer(static_cast<void*>(id));
  return id;
}

jobjectID thread_object(JNIEnv* env) {
  const Call call("GetThreadObject", CallKind::kOther, env);
  const std::lock_guard guard(host_lock());
  JNIEnv* const me = current_env();
  HeapView& view = heap_view(me, "GetThreadObject");
  const LocalFrame frame(me);
  return told(call, view, thread_of(me, env));
}

jobjectID method_class(jmethodID method) {
  const Call call("GetMethodClass", CallKind::kOther, method);
  const std::lock_guard guard(host_lock());
  JNIEnv* const me = current_env();
  HeapView& view = heap_view(me, "GetMethodClass");
  const LocalFrame frame(me);
  jclass of = nullptr;
  if (vm().jvmti->GetMethodDeclaringClass(method, &of) != JVMTI_ERROR_NONE) return nullptr;
  return told(call, view, of);
}

jobject object_of(jobjectID id) {
  const Call call("jobjectID2jobject", CallKind::kOther, id);
  const std::lock_guard guard(host_lock());
  JNIEnv* const me = current_env();
  HeapView& view = heap_view(me, "jobjectID2jobject");
  if (id == nullptr) return nullptr;
  return me->NewLocalRef(view.objects[view.expect("jobjectID2jobject", id)].ref);
}

jobjectID id_of(jobject object) {
  const Call call("jobject2jobjectID", CallKind::kOther, object);
  const std::lock_guard guard(host_lock());
  return told(call, heap_view(current_env(), "jobject2jobjectID"), object);
}

}  // namespace

jvmpi::JVMPI_Interface& profiler_interface() {
  static jvmpi::JVMPI_Interface table = {
      .version = jvmpi::kVersion1_2,
      .NotifyEvent = nullptr,
      .EnableEvent = &enable_event,
      .DisableEvent = &disable_event,
      .RequestEvent = &request,
      .GetCallTrace = &get_call_trace,
      .ProfilerExit = &profiler_exit,
      .RawMonitorCreate = &monitor_create,
      .RawMonitorEnter = &monitor_enter,
      .RawMonitorExit = &monitor_exit,
      .RawMonitorWait = &monitor_wait,
      .RawMonitorNotifyAll = &monitor_notify,
      .RawMonitorDestroy = &monitor_destroy,
      .GetCurrentThreadCpuTime = &current_thread_cpu_time,
      .SuspendThread = &suspend_thread,
      .ResumeThread = &resume_thread,
      .GetThreadStatus = &thread_status,
      .ThreadHasRun = &thread_has_run,
      .CreateSystemThread = &system_thread,
      .SetThreadLocalStorage = &set_storage,
      .GetThreadLocalStorage = &get_storage,
      .DisableGC = &gc_disable,
      .EnableGC = &gc_enable,
      .RunGC = &gc_run,
      .GetThreadObject = &thread_object,
      .GetMethodClass = &method_class,
      .jobjectID2jobject = &object_of,
      .jobject2jobjectID = &id_of,
      .SuspendThreadList = &suspend_threads,
      .ResumeThreadList = &resume_threads,
  };
  return table;
}

}  // namespace holdfast::jvmpi_host
