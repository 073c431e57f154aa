#include <doctest/doctest.h>

#include <string>

#include "clrprofiler/profiler_info.h"

using namespace holdfast;
using namespace holdfast::clr;

// What the vendor's headers say, by hand: the table must not be the only witness of itself.
TEST_CASE("slots of methods that the agent lives by") {
  constexpr auto kSlot = [](std::size_t offset) { return offset / sizeof(void*); };
  using Info = ICorProfilerInfo::Table;
  using Callback = ICorProfilerCallback::Table;
  using Metadata = IMetaDataImport::Table;
  CHECK(kSlot(offsetof(Info, GetClassFromObject)) == 3);
  CHECK(kSlot(offsetof(Info, ForceGC)) == 28);
  CHECK(kSlot(offsetof(Info, DoStackSnapshot)) == 36);
  CHECK(kSlot(offsetof(Info, GetAppDomainStaticAddress)) == 50);
  CHECK(kSlot(offsetof(Info, EnumThreads)) == 71);
  CHECK(kSlot(offsetof(Info, SetEventMask2)) == 82);
  CHECK(kSlot(offsetof(Info, SuspendRuntime)) == 97);
  CHECK(kSlot(offsetof(Info, EventPipeStartSession)) == 101);
  CHECK(kSlot(offsetof(Info, EnumerateGCHeapObjects)) == 114);
  CHECK(kSlot(offsetof(Callback, Initialize)) == 3);
  CHECK(kSlot(offsetof(Callback, Shutdown)) == 4);
  CHECK(kSlot(offsetof(Callback, ObjectReferences)) == 52);
  CHECK(kSlot(offsetof(Callback, RootReferences2)) == 77);
  CHECK(kSlot(offsetof(Callback, InitializeForAttach)) == 80);
  CHECK(kSlot(offsetof(Callback, EventPipeEventDelivered)) == 95);
  CHECK(kSlot(offsetof(Callback, LoadAsNotificationOnly)) == 97);
  CHECK(kSlot(offsetof(Metadata, GetTypeDefProps)) == 12);
  CHECK(kSlot(offsetof(Metadata, GetFieldProps)) == 57);
  CHECK(sizeof(Info) == 115 * sizeof(void*));
  CHECK(sizeof(Callback) == 98 * sizeof(void*));
}

namespace {

// A runtime whose newest interface is of a version, and which records how it was asked.
struct Runtime {
  ICorProfilerInfo info{&kTable};
  int newest = 15;
  int asked = 0;
  int references = 0;

  static HRESULT query(ICorProfilerInfo* self, REFIID iid, void** out) noexcept {
    auto& runtime = *reinterpret_cast<Runtime*>(self);
    ++runtime.asked;
    for (const InterfaceVersion& known : kICorProfilerInfoVersions) {
      if (known.version > runtime.newest || !same(known.iid, *iid)) continue;
      ++runtime.references;
      *out = self;
      return S_OK;
    }
    *out = nullptr;
    return E_NOINTERFACE;
  }
  static ULONG release(ICorProfilerInfo* self) noexcept {
    --reinterpret_cast<Runtime*>(self)->references;
    return 1;
  }
  static constexpr ICorProfilerInfo::Table make_table() noexcept {
    auto table = ICorProfilerInfo::Table::answering<E_NOTIMPL>();
    table.QueryInterface = &query;
    table.Release = &release;
    return table;
  }
  static const ICorProfilerInfo::Table kTable;
  IUnknown& unknown() noexcept { return *reinterpret_cast<IUnknown*>(this); }
};
constinit const ICorProfilerInfo::Table Runtime::kTable = Runtime::make_table();

}  // namespace

TEST_CASE("the newest interface that a runtime answers is taken, and never given back") {
  for (int newest = 2; newest <= 15; ++newest) {
    CAPTURE(newest);
    Runtime runtime;
    runtime.newest = newest;
    {
      ProfilerInfo info;
      REQUIRE(info.open(runtime.unknown()).ok());
      CHECK(info.version() == newest);
      CHECK(info.has(Needs::kEventPipe) == (newest >= 12));
      CHECK(info->ForceGC() == E_NOTIMPL);
      CHECK(runtime.asked == 16 - newest);
    }
    CHECK(runtime.references == 1);  // released after a detach it would be freed memory
  }
}

TEST_CASE("a runtime that knows nothing, and one of .NET 1") {
  for (const int newest : {0, 1}) {
    Runtime runtime;
    runtime.newest = newest;
    ProfilerInfo info;
    const Result<void> opened = info.open(runtime.unknown());
    CHECK(opened.error().code == ErrorCode::kVm);
    CHECK(opened.error().detail == 0x80004002);
    CHECK_FALSE(info);
  }
}
