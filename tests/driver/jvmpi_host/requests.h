// RequestEvent: what a profiler asks for comes on its own thread, before the call returns.
// Shape:  class_requests.cpp CLASS_LOAD · object_requests.cpp OBJECT_ALLOC, THREAD_START · dump_requests.cpp HEAP_DUMP, OBJECT_DUMP
// Zone:   tests, attached threads.   Errors: the answers of JVMPI; what is forbidden ends the process.
#pragma once

#include "jvmpi/abi/jvmpi.h"

namespace holdfast::jvmpi_host {

jint request_event(JNIEnv* env, jint type, void* argument);

jint request_class_load(JNIEnv* env, const void* id);
jint request_object_alloc(JNIEnv* env, const void* id);
jint request_thread_start(JNIEnv* env, const void* id);
jint request_heap_dump(JNIEnv* env, const void* level);
jint request_object_dump(JNIEnv* env, const void* id);

}  // namespace holdfast::jvmpi_host
