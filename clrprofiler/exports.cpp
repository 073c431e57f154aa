// The door that a CLR opens: a factory of one class, whose one instance is the callback.
#include "clrprofiler/callback.h"

namespace holdfast::clr {

namespace {

HRESULT HF_COM query_factory(IClassFactory* self, REFIID iid, void** out) noexcept {
  const bool known =
      same(*iid, kIUnknownVersions[0].iid) || same(*iid, kIClassFactoryVersions[0].iid);
  *out = known ? self : nullptr;
  return known ? S_OK : E_NOINTERFACE;
}

ULONG HF_COM count(IClassFactory*) noexcept { return 1; }

HRESULT HF_COM create_instance(IClassFactory*, IUnknown* outer, REFIID iid, void** out) noexcept {
  *out = nullptr;
  if (outer != nullptr) return CLASS_E_NOAGGREGATION;
  return callback_object().QueryInterface(iid, out);
}

constexpr IClassFactory::Table make_factory_table() noexcept {
  auto table = IClassFactory::Table::answering<S_OK>();
  table.QueryInterface = &query_factory;
  table.AddRef = table.Release = &count;
  table.CreateInstance = &create_instance;
  return table;
}

constexpr IClassFactory::Table kFactoryTable = make_factory_table();
constinit IClassFactory factory{&kFactoryTable};

}  // namespace

}  // namespace holdfast::clr

using namespace holdfast::clr;

extern "C" {

[[gnu::visibility("default")]] HRESULT HF_COM DllGetClassObject(REFCLSID class_id, REFIID iid,
                                                                void** out) noexcept {
  if (class_id == nullptr || iid == nullptr || out == nullptr) return E_POINTER;
  *out = nullptr;
  if (!same(*class_id, kAgentClass)) return CLASS_E_CLASSNOTAVAILABLE;
  return factory.QueryInterface(iid, out);
}

// Never: threads of ours and the callback live in here.
[[gnu::visibility("default")]] HRESULT HF_COM DllCanUnloadNow() noexcept { return S_FALSE; }

[[gnu::visibility("default")]] void holdfast_annotate(const char* block, int bytes) noexcept {
  if (block != nullptr && bytes >= 0) annotate_thread({block, static_cast<std::size_t>(bytes)});
}
}
