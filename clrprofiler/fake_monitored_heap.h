// For tests only: a runtime before .NET 5, which tells its heap by calls while COR_PRF_MONITOR_GC is set.
// Shape:  a fake_type_system with objects that lie in memory as the runtime lays them out, roots and dependent handles; version 8 is
//         .NET Framework, 11 .NET Core 3.1. The flag obeys the runtime's own rules: settable while it loads or attaches a profiler,
//         afterwards only if concurrent collection is off by then. Each collection walks the whole heap, as the runtime's does.
// Zone:   offline. Masks and collections under one lock; calls come on the thread that collects, or on one of the collector's.
// Errors: FakeTypeSystem::fail(), before anything runs.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "clrprofiler/names/fake_type_system.h"

namespace holdfast::clr {

struct FakeMonitoredHeap : FakeTypeSystem {
  struct Object {
    ClassID type = 0;
    bool dead = false;  // only collections that leave garbage in place tell of it
    std::vector<std::uint64_t> words{};
  };
  struct Root {
    ObjectID object = 0;
    COR_PRF_GC_ROOT_KIND kind = COR_PRF_GC_ROOT_OTHER;
    std::uint32_t flags = 0;
    std::uint64_t id = 0;
  };
  struct Dependent {
    ObjectID key = 0;
    ObjectID value = 0;
  };

  struct Static {
    ClassID owner = 0;
    mdFieldDef field = 0;
    std::uint64_t slot = 0;  // the object in it
  };

  std::deque<Object> objects;
  std::vector<Root> roots;
  std::vector<Dependent> dependents;
  std::deque<Static> statics;             // of owners whose methods are compiled
  bool server = false;                    // the collector has a thread of its own
  bool concurrent = true;                 // concurrent collection is on
  bool can_turn_concurrent_off = true;    // while it loads or attaches
  int ignored_forces = 0;                 // so many calls of ForceGC succeed, and nothing happens
  std::function<void()> before_forced{};  // what else happens while ForceGC waits
  std::function<void()> after_forced{};

  std::atomic<std::uint32_t> low_mask{0};
  std::atomic<int> collections{0};
  std::atomic<int> objects_told{0};
  std::atomic<int> walks_refused{0};  // ended by the agent's answer

  FakeMonitoredHeap();
  ~FakeMonitoredHeap();

  ObjectID add(ClassID type, std::uint64_t bytes);
  // The k-th word of the object becomes a reference.
  static void refer(ObjectID from, std::size_t word, ObjectID to);

  HRESULT load(const std::string& options);
  HRESULT attach(const std::string& options);
  void start_up();
  void shut_down();
  // generation 2: everything, and garbage goes first.
  void collect(int generation, bool induced);
  // The masks that the agent has set, in order.
  std::vector<std::uint32_t> masks();

 private:
  struct Calls;
  HRESULT set_mask(std::uint32_t low);
  void tell(int generation, bool induced);
  bool tell_object(const Object& object);
  void tell_roots();

  std::mutex lock_;             // of masks_
  std::recursive_mutex pause_;  // one collection at a time
  std::vector<std::uint32_t> masks_;
  bool loading_ = false;
};

}  // namespace holdfast::clr
