#include "clrprofiler/roots/fake_process.h"

#include <algorithm>
#include <memory>

namespace holdfast::clr {
namespace {

constexpr mdTypeDef kFirstType = 0x02000002;
constexpr mdFieldDef kFirstField = 0x04000001;

// What the runtime hands out, each with its table first.
template <class Interface>
struct Handed {
  Interface face;
  FakeProcess& runtime;
  const FakeStaticModule* module = nullptr;
  std::size_t next = 0;

  static Handed& of(Interface* self) noexcept { return *reinterpret_cast<Handed*>(self); }
  static ULONG release(Interface* self) noexcept {
    --of(self).runtime.references;
    delete &of(self);
    return 0;
  }
};

template <class Interface>
Interface* hand_out(FakeProcess& runtime, const typename Interface::Table& table,
                    const FakeStaticModule* module = nullptr) {
  ++runtime.references;
  auto* handed = new Handed<Interface>{{&table}, runtime, module};
  return &handed->face;
}

}  // namespace

struct FakeProcess::Face {
  ICorProfilerInfo info;
  FakeProcess& runtime;
};

struct FakeProcess::Tables {
  static FakeProcess& of(ICorProfilerInfo* self) noexcept {
    return reinterpret_cast<Face*>(self)->runtime;
  }

  // -- lists --
  static HRESULT count_modules(ICorProfilerModuleEnum* self, ULONG* count) noexcept {
    *count = static_cast<ULONG>(Handed<ICorProfilerModuleEnum>::of(self).runtime.modules.size());
    return S_OK;
  }
  static HRESULT next_modules(ICorProfilerModuleEnum* self, ULONG most, ModuleID* ids,
                              ULONG* fetched) noexcept {
    auto& handed = Handed<ICorProfilerModuleEnum>::of(self);
    for (*fetched = 0; *fetched < most && handed.next < handed.runtime.modules.size(); ++*fetched)
      ids[*fetched] = handed.runtime.modules[handed.next++].id;
    return *fetched == most ? S_OK : S_FALSE;
  }
  static HRESULT count_threads(ICorProfilerThreadEnum* self, ULONG* count) noexcept {
    *count = static_cast<ULONG>(Handed<ICorProfilerThreadEnum>::of(self).runtime.threads.size());
    return S_OK;
  }
  static HRESULT next_threads(ICorProfilerThreadEnum* self, ULONG most, ThreadID* ids,
                              ULONG* fetched) noexcept {
    auto& handed = Handed<ICorProfilerThreadEnum>::of(self);
    for (*fetched = 0; *fetched < most && handed.next < handed.runtime.threads.size(); ++*fetched)
      ids[*fetched] = handed.runtime.threads[handed.next++].id;
    return *fetched == most ? S_OK : S_FALSE;
  }
  static HRESULT next_functions(ICorProfilerFunctionEnum* self, ULONG most, COR_PRF_FUNCTION* out,
                                ULONG* fetched) noexcept {
    auto& handed = Handed<ICorProfilerFunctionEnum>::of(self);
    for (*fetched = 0; *fetched < most && handed.next < handed.runtime.compiled.size(); ++*fetched)
      out[*fetched] = {++handed.next, 0};
    return *fetched == most ? S_OK : S_FALSE;
  }

  // -- metadata --
  static const FakeStaticModule& module_of(IMetaDataImport* self) noexcept {
    return *Handed<IMetaDataImport>::of(self).module;
  }
  static HRESULT enum_fields(IMetaDataImport* self, HCORENUM* at, mdTypeDef type,
                             mdFieldDef* fields, ULONG most, ULONG* fetched) noexcept {
    mdFieldDef number = kFirstField;
    const FakeStaticModule& module = module_of(self);
    for (std::size_t t = 0; t < type - kFirstType; ++t)
      number += static_cast<mdFieldDef>(module.types[t].fields.size());
    const std::size_t all = module.types[type - kFirstType].fields.size();
    auto next = reinterpret_cast<std::uintptr_t>(*at);
    for (*fetched = 0; *fetched < most && next < all; ++*fetched)
      fields[*fetched] = number + static_cast<mdFieldDef>(next++);
    *at = reinterpret_cast<HCORENUM>(next);
    return *fetched != 0 ? S_OK : S_FALSE;
  }
  static HRESULT enum_generic_parameters(IMetaDataImport* self, HCORENUM*, mdToken type,
                                         mdGenericParam*, ULONG most, ULONG* fetched) noexcept {
    *fetched = std::min<ULONG>(most, module_of(self).types[type - kFirstType].generic_parameters);
    return *fetched != 0 ? S_OK : S_FALSE;
  }
  static void close_enum(IMetaDataImport*, HCORENUM) noexcept {}

