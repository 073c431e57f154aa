// The door of a test's library that a CLR loads as a profiler: a factory whose one instance is `kObject`, whatever is asked for.
// Zone: load.   Errors: none.
#pragma once

#include "clrprofiler/abi/corprof.h"

namespace holdfast::clr {

template <ICorProfilerCallback& kObject>
struct OneObjectFactory {
  static HRESULT HF_COM query(IClassFactory* self, REFIID, void** out) noexcept {
    *out = self;
    return S_OK;
  }
  static ULONG HF_COM count(IClassFactory*) noexcept { return 1; }
  static HRESULT HF_COM create(IClassFactory*, IUnknown*, REFIID iid, void** out) noexcept {
    return kObject.QueryInterface(iid, out);
  }
  static constexpr IClassFactory::Table make_table() noexcept {
    auto table = IClassFactory::Table::answering<S_OK>();
    table.QueryInterface = &query;
    table.AddRef = table.Release = &count;
    table.CreateInstance = &create;
    return table;
  }
};

}  // namespace holdfast::clr
