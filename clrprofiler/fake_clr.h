// A CLR of a few hundred lines, for tests: loads the agent by the library's door, and answers through the same tables of functions.
// Why: the agent's own code runs whole, under sanitizers that cannot live inside a real runtime, with faults made to order.
// Shape:  classes and objects lie in memory as the runtime lays them out (a method table with flags and base size, an object that begins
//         with it), so what reads them as memory is tested, too. `newest` is the last version of ICorProfilerInfo that it knows.
//         Two kinds of classes: add_class() for what only counts and weighs objects; `types` and `heap` for what also asks for names,
//         fields and references. `pipe` collects and tells of `heap`; `threads` have stacks.
// Zone:   offline; one lock, so that the agent's threads may call while a test fires events.
// Errors: answers[] makes a method answer a failure, by its name.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "clrprofiler/com.h"
#include "clrprofiler/fake_event_pipe.h"
#include "clrprofiler/fake_managed_heap.h"
#include "clrprofiler/names/fake_type_system.h"
#include "clrprofiler/roots/fake_process.h"

namespace holdfast::clr {

struct FakeTable {
  // Flags, base size, and room: a real method table is larger, nothing else of it is read.
  alignas(8) std::uint32_t table[16] = {};
  bool words_lie = false;  // the API tells other sizes than the table

  ClassID id() const noexcept { return reinterpret_cast<ClassID>(table); }
  std::uint32_t base_bytes() const noexcept { return table[1]; }
  std::uint32_t component_bytes() const noexcept {
    return (table[0] & 0x80000000u) != 0 ? table[0] & 0xFFFFu : 0;
  }
};

class FakeClr {
 public:
  int newest = 15;
  std::atomic<std::uint32_t> low_mask{0}, high_mask{0};
  std::atomic<int> suspensions_refused{0};  // so many answer 0x80131388
  std::atomic<int> suspended{0};
  std::atomic<int> suspensions{0};
  std::atomic<bool> detach_requested{false};
  std::atomic<int> names_asked{0};
  std::uint64_t generation_bytes = 0;  // what GetGenerationBounds tells, as two ranges
  std::map<std::string, HRESULT> answers;
  FakeTypeSystem types;
  FakeManagedHeap heap{types};
  FakeEventPipe pipe{high_mask, suspended};
  FakeProcess threads;                 // of which only the threads are asked
  std::function<void()> during_names;  // whenever metadata is opened

  FakeClr();
  ~FakeClr();

  FakeTable& add_class(std::uint32_t base_bytes, std::uint32_t component_bytes = 0);
  void name_class(const FakeTable& type, std::u16string name) {
    names_[type.id()] = std::move(name);
  }
  // Of `count` components.
  ObjectID add_object(const FakeTable& type, std::uint32_t count = 0);

  // As the runtime loads a profiler: the door, the factory, the newest callback, then Initialize or InitializeForAttach.
  HRESULT load(const std::string& options);
  HRESULT attach(const std::string& options);
  // The runtime has started: its own library and the application's are loaded.
  void start_up();
  void shut_down() { callback().Shutdown(); }
  // Tells the agent that it is let go, as the runtime does some time after it was asked.
  void let_go() { callback().ProfilerDetachSucceeded(); }
  ICorProfilerCallback& callback() noexcept { return *callback_; }
  bool notification_only() const noexcept { return notification_only_; }
  int callback_version() const noexcept { return callback_version_; }
  IUnknown& unknown() noexcept { return *reinterpret_cast<IUnknown*>(&face_.info); }

 private:
  // What the agent holds; the rest of this object stands beside it.
  struct Face {
    ICorProfilerInfo info;
    FakeClr* runtime;
  };
  static FakeClr& of(ICorProfilerInfo* info) noexcept {
    return *reinterpret_cast<Face*>(info)->runtime;
  }
  static constexpr ModuleID kModuleOfCounted = 1;

  // The calls (fake_clr_calls.cpp).
  struct Calls;
  static ICorProfilerInfo::Table make_table() noexcept;
  bool counts_alone(ClassID id) const noexcept;
  HRESULT open_door();
  HRESULT answer(const char* method) const noexcept;
  ClassID class_of(ObjectID object) const noexcept;
  std::uint64_t size_of(ObjectID object) const noexcept;

  Face face_;
  std::mutex lock_;
  std::vector<std::unique_ptr<FakeTable>> classes_;
  std::vector<std::unique_ptr<std::uint64_t[]>> objects_;
  struct NameFace {
    IMetaDataImport import;
    FakeClr* runtime;
  };
  static IMetaDataImport::Table make_name_table() noexcept;

  NameFace name_face_;
  std::map<ClassID, std::u16string> names_;
  ICorProfilerCallback* callback_ = nullptr;
  bool notification_only_ = false;
  int callback_version_ = 0;
};

}  // namespace holdfast::clr
