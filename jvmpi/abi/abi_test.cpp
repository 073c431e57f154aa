#include <doctest/doctest.h>

#include <cstddef>

#include "jvmpi/abi/jvmpi.h"

using namespace holdfast::jvmpi;

namespace {

constexpr std::size_t kPointer = sizeof(void*);
// Where a member lies that comes after so many numbers of 4 bytes and so many pointers; the numbers first.
constexpr std::size_t padded(std::size_t bytes) noexcept {
  return (bytes + kPointer - 1) / kPointer * kPointer;
}

constexpr std::size_t kMembers = padded(sizeof(jint)) + kPointer;  // 8 or 16: the union

static_assert(sizeof(jint) == 4 && sizeof(jlong) == 8);
static_assert(offsetof(JVMPI_Event, env_id) == padded(4));
static_assert(offsetof(JVMPI_Event, u) == kMembers);
static_assert(kMembers == 2 * kPointer);

static_assert(offsetof(JVMPI_Event, u.class_load.source_name) == kMembers + kPointer);
static_assert(offsetof(JVMPI_Event, u.class_load.num_interfaces) == kMembers + 2 * kPointer);
static_assert(offsetof(JVMPI_Event, u.class_load.num_methods) == kMembers + 2 * kPointer + 4);
static_assert(offsetof(JVMPI_Event, u.class_load.methods) == kMembers + 2 * kPointer + 8);
static_assert(offsetof(JVMPI_Event, u.class_load.num_static_fields) == kMembers + 3 * kPointer + 8);
static_assert(offsetof(JVMPI_Event, u.class_load.statics) == kMembers + 3 * kPointer + padded(12));
static_assert(offsetof(JVMPI_Event, u.class_load.num_instance_fields) ==
              kMembers + 4 * kPointer + padded(12));
static_assert(offsetof(JVMPI_Event, u.class_load.instances) ==
              kMembers + 4 * kPointer + padded(12) + padded(4));
static_assert(offsetof(JVMPI_Event, u.class_load.class_id) ==
              kMembers + 5 * kPointer + padded(12) + padded(4));

static_assert(offsetof(JVMPI_Event, u.obj_alloc.class_id) == kMembers + padded(4));
static_assert(offsetof(JVMPI_Event, u.obj_alloc.is_array) == kMembers + padded(4) + kPointer);
static_assert(offsetof(JVMPI_Event, u.obj_alloc.size) == kMembers + padded(4) + kPointer + 4);
static_assert(offsetof(JVMPI_Event, u.obj_alloc.obj_id) == kMembers + padded(4) + kPointer + 8);

static_assert(offsetof(JVMPI_Event, u.thread_start.thread_id) == kMembers + 3 * kPointer);
static_assert(offsetof(JVMPI_Event, u.thread_start.thread_env_id) == kMembers + 4 * kPointer);

static_assert(offsetof(JVMPI_Event, u.heap_dump.begin) == kMembers + padded(4));
static_assert(offsetof(JVMPI_Event, u.heap_dump.end) == kMembers + padded(4) + kPointer);
static_assert(offsetof(JVMPI_Event, u.heap_dump.num_traces) == kMembers + padded(4) + 2 * kPointer);
static_assert(offsetof(JVMPI_Event, u.heap_dump.traces) == kMembers + 2 * padded(4) + 2 * kPointer);
static_assert(offsetof(JVMPI_Event, u.object_dump.data) == kMembers + padded(4));
static_assert(offsetof(JVMPI_Event, u.gc_info.total_object_space) == kMembers + 16);

static_assert(offsetof(JVMPI_CallFrame, method_id) == padded(4));
static_assert(offsetof(JVMPI_CallTrace, frames) == kPointer + padded(4));
static_assert(offsetof(JVMPI_Method, method_id) == 2 * kPointer + 8);
static_assert(sizeof(JVMPI_Field) == 2 * kPointer && sizeof(JVMPI_HeapDumpArg) == 4);

// Slot 0 is the version; every function has the slot of the interface's own order.
template <class Member>
std::size_t slot(Member JVMPI_Interface::*member) noexcept {
  static const JVMPI_Interface kTable{};
  return static_cast<std::size_t>(reinterpret_cast<const char*>(&(kTable.*member)) -
                                  reinterpret_cast<const char*>(&kTable)) /
         kPointer;
}

}  // namespace

TEST_CASE("every function lies in its slot, whatever a pointer's size") {
  CHECK(slot(&JVMPI_Interface::version) == 0);
  CHECK(slot(&JVMPI_Interface::NotifyEvent) == 1);
  CHECK(slot(&JVMPI_Interface::EnableEvent) == 2);
  CHECK(slot(&JVMPI_Interface::DisableEvent) == 3);
  CHECK(slot(&JVMPI_Interface::RequestEvent) == 4);
  CHECK(slot(&JVMPI_Interface::GetCallTrace) == 5);
  CHECK(slot(&JVMPI_Interface::ProfilerExit) == 6);
  CHECK(slot(&JVMPI_Interface::RawMonitorCreate) == 7);
  CHECK(slot(&JVMPI_Interface::RawMonitorEnter) == 8);
  CHECK(slot(&JVMPI_Interface::RawMonitorExit) == 9);
  CHECK(slot(&JVMPI_Interface::RawMonitorWait) == 10);
  CHECK(slot(&JVMPI_Interface::RawMonitorNotifyAll) == 11);
  CHECK(slot(&JVMPI_Interface::RawMonitorDestroy) == 12);
  CHECK(slot(&JVMPI_Interface::GetCurrentThreadCpuTime) == 13);
  CHECK(slot(&JVMPI_Interface::SuspendThread) == 14);
  CHECK(slot(&JVMPI_Interface::ResumeThread) == 15);
  CHECK(slot(&JVMPI_Interface::GetThreadStatus) == 16);
  CHECK(slot(&JVMPI_Interface::ThreadHasRun) == 17);
  CHECK(slot(&JVMPI_Interface::CreateSystemThread) == 18);
  CHECK(slot(&JVMPI_Interface::SetThreadLocalStorage) == 19);
  CHECK(slot(&JVMPI_Interface::GetThreadLocalStorage) == 20);
  CHECK(slot(&JVMPI_Interface::DisableGC) == 21);
  CHECK(slot(&JVMPI_Interface::EnableGC) == 22);
  CHECK(slot(&JVMPI_Interface::RunGC) == 23);
  CHECK(slot(&JVMPI_Interface::GetThreadObject) == 24);
  CHECK(slot(&JVMPI_Interface::GetMethodClass) == 25);
  CHECK(slot(&JVMPI_Interface::jobjectID2jobject) == 26);
  CHECK(slot(&JVMPI_Interface::jobject2jobjectID) == 27);
  CHECK(slot(&JVMPI_Interface::SuspendThreadList) == 28);
  CHECK(slot(&JVMPI_Interface::ResumeThreadList) == 29);
  CHECK(sizeof(JVMPI_Interface) == 30 * kPointer);
}
