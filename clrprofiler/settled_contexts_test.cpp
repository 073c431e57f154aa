#include "clrprofiler/settled_contexts.h"

#include <doctest/doctest.h>

#include <atomic>
#include <functional>
#include <vector>

#include "platforms/clock.h"
#include "platforms/thread.h"

using namespace holdfast;
using namespace holdfast::clr;

namespace {

// A runtime with modules and collections, and nothing else.
struct Runtime {
  std::vector<DWORD> flags;  // of its modules, whose numbers begin with 1
  bool hides_modules = false;
  int newest = 15;
  int collections = 0;
  std::function<void()> at_collection = [] {};

  Runtime() {
    static const ICorProfilerInfo::Table kTable = make_table();
    static const ICorProfilerModuleEnum::Table kList = make_list();
    info.face.table = &kTable;
    list.face.table = &kList;
    info.runtime = list.runtime = this;
    REQUIRE(open_again());
  }

  bool open_again() { return opened.open(*reinterpret_cast<IUnknown*>(&info.face)).ok(); }

  template <class Interface>
  struct Face {
    Interface face{nullptr};
    Runtime* runtime = nullptr;
  };
  template <class Interface>
  static Runtime& of(Interface* self) noexcept {
    return *reinterpret_cast<Face<Interface>*>(self)->runtime;
  }

  static ICorProfilerInfo::Table make_table() noexcept {
    auto table = ICorProfilerInfo::Table::answering<E_NOTIMPL>();
    table.QueryInterface = [](ICorProfilerInfo* self, REFIID iid, void** out) noexcept -> HRESULT {
      *out = self;
      for (const InterfaceVersion& known : kICorProfilerInfoVersions)
        if (same(*iid, known.iid) && known.version > of(self).newest) return E_NOINTERFACE;
      return S_OK;
    };
    table.AddRef = table.Release = [](ICorProfilerInfo*) noexcept -> ULONG { return 1; };
    table.ForceGC = [](ICorProfilerInfo* self) noexcept -> HRESULT {
      ++of(self).collections;
      of(self).at_collection();
      return S_OK;
    };
    table.EnumModules = [](ICorProfilerInfo* self,
                           ICorProfilerModuleEnum** out) noexcept -> HRESULT {
      if (of(self).hides_modules) return E_FAIL;
      of(self).next = 0;
      *out = &of(self).list.face;
      return S_OK;
    };
    table.GetModuleInfo2 = [](ICorProfilerInfo* self, ModuleID id, LPCBYTE*, ULONG, ULONG*, LPWSTR,
                              AssemblyID*, DWORD* out) noexcept -> HRESULT {
      *out = of(self).flags.at(id - 1);
      return S_OK;
    };
    return table;
  }
  static ICorProfilerModuleEnum::Table make_list() noexcept {
    auto table = ICorProfilerModuleEnum::Table::answering<E_NOTIMPL>();
    table.Release = [](ICorProfilerModuleEnum*) noexcept -> ULONG { return 1; };
    table.Next = [](ICorProfilerModuleEnum* self, ULONG, ModuleID* id,
                    ULONG* got) noexcept -> HRESULT {
      Runtime& runtime = of(self);
      *got = runtime.next < runtime.flags.size() ? 1 : 0;
      if (*got != 0) *id = ++runtime.next;
      return *got != 0 ? S_OK : 1;  // S_FALSE
    };
    return table;
  }

  Face<ICorProfilerInfo> info;
  Face<ICorProfilerModuleEnum> list;
  std::size_t next = 0;
  ProfilerInfo opened;
  UnloadGate gate;
  ForcedCollection collection;
};

constexpr DWORD kPlain = COR_PRF_MODULE_DISK;
constexpr DWORD kCollectible = COR_PRF_MODULE_DISK | COR_PRF_MODULE_COLLECTIBLE;

}  // namespace

TEST_CASE("without collectible modules nothing is collected") {
  Runtime runtime;
  runtime.flags = {kPlain, kPlain};
  CHECK_FALSE(has_collectible_modules(runtime.opened));
  CHECK(settle_contexts(runtime.opened, runtime.collection, runtime.gate));
  CHECK(runtime.collections == 0);
  runtime.hides_modules = true;
  CHECK(has_collectible_modules(runtime.opened));
}

TEST_CASE("one collection is enough where nothing goes, two where something did") {
  Runtime runtime;
  runtime.flags = {kPlain, kCollectible};
  CHECK(settle_contexts(runtime.opened, runtime.collection, runtime.gate));
  CHECK(runtime.collections == 1);
  int dead = 1;
  platforms::Thread finalizer;
  struct Finalizer {
    Runtime* runtime;
    static void run(void* self) noexcept {
      platforms::sleep_ns(kUnloadQuietNs / 5);
      static_cast<Finalizer*>(self)->runtime->gate.pass(0);
    }
  } work{&runtime};
  runtime.at_collection = [&] {
    if (dead-- > 0)
      REQUIRE(finalizer.start("finalizer", std::size_t{256} << 10, &Finalizer::run, &work) == 0);
  };
  CHECK(settle_contexts(runtime.opened, runtime.collection, runtime.gate));
  finalizer.join();
  CHECK(runtime.collections == 3);
}

TEST_CASE("where none can be held, one that goes while none is loaded is traffic") {
  for (const bool new_runtime : {true, false}) {
    Runtime runtime;
    if (!new_runtime) runtime.newest = 12;
    REQUIRE(runtime.open_again());
    runtime.flags = {kPlain};
    platforms::Thread finalizer;
    const auto run = [](void* self) noexcept {
      platforms::sleep_ns(kUnloadQuietNs / 5);
      static_cast<Runtime*>(self)->gate.pass(0);
    };
    REQUIRE(finalizer.start("finalizer", std::size_t{256} << 10, run, &runtime) == 0);
    CHECK(settle_contexts(runtime.opened, runtime.collection, runtime.gate));
    finalizer.join();
    CHECK((runtime.collections == 0) == new_runtime);
  }
}

TEST_CASE("contexts that come and go all the time are not waited for beyond the patience") {
  for (const bool new_runtime : {true, false}) {
    Runtime runtime;
    if (!new_runtime) runtime.newest = 12;
    REQUIRE(runtime.open_again());
    runtime.flags = {kPlain, kCollectible};
    std::atomic<bool> over{false};
    struct Traffic {
      Runtime* runtime;
      std::atomic<bool>* over;
      static void run(void* self) noexcept {
        auto& traffic = *static_cast<Traffic*>(self);
        while (!*traffic.over) {
          traffic.runtime->gate.note_load();
          platforms::sleep_ns(kUnloadQuietNs / 10);
        }
      }
    } work{&runtime, &over};
    platforms::Thread thread;
    REQUIRE(thread.start("traffic", std::size_t{256} << 10, &Traffic::run, &work) == 0);
    const auto settled = settle_contexts(runtime.opened, runtime.collection, runtime.gate);
    over = true;
    thread.join();
    REQUIRE_FALSE(settled);
    CHECK(settled.error().code == ErrorCode::kTooMany);
    CHECK((runtime.collections == 0) == !new_runtime);
  }
}