  static const FakeStaticField* field_of(const FakeStaticModule& module, mdFieldDef field,
                                         mdTypeDef& type) {
    std::size_t index = field - kFirstField;
    for (std::size_t t = 0; t < module.types.size(); ++t) {
      type = static_cast<mdTypeDef>(kFirstType + t);
      if (index < module.types[t].fields.size()) return &module.types[t].fields[index];
      index -= module.types[t].fields.size();
    }
    return nullptr;
  }
  static HRESULT field_props(IMetaDataImport* self, mdFieldDef field, mdTypeDef* type, LPWSTR name,
                             ULONG room, ULONG* units, DWORD* attributes,
                             PCCOR_SIGNATURE* signature, ULONG* bytes, DWORD*, UVCP_CONSTANT*,
                             ULONG*) noexcept {
    const FakeStaticField* found = field_of(module_of(self), field, *type);
    if (found == nullptr) return CLDB_E_INDEX_NOTFOUND;
    *units = static_cast<ULONG>(found->name.size() + 1);
    const std::size_t kept = std::min<std::size_t>(found->name.size(), room - 1);
    std::copy_n(found->name.data(), kept, name);
    name[kept] = 0;
    *attributes = found->attributes;
    *signature = found->signature.data();
    *bytes = static_cast<ULONG>(found->signature.size());
    return S_OK;
  }

  // -- the runtime --
  static HRESULT enum_modules(ICorProfilerInfo* self, ICorProfilerModuleEnum** out) noexcept {
    *out = hand_out<ICorProfilerModuleEnum>(of(self), kModules);
    return S_OK;
  }
  static HRESULT enum_threads(ICorProfilerInfo* self, ICorProfilerThreadEnum** out) noexcept {
    if (of(self).suspended != 0) return E_FAIL;  // the real one hangs
    *out = hand_out<ICorProfilerThreadEnum>(of(self), kThreads);
    return S_OK;
  }
  static HRESULT enum_functions(ICorProfilerInfo* self, ICorProfilerFunctionEnum** out) noexcept {
    *out = hand_out<ICorProfilerFunctionEnum>(of(self), kFunctions);
    return S_OK;
  }
  static const FakeStaticModule* module(ICorProfilerInfo* self, ModuleID id) noexcept {
    for (const FakeStaticModule& each : of(self).modules)
      if (each.id == id) return &each;
    return nullptr;
  }
  static HRESULT module_info(ICorProfilerInfo* self, ModuleID id, LPCBYTE*, ULONG, ULONG*, WCHAR*,
                             AssemblyID*, DWORD* flags) noexcept {
    *flags = module(self, id)->flags;
    return S_OK;
  }
  static HRESULT module_metadata(ICorProfilerInfo* self, ModuleID id, DWORD, REFIID,
                                 IUnknown** out) noexcept {
    const FakeStaticModule* found = module(self, id);
    if (!found->has_metadata) return S_FALSE;
    *out = reinterpret_cast<IUnknown*>(hand_out<IMetaDataImport>(of(self), kMetadata, found));
    return S_OK;
  }
  static HRESULT domains(ICorProfilerInfo*, ModuleID, ULONG32, ULONG32* count,
                         AppDomainID* ids) noexcept {
    *count = 1;
    ids[0] = 77;
    return S_OK;
  }
  static const FakeStaticType* type_of(ICorProfilerInfo* self, ClassID id, ModuleID& module_id,
                                       mdTypeDef& token) noexcept {
    for (const FakeStaticModule& each : of(self).modules)
      for (std::size_t t = 0; t < each.types.size(); ++t) {
        if (each.types[t].class_id != id) continue;
        module_id = each.id;
        token = static_cast<mdTypeDef>(kFirstType + t);
        return &each.types[t];
      }
    return nullptr;
  }
  static HRESULT class_info(ICorProfilerInfo* self, ClassID id, ModuleID* module_id,
                            mdTypeDef* token, ClassID* base, ULONG32, ULONG32* arguments,
                            ClassID*) noexcept {
    const FakeStaticType* found = type_of(self, id, *module_id, *token);
    if (found == nullptr) return CORPROF_E_CLASSID_IS_ARRAY;
    *base = found->base;
    *arguments = found->generic_parameters;
    return S_OK;
  }
  static HRESULT function_info(ICorProfilerInfo* self, FunctionID function, ClassID* id, ModuleID*,
                               mdToken*) noexcept {
    *id = of(self).compiled[function - 1];
    return S_OK;
  }
  static HRESULT static_address(ICorProfilerInfo* self, ClassID id, mdFieldDef field,
                                AppDomainID domain, void** address) noexcept {
    ModuleID module_id = 0;
    mdTypeDef token = 0;
    mdTypeDef owner = 0;
    if (type_of(self, id, module_id, token) == nullptr || domain != 77) return E_INVALIDARG;
    const FakeStaticField* found = field_of(*module(self, module_id), field, owner);
    if (found == nullptr || owner != token) return E_INVALIDARG;
    if (found->address == 0) return CORPROF_E_DATAINCOMPLETE;
    *address = reinterpret_cast<void*>(found->address);
    return S_OK;
  }
  static HRESULT class_from_token(ICorProfilerInfo* self, ModuleID, mdTypeDef, ClassID*) noexcept {
    ++of(self).loads;
    return E_FAIL;
  }
  static HRESULT thread_info(ICorProfilerInfo* self, ThreadID id, DWORD* os_id) noexcept {
    for (const FakeManagedThread& each : of(self).threads)
      if (each.id == id) *os_id = each.os_id;
    return S_OK;
  }
  static HRESULT suspend(ICorProfilerInfo* self) noexcept {
    if (of(self).suspensions_refused > 0) {
      --of(self).suspensions_refused;
      return CORPROF_E_SUSPENSION_IN_PROGRESS;
    }
    if (of(self).suspend_answer != S_OK) return of(self).suspend_answer;
    ++of(self).suspended;
    ++of(self).suspensions;
    return S_OK;
  }
  static HRESULT resume(ICorProfilerInfo* self) noexcept {
    --of(self).suspended;
    return S_OK;
  }
  static HRESULT walk(ICorProfilerInfo* self, ThreadID id, StackSnapshotCallback* callback, ULONG32,
                      void* context, BYTE*, ULONG32) noexcept {
    if (of(self).suspended != 1) ++of(self).walks_while_running;
    for (const FakeManagedThread& each : of(self).threads) {
      if (each.id != id) continue;
      for (const FunctionID function : each.stack)
        if (callback(function, 0, 0, 0, nullptr, context) != S_OK)
          return CORPROF_E_STACKSNAPSHOT_ABORTED;
      return each.stack.empty() ? E_FAIL : S_OK;
    }
    return CORPROF_E_STACKSNAPSHOT_INVALID_TGT_THREAD;
  }
  static HRESULT query(ICorProfilerInfo* self, REFIID, void** out) noexcept {
    ++of(self).references;
    *out = self;
    return S_OK;
  }
  static ULONG release_info(ICorProfilerInfo* self) noexcept {
    --of(self).references;
    return 1;
  }

