// For tests only: a runtime with modules, classes, static fields, compiled methods and threads, behind the profiling interfaces.
// Shape:  vectors that a test fills; every call that would load a type is counted.   Zone: tests.   Errors: those that a test asks for.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "clrprofiler/profiler_info.h"

namespace holdfast::clr {

struct FakeStaticField {
  std::u16string name;
  DWORD attributes = fdStatic;
  std::vector<std::uint8_t> signature = {0x06, ELEMENT_TYPE_OBJECT};
  std::uint64_t address = 0;  // 0: the class is not initialised
};

struct FakeStaticType {
  ClassID class_id = 0;  // 0: not loaded
  ClassID base = 0;
  std::vector<FakeStaticField> fields;
  std::uint32_t generic_parameters = 0;
};

struct FakeStaticModule {
  ModuleID id = 0;
  DWORD flags = 0;
  std::vector<FakeStaticType> types;
  bool has_metadata = true;
};

struct FakeManagedThread {
  ThreadID id = 0;
  DWORD os_id = 0;
  std::vector<FunctionID> stack;  // the leaf first
};

class FakeProcess {
 public:
  FakeProcess();
  FakeProcess(const FakeProcess&) = delete;
  FakeProcess& operator=(const FakeProcess&) = delete;
  ~FakeProcess();

  ProfilerInfo& info() noexcept { return info_; }

  std::vector<FakeStaticModule> modules;
  std::vector<FakeManagedThread> threads;
  std::vector<ClassID> compiled;  // the class of each compiled method
  int suspensions_refused = 0;    // that many times it is somebody else's turn
  HRESULT suspend_answer = S_OK;

  int suspended = 0;
  int suspensions = 0;
  int walks_while_running = 0;
  int loads = 0;       // types that were not loaded, and calls that load
  int references = 0;  // that were not given back

  struct Tables;

 private:
  friend struct Tables;
  struct Face;
  Face* face_;
  ProfilerInfo info_;
};

}  // namespace holdfast::clr
