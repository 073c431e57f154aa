// What the fake runtime answers, by its table; most of it is answered by one of its parts.
#include "clrprofiler/fake_clr.h"

namespace holdfast::clr {

namespace {

enum class Rule : std::uint8_t { kAnyThread, kSynchronous };

}  // namespace

struct FakeClr::Calls {
  static ICorProfilerInfo& types_of(ICorProfilerInfo* self) noexcept { return of(self).types.info; }
  static ICorProfilerInfo& threads_of(ICorProfilerInfo* self) noexcept {
    return *of(self).threads.info();
  }

  // The same method of a part.
  template <auto Slot, auto Part, Rule Called = Rule::kAnyThread, class... Arguments>
  static HRESULT pass_on(ICorProfilerInfo* self, Arguments... arguments) noexcept {
    if (Called == Rule::kSynchronous && FakeEventPipe::synchronous_answer() != S_OK)
      return FakeEventPipe::synchronous_answer();
    ICorProfilerInfo& part = Part(self);
    return (part.table->*Slot)(&part, arguments...);
  }
  // The same, of a class that has more than a size.
  template <auto Slot, class... Arguments>
  static HRESULT ask_class(ICorProfilerInfo* self, ClassID id, Arguments... arguments) noexcept {
    if (!of(self).types.knows(id)) return E_INVALIDARG;
    ICorProfilerInfo& part = types_of(self);
    return (part.table->*Slot)(&part, id, arguments...);
  }

  static HRESULT query(ICorProfilerInfo* self, REFIID iid, void** out) noexcept {
    *out = nullptr;
    for (const InterfaceVersion& known : kICorProfilerInfoVersions)
      if (known.version <= of(self).newest && same(known.iid, *iid)) *out = self;
    return *out != nullptr ? S_OK : E_NOINTERFACE;
  }
  static ULONG count(ICorProfilerInfo*) noexcept { return 1; }
  static HRESULT set_mask(ICorProfilerInfo* self, DWORD low, DWORD high) noexcept {
    of(self).low_mask = low;
    of(self).high_mask = high;
    return of(self).answer("SetEventMask2");
  }

  // -- standstill --
  static HRESULT suspend(ICorProfilerInfo* self) noexcept {
    FakeClr& runtime = of(self);
    if (runtime.suspensions_refused > 0 && runtime.suspensions_refused-- > 0)
      return CORPROF_E_SUSPENSION_IN_PROGRESS;
    if (const HRESULT refused = runtime.answer("SuspendRuntime"); refused != S_OK) return refused;
    ++runtime.suspended;
    ++runtime.threads.suspended;
    ++runtime.suspensions;
    return S_OK;
  }
  static HRESULT resume(ICorProfilerInfo* self) noexcept {
    --of(self).suspended;
    --of(self).threads.suspended;
    return S_OK;
  }
  static HRESULT enumerate(ICorProfilerInfo* self, ObjectCallback visit, void* context) noexcept {
    FakeClr& runtime = of(self);
    if (runtime.suspended == 0) return CORPROF_E_SUSPENSION_IN_PROGRESS;
    for (const auto& object : runtime.objects_)
      if (visit(reinterpret_cast<ObjectID>(object.get()), context) == 0) break;
    runtime.heap.for_each([&](ObjectID object) { return visit(object, context) != 0; });
    return runtime.answer("EnumerateGCHeapObjects");
  }

  // -- objects and classes --
  static HRESULT class_of_object(ICorProfilerInfo* self, ObjectID object, ClassID* out) noexcept {
    *out = of(self).class_of(object);
    return of(self).answer("GetClassFromObject");
  }
  static HRESULT object_bytes(ICorProfilerInfo* self, ObjectID object, SIZE_T* out) noexcept {
    *out = of(self).size_of(object);
    return of(self).answer("GetObjectSize2");
  }
  // A class that only counts is its own token, in a module of their own.
  static HRESULT class_info(ICorProfilerInfo* self, ClassID id, ModuleID* module,
                            mdTypeDef* token) noexcept {
    FakeClr& runtime = of(self);
    const auto found = runtime.names_.find(id);
    if (found == runtime.names_.end())
      return ask_class<&ICorProfilerInfo::Table::GetClassIDInfo>(self, id, module, token);
    *module = kModuleOfCounted;
    *token = static_cast<mdTypeDef>(std::distance(runtime.names_.begin(), found));
    return S_OK;
  }
  static HRESULT metadata(ICorProfilerInfo* self, ModuleID module, DWORD flags, REFIID iid,
                          IUnknown** out) noexcept {
    if (of(self).during_names) of(self).during_names();
    if (module != kModuleOfCounted)
      return pass_on<&ICorProfilerInfo::Table::GetModuleMetaData, &types_of, Rule::kSynchronous>(
          self, module, flags, iid, out);
    if (!same(*iid, kIMetaDataImportVersions[0].iid)) return E_NOINTERFACE;
    *out = reinterpret_cast<IUnknown*>(&of(self).name_face_.import);
    return S_OK;
  }

