// Somebody else's profiler: has the main place of a CLR, hears modules, methods and collections, and counts them where a test can see it.
// Shape:  the file that SECOND_PROFILER_FILE names holds Heard, shared with whoever maps it; there at once, no end of the process needed.
// Zone:   event.   Errors: without the file it declines, and the process runs without it.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "clrprofiler/abi/corprof.h"

using namespace holdfast::clr;

namespace {

// {5EC0BD00-0000-4000-8000-00000000BE57}, second_profiler_test.py knows it.
constexpr GUID kClass{0x5EC0BD00, 0x0000, 0x4000, {0x80, 0x00, 0x00, 0x00, 0x00, 0x00, 0xBE, 0x57}};
constexpr std::size_t kMaskVersion = 5;  // of ICorProfilerInfo, which brought SetEventMask2

struct Heard {
  std::atomic<std::uint64_t> modules, methods, collections, shutdowns;
};
Heard* heard = nullptr;

bool same(const GUID& a, const GUID& b) noexcept { return std::memcmp(&a, &b, sizeof a) == 0; }

bool open_file() noexcept {
  const char* path = std::getenv("SECOND_PROFILER_FILE");
  const int file = path != nullptr ? ::open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;
  if (file < 0 || ::ftruncate(file, sizeof(Heard)) != 0) return false;
  void* const mapped = ::mmap(nullptr, sizeof(Heard), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  ::close(file);
  if (mapped == MAP_FAILED) return false;
  heard = static_cast<Heard*>(mapped);
  return true;
}

// -- what the runtime calls --

HRESULT HF_COM initialize(ICorProfilerCallback*, IUnknown* runtime) noexcept {
  void* info = nullptr;
  const GUID& iid = kICorProfilerInfoVersions[kMaskVersion - 1].iid;
  if (!open_file() || runtime->QueryInterface(&iid, &info) != S_OK)
    return CORPROF_E_PROFILER_CANCEL_ACTIVATION;
  return static_cast<ICorProfilerInfo*>(info)->SetEventMask2(
      COR_PRF_MONITOR_MODULE_LOADS | COR_PRF_MONITOR_JIT_COMPILATION, COR_PRF_HIGH_BASIC_GC);
}

HRESULT HF_COM module_loaded(ICorProfilerCallback*, ModuleID, HRESULT) noexcept {
  heard->modules.fetch_add(1);
  return S_OK;
}

HRESULT HF_COM method_compiled(ICorProfilerCallback*, FunctionID, HRESULT, BOOL) noexcept {
  heard->methods.fetch_add(1);
  return S_OK;
}

HRESULT HF_COM collected(ICorProfilerCallback*) noexcept {
  heard->collections.fetch_add(1);
  return S_OK;
}

HRESULT HF_COM shut_down(ICorProfilerCallback*) noexcept {
  heard->shutdowns.fetch_add(1);
  return S_OK;
}

HRESULT HF_COM query_callback(ICorProfilerCallback* self, REFIID iid, void** out) noexcept {
  bool known = same(*iid, kIUnknownVersions[0].iid);
  for (const InterfaceVersion& version : kICorProfilerCallbackVersions)
    known = known || same(*iid, version.iid);
  *out = known ? self : nullptr;
  return known ? S_OK : E_NOINTERFACE;
}

ULONG HF_COM count_callback(ICorProfilerCallback*) noexcept { return 1; }

constexpr ICorProfilerCallback::Table make_callback_table() noexcept {
  auto table = ICorProfilerCallback::Table::answering<S_OK>();
  table.QueryInterface = &query_callback;
  table.AddRef = table.Release = &count_callback;
  table.Initialize = &initialize;
  table.ModuleLoadFinished = &module_loaded;
  table.JITCompilationFinished = &method_compiled;
  table.GarbageCollectionFinished = &collected;
  table.Shutdown = &shut_down;
  return table;
}

constexpr ICorProfilerCallback::Table kCallbackTable = make_callback_table();
constinit ICorProfilerCallback callback{&kCallbackTable};

// -- the door --

HRESULT HF_COM query_factory(IClassFactory* self, REFIID, void** out) noexcept {
  *out = self;
  return S_OK;
}

ULONG HF_COM count_factory(IClassFactory*) noexcept { return 1; }

HRESULT HF_COM create_instance(IClassFactory*, IUnknown*, REFIID iid, void** out) noexcept {
  return callback.QueryInterface(iid, out);
}

constexpr IClassFactory::Table make_factory_table() noexcept {
  auto table = IClassFactory::Table::answering<S_OK>();
  table.QueryInterface = &query_factory;
  table.AddRef = table.Release = &count_factory;
  table.CreateInstance = &create_instance;
  return table;
}

constexpr IClassFactory::Table kFactoryTable = make_factory_table();
constinit IClassFactory factory{&kFactoryTable};

}  // namespace

extern "C" [[gnu::visibility("default")]] HRESULT HF_COM DllGetClassObject(REFCLSID class_id,
                                                                           REFIID iid,
                                                                           void** out) noexcept {
  *out = nullptr;
  if (!same(*class_id, kClass)) return CLASS_E_CLASSNOTAVAILABLE;
  return factory.QueryInterface(iid, out);
}
