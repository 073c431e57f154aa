// The profiling interface of Java 1.2 to 5, declared anew: no JDK that can be installed today has a header of it.
// Why the standard's own names: whoever knows JVMPI finds his way; everything is in our namespace, so a real header does not clash.
// Shape:  plain C structs and function pointers with natural alignment, for 32 and 64 bit; abi_test.cpp holds every offset. Functions take no
//         environment. The version is 4 bytes, and a pointer's room on 64 bit.
//           GetEnv(vm, &interface, kVersion1)   0, and the one interface of the VM; JNI_EVERSION on every VM since 6
// Zone:   any.
// Errors: what a function answers: kSuccess, kNotAvailable, kFail.
// Source: the Java Virtual Machine Profiler Interface as JDK 1.2 to 5 had it.
#pragma once

#include <jni.h>

#include <cstddef>

namespace holdfast::jvmpi {

// The standard's own names. NOLINTBEGIN(readability-identifier-naming)
using jobjectID = struct OpaqueObject*;  // an address: good only while no collection runs
using JVMPI_RawMonitor = struct OpaqueMonitor*;

inline constexpr jint kVersion1 = 0x10000001;    // every VM has it
inline constexpr jint kVersion1_1 = 0x10000002;  // jobjectID2jobject and back
inline constexpr jint kVersion1_2 = 0x10000003;  // lists of threads

enum Answer : jint { kSuccess = 0, kNotAvailable = 1, kFail = -1 };

enum EventType : jint {
  kObjectAlloc = 4,
  kObjectFree = 5,
  kObjectMove = 6,
  kThreadStart = 33,
  kThreadEnd = 34,
  kHeapDump = 37,
  kClassLoad = 42,
  kClassUnload = 43,
  kDataDumpRequest = 44,
  kDataResetRequest = 45,
  kJvmInitDone = 46,
  kJvmShutDown = 47,
  kObjectDump = 50,
  kGcStart = 60,
  kGcFinish = 61,
};
inline constexpr jint kRequested =
    0x10000000;  // or-ed into the type of an event that was asked for

enum DumpLevel : jint { kDumpIds = 0, kDumpReferences = 1, kDumpValues = 2 };

enum ThreadPriority : jint { kMinPriority = 1, kNormalPriority = 5, kMaxPriority = 10 };

struct JVMPI_HeapDumpArg {
  jint heap_dump_level;
};
struct JVMPI_CallFrame {
  jint lineno;
  jmethodID method_id;
};
struct JVMPI_CallTrace {
  JNIEnv* env_id;
  jint num_frames;
  JVMPI_CallFrame* frames;
};
struct JVMPI_Method {
  char* method_name;
  char* method_signature;
  jint start_lineno;
  jint end_lineno;
  jmethodID method_id;
};
struct JVMPI_Field {
  char* field_name;
  char* field_signature;
};

// Text and arrays live as long as the callback.
struct JVMPI_Event {
  jint event_type;
  JNIEnv* env_id;  // of a heap dump: perhaps not set
  union {
    struct {
      char* class_name;  // "shop.Session", "[Ljava.lang.String;"
      char* source_name;
      jint num_interfaces;
      jint num_methods;
      JVMPI_Method* methods;
      jint num_static_fields;
      JVMPI_Field* statics;  // the class's own, in the order of their values in dumps
      jint num_instance_fields;
      JVMPI_Field* instances;
      jobjectID class_id;
    } class_load;
    struct {
      jobjectID class_id;
    } class_unload;
    struct {
      jint arena_id;
      jobjectID
          class_id;  // of an array of references: its elements' class on some VMs, its own on others
      jint is_array;  // 0: a plain object; else its elements' ValueType (records/value_type.h)
      jint size;      // bytes, header included
      jobjectID obj_id;
    } obj_alloc;
    struct {
      char* thread_name;
      char* group_name;
      char* parent_name;
      jobjectID thread_id;
      JNIEnv* thread_env_id;
    } thread_start;
    struct {
      JNIEnv* env_id;
    } thread_end;
    struct {
      jint dump_level;
      char* begin;
      char* end;
      jint num_traces;
      JVMPI_CallTrace* traces;
    } heap_dump;
    struct {
      jint data_len;  // not to be relied on: the record tells its length
      char* data;
    } object_dump;
    struct {
      jlong used_objects;
      jlong used_object_space;
      jlong total_object_space;
    } gc_info;
  } u;
};

struct JVMPI_Interface {
  jint version;
  void (*NotifyEvent)(JVMPI_Event* event);  // the profiler's own
  jint (*EnableEvent)(jint event_type, void* arg);
  jint (*DisableEvent)(jint event_type, void* arg);
  jint (*RequestEvent)(jint event_type, void* arg);  // NotifyEvent runs before it returns
  void (*GetCallTrace)(JVMPI_CallTrace* trace, jint depth);
  void (*ProfilerExit)(jint code);
  JVMPI_RawMonitor (*RawMonitorCreate)(char* name);
  void (*RawMonitorEnter)(JVMPI_RawMonitor monitor);
  void (*RawMonitorExit)(JVMPI_RawMonitor monitor);
  void (*RawMonitorWait)(JVMPI_RawMonitor monitor, jlong ms);  // 0: for ever
  void (*RawMonitorNotifyAll)(JVMPI_RawMonitor monitor);
  void (*RawMonitorDestroy)(JVMPI_RawMonitor monitor);
  jlong (*GetCurrentThreadCpuTime)();  // ns
  void (*SuspendThread)(JNIEnv* env);
  void (*ResumeThread)(JNIEnv* env);
  jint (*GetThreadStatus)(JNIEnv* env);
  jboolean (*ThreadHasRun)(JNIEnv* env);
  jint (*CreateSystemThread)(char* name, jint priority, void (*run)(void*));
  void (*SetThreadLocalStorage)(JNIEnv* env, void* value);
  void* (*GetThreadLocalStorage)(JNIEnv* env);
  void (*DisableGC)();
  void (*EnableGC)();
  void (*RunGC)();
  jobjectID (*GetThreadObject)(JNIEnv* env);
  jobjectID (*GetMethodClass)(jmethodID method);
  // From version 1.1 on.
  jobject (*jobjectID2jobject)(jobjectID object);
  jobjectID (*jobject2jobjectID)(jobject object);
  // From version 1.2 on.
  void (*SuspendThreadList)(jint count, JNIEnv** threads, jint* results);
  void (*ResumeThreadList)(jint count, JNIEnv** threads, jint* results);
};
// NOLINTEND(readability-identifier-naming)

}  // namespace holdfast::jvmpi