  static constexpr ICorProfilerInfo::Table make_info() noexcept {
    auto table = ICorProfilerInfo::Table::answering<E_NOTIMPL>();
    table.QueryInterface = &query;
    table.Release = &release_info;
    table.EnumModules = &enum_modules;
    table.EnumThreads = &enum_threads;
    table.EnumJITedFunctions2 = &enum_functions;
    table.GetModuleInfo2 = &module_info;
    table.GetModuleMetaData = &module_metadata;
    table.GetAppDomainsContainingModule = &domains;
    table.GetClassIDInfo2 = &class_info;
    table.GetFunctionInfo = &function_info;
    table.GetAppDomainStaticAddress = &static_address;
    table.GetClassFromToken = &class_from_token;
    table.GetThreadInfo = &thread_info;
    table.SuspendRuntime = &suspend;
    table.ResumeRuntime = &resume;
    table.DoStackSnapshot = &walk;
    return table;
  }
  template <class Interface>
  static constexpr typename Interface::Table make_list() noexcept {
    auto table = Interface::Table::template answering<E_NOTIMPL>();
    table.Release = &Handed<Interface>::release;
    return table;
  }
  static constexpr ICorProfilerModuleEnum::Table make_modules() noexcept {
    auto table = make_list<ICorProfilerModuleEnum>();
    table.GetCount = &count_modules;
    table.Next = &next_modules;
    return table;
  }
  static constexpr ICorProfilerThreadEnum::Table make_threads() noexcept {
    auto table = make_list<ICorProfilerThreadEnum>();
    table.GetCount = &count_threads;
    table.Next = &next_threads;
    return table;
  }
  static constexpr ICorProfilerFunctionEnum::Table make_functions() noexcept {
    auto table = make_list<ICorProfilerFunctionEnum>();
    table.Next = &next_functions;
    return table;
  }
  static constexpr IMetaDataImport::Table make_metadata() noexcept {
    auto table = make_list<IMetaDataImport>();
    table.CloseEnum = &close_enum;
    table.EnumFields = &enum_fields;
    table.EnumGenericParams = &enum_generic_parameters;
    table.GetFieldProps = &field_props;
    return table;
  }

  static const ICorProfilerInfo::Table kInfo;
  static const ICorProfilerModuleEnum::Table kModules;
  static const ICorProfilerThreadEnum::Table kThreads;
  static const ICorProfilerFunctionEnum::Table kFunctions;
  static const IMetaDataImport::Table kMetadata;
};

constinit const ICorProfilerInfo::Table FakeProcess::Tables::kInfo = make_info();
constinit const ICorProfilerModuleEnum::Table FakeProcess::Tables::kModules = make_modules();
constinit const ICorProfilerThreadEnum::Table FakeProcess::Tables::kThreads = make_threads();
constinit const ICorProfilerFunctionEnum::Table FakeProcess::Tables::kFunctions = make_functions();
constinit const IMetaDataImport::Table FakeProcess::Tables::kMetadata = make_metadata();

FakeProcess::FakeProcess() : face_(new Face{{&Tables::kInfo}, *this}) {
  if (!info_.open(*reinterpret_cast<IUnknown*>(face_)).ok()) std::abort();
}

FakeProcess::~FakeProcess() {
  info_ = ProfilerInfo{};
  delete face_;
}

}  // namespace holdfast::clr
