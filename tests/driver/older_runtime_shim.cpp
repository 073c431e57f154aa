// A profiler that hands the runtime on to libholdfast.so as an older one: its newest interfaces are refused, the others are the real ones.
// Why: runtimes before .NET 5 do not run on this system, and the way that is taken on them must be proven on a real heap.
// Environment of the process: HOLDFAST_LIB, the library; HF_NEWEST_INFO: a file with the newest ICorProfilerInfo that is there (15: .NET 9,
// 11: .NET Core 3.1, 8: .NET Framework), read each time that a profiler is loaded. What the runtime calls goes straight to the library, but for the two calls that bring the runtime.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "clrprofiler/abi/corprof.h"

using namespace holdfast::clr;

namespace {

constexpr int kNetCore31 = 11;

bool same(const GUID& a, const GUID& b) noexcept { return std::memcmp(&a, &b, sizeof a) == 0; }

// -- the runtime, made older --

IUnknown* runtime = nullptr;

int newest = kNetCore31;

void read_newest() noexcept {
  const char* path = std::getenv("HF_NEWEST_INFO");
  std::FILE* file = path != nullptr ? std::fopen(path, "r") : nullptr;
  if (file == nullptr) return;
  if (std::fscanf(file, "%d", &newest) != 1) newest = kNetCore31;
  std::fclose(file);
}

HRESULT HF_COM query_older(IUnknown*, REFIID iid, void** out) noexcept {
  *out = nullptr;
  for (const InterfaceVersion& known : kICorProfilerInfoVersions)
    if (same(known.iid, *iid) && known.version > newest) return E_NOINTERFACE;
  return runtime->QueryInterface(iid, out);
}

ULONG HF_COM count_older(IUnknown*) noexcept { return 1; }

constexpr IUnknown::Table make_older() noexcept {
  auto table = IUnknown::Table::answering<S_OK>();
  table.QueryInterface = &query_older;
  table.AddRef = table.Release = &count_older;
  return table;
}
constexpr IUnknown::Table kOlder = make_older();
constinit IUnknown older{&kOlder};

// -- the library's callback, with two calls of our own --

ICorProfilerCallback* agent = nullptr;
ICorProfilerCallback::Table table{};
ICorProfilerCallback callback{&table};

HRESULT HF_COM initialize(ICorProfilerCallback*, IUnknown* real) noexcept {
  runtime = real;
  return agent->Initialize(&older);
}

HRESULT HF_COM initialize_for_attach(ICorProfilerCallback*, IUnknown* real, void* data,
                                     UINT bytes) noexcept {
  runtime = real;
  return agent->InitializeForAttach(&older, data, bytes);
}

HRESULT HF_COM query_factory(IClassFactory* self, REFIID, void** out) noexcept {
  *out = self;
  return S_OK;
}
ULONG HF_COM count_factory(IClassFactory*) noexcept { return 1; }

HRESULT HF_COM create(IClassFactory*, IUnknown*, REFIID iid, void** out) noexcept {
  return callback.QueryInterface(iid, out);
}

constexpr IClassFactory::Table make_factory() noexcept {
  auto made = IClassFactory::Table::answering<S_OK>();
  made.QueryInterface = &query_factory;
  made.AddRef = made.Release = &count_factory;
  made.CreateInstance = &create;
  return made;
}
constexpr IClassFactory::Table kFactory = make_factory();
constinit IClassFactory factory{&kFactory};

using Door = HRESULT HF_COM(REFCLSID, REFIID, void**);

HRESULT open_library(REFCLSID class_id) noexcept {
  const char* path = std::getenv("HOLDFAST_LIB");
  void* library = path != nullptr ? dlopen(path, RTLD_NOW) : nullptr;
  auto* door =
      library != nullptr ? reinterpret_cast<Door*>(dlsym(library, "DllGetClassObject")) : nullptr;
  IClassFactory* agents = nullptr;
  if (door == nullptr ||
      door(class_id, &kIClassFactoryVersions[0].iid, reinterpret_cast<void**>(&agents)) != S_OK)
    return E_FAIL;
  const HRESULT made = agents->CreateInstance(nullptr, &kICorProfilerCallbackVersions[1].iid,
                                              reinterpret_cast<void**>(&agent));
  if (made != S_OK) return made;
  read_newest();
  table = *agent->table;
  table.Initialize = &initialize;
  table.InitializeForAttach = &initialize_for_attach;
  return S_OK;
}

}  // namespace

extern "C" {

[[gnu::visibility("default")]] HRESULT HF_COM DllGetClassObject(REFCLSID class_id, REFIID,
                                                                void** out) {
  *out = &factory;
  return open_library(class_id);
}

[[gnu::visibility("default")]] HRESULT HF_COM DllCanUnloadNow() { return S_FALSE; }
}
