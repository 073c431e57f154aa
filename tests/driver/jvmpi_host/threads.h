// Threads: their JNIEnv, stack traces, what a profiler stores with them.
// Shape:  a thread's JNIEnv is noted when it starts (JVMTI does not tell it of another thread); one that was not noted has a made-up
//         pointer, always the same, which nobody can follow.
// Zone:   tests, any thread.   Errors: a thread that is over has no JNIEnv: nullptr.
#pragma once

#include "jvmpi/abi/jvmpi.h"
#include "tests/driver/jvmpi_host/momentary.h"
#include "tests/driver/jvmpi_host/vm.h"

namespace holdfast::jvmpi_host {

JNIEnv* env_of(jthread thread);
// Of a thread that is known by its number alone.
JNIEnv* stand_in_env(jlong thread_number);
// Calls from the VM's events.
void note_thread(JNIEnv* env, jthread thread);
void forget_thread(JNIEnv* env);

// A local reference; nullptr: no live thread has it.
jthread thread_of(JNIEnv* me, JNIEnv* env);

struct Traces {
  jint count = 0;
  jvmpi::JVMPI_CallTrace* traces = nullptr;
};
// One of each live thread.
Traces stack_traces(JNIEnv* env, Momentary& memory);
// Of one thread, into its frames, which have room for that many.
void fill_trace(jthread thread, jvmpi::JVMPI_CallTrace& trace, jint depth);

void store_with_thread(JNIEnv* env, void* value);
void* stored_with_thread(JNIEnv* env);

// A daemon Java thread that calls run(NULL).
jint create_system_thread(JNIEnv* env, const char* name, jint priority, void (*run)(void*));

}  // namespace holdfast::jvmpi_host