  // -- collections --
  static HRESULT start_session(ICorProfilerInfo* self, UINT32,
                               COR_PRF_EVENTPIPE_PROVIDER_CONFIG* providers, BOOL,
                               EVENTPIPE_SESSION* session) noexcept {
    if (of(self).heap.size() == 0) return E_NOTIMPL;  // nothing to tell: a runtime without sessions
    return of(self).pipe.start(*providers, session);
  }
  static HRESULT stop_session(ICorProfilerInfo* self, EVENTPIPE_SESSION session) noexcept {
    return of(self).pipe.stop(session);
  }
  static HRESULT bounds(ICorProfilerInfo* self, ULONG room, ULONG* count,
                        COR_PRF_GC_GENERATION_RANGE* out) noexcept {
    constexpr std::uintptr_t kReserved = 1 << 20;
    const std::uint64_t bytes = of(self).generation_bytes;
    *count = 2;
    if (room < 2) return E_INVALIDARG;
    out[0] = {0, kReserved, bytes / 2, kReserved};
    out[1] = {2, 3 * kReserved, bytes - bytes / 2, kReserved};
    return of(self).answer("GetGenerationBounds");
  }
  static HRESULT force(ICorProfilerInfo* self) noexcept { return of(self).pipe.force_collection(); }
  static HRESULT provider_info(ICorProfilerInfo*, EVENTPIPE_PROVIDER provider, ULONG room,
                               ULONG* units, WCHAR* name) noexcept {
    return FakeEventPipe::provider_name(provider, room, units, name);
  }

  static HRESULT detach(ICorProfilerInfo* self, DWORD) noexcept {
    FakeClr& runtime = of(self);
    const HRESULT answered = runtime.answer("RequestProfilerDetach");
    runtime.detach_requested = true;  // last: whoever waits for it may take the runtime away
    return answered;
  }

  static void name_calls(ICorProfilerInfo::Table& table) noexcept;
};

void FakeClr::Calls::name_calls(ICorProfilerInfo::Table& table) noexcept {
  using Table = ICorProfilerInfo::Table;
  table.EnumModules = &pass_on<&Table::EnumModules, &types_of, Rule::kSynchronous>;
  table.GetAssemblyInfo = &pass_on<&Table::GetAssemblyInfo, &types_of, Rule::kSynchronous>;
  table.GetClassFromTokenAndTypeArgs =
      &pass_on<&Table::GetClassFromTokenAndTypeArgs, &types_of, Rule::kSynchronous>;
  table.GetModuleInfo = &pass_on<&Table::GetModuleInfo, &types_of>;
  table.GetModuleInfo2 = &pass_on<&Table::GetModuleInfo2, &types_of>;
  table.GetFunctionInfo2 = &pass_on<&Table::GetFunctionInfo2, &types_of>;
  table.IsFunctionDynamic = &pass_on<&Table::IsFunctionDynamic, &types_of>;
  table.GetDynamicFunctionInfo = &pass_on<&Table::GetDynamicFunctionInfo, &types_of>;
  table.GetAppDomainsContainingModule = &pass_on<&Table::GetAppDomainsContainingModule, &types_of>;
  table.IsArrayClass = &ask_class<&Table::IsArrayClass>;
  table.GetClassIDInfo2 = &ask_class<&Table::GetClassIDInfo2>;
  table.GetClassLayout = &ask_class<&Table::GetClassLayout>;
  table.GetBoxClassLayout = &ask_class<&Table::GetBoxClassLayout>;
  table.GetAppDomainStaticAddress = &ask_class<&Table::GetAppDomainStaticAddress>;
  table.EnumThreads = &pass_on<&Table::EnumThreads, &threads_of, Rule::kSynchronous>;
  table.GetThreadInfo = &pass_on<&Table::GetThreadInfo, &threads_of>;
  table.DoStackSnapshot = &pass_on<&Table::DoStackSnapshot, &threads_of>;
}

ICorProfilerInfo::Table FakeClr::make_table() noexcept {
  auto table = ICorProfilerInfo::Table::answering<E_NOTIMPL>();
  table.QueryInterface = &Calls::query;
  table.AddRef = table.Release = &Calls::count;
  table.SetEventMask2 = &Calls::set_mask;
  table.SuspendRuntime = &Calls::suspend;
  table.ResumeRuntime = &Calls::resume;
  table.EnumerateGCHeapObjects = &Calls::enumerate;
  table.GetClassFromObject = &Calls::class_of_object;
  table.GetObjectSize2 = &Calls::object_bytes;
  table.GetClassIDInfo = &Calls::class_info;
  table.GetModuleMetaData = &Calls::metadata;
  table.EventPipeStartSession = &Calls::start_session;
  table.EventPipeStopSession = &Calls::stop_session;
  table.EventPipeGetProviderInfo = &Calls::provider_info;
  table.ForceGC = &Calls::force;
  table.GetGenerationBounds = &Calls::bounds;
  table.RequestProfilerDetach = &Calls::detach;
  Calls::name_calls(table);
  return table;
}

}  // namespace holdfast::clr
