#include "clrprofiler/fake_monitored_heap.h"

#include <algorithm>
#include <cstdlib>
#include <thread>

#include "clrprofiler/callback.h"
#include "clrprofiler/heap/reference_map_stopped.h"

namespace holdfast::clr {

namespace {

constexpr int kGenerations = 4;  // three and large objects

FakeMonitoredHeap& of(ICorProfilerInfo* self) {
  return *static_cast<FakeMonitoredHeap*>(reinterpret_cast<FakeTypeSystem*>(self));
}

// The word before an object.
std::uint64_t bytes_of(ObjectID object) {
  return reinterpret_cast<const std::uint64_t*>(object)[-1];
}

// -- compiled methods: one of each class that has static fields --

struct MethodList {
  ICorProfilerFunctionEnum list{};
  FakeMonitoredHeap* runtime = nullptr;
  std::size_t next = 0;
};

ULONG HF_COM release_methods(ICorProfilerFunctionEnum* self) noexcept {
  delete reinterpret_cast<MethodList*>(self);
  return 0;
}
HRESULT HF_COM next_method(ICorProfilerFunctionEnum* self, ULONG wanted, COR_PRF_FUNCTION* out,
                           ULONG* got) noexcept {
  auto& list = *reinterpret_cast<MethodList*>(self);
  for (*got = 0; *got < wanted && list.next < list.runtime->statics.size(); ++*got)
    out[*got].functionId = ++list.next;
  return *got == wanted ? S_OK : S_FALSE;
}
constexpr ICorProfilerFunctionEnum::Table make_method_list() noexcept {
  auto table = ICorProfilerFunctionEnum::Table::answering<E_NOTIMPL>();
  table.Release = &release_methods;
  table.Next = &next_method;
  return table;
}
constinit const ICorProfilerFunctionEnum::Table kMethodList = make_method_list();

HRESULT HF_COM compiled_methods(ICorProfilerInfo* self, ICorProfilerFunctionEnum** out) noexcept {
  auto* list = new MethodList;
  list->list.table = &kMethodList;
  list->runtime = &of(self);
  *out = &list->list;
  return S_OK;
}
HRESULT HF_COM function_info(ICorProfilerInfo* self, FunctionID id, ClassID* owner,
                             ModuleID* module, mdToken* token) noexcept {
  *owner = of(self).statics[id - 1].owner;
  *module = of(self).class_at(*owner).module;
  *token = mdtMethodDef + 1;
  return S_OK;
}
HRESULT HF_COM domains(ICorProfilerInfo*, ModuleID, ULONG32, ULONG32* count,
                       AppDomainID* out) noexcept {
  *count = 1;
  *out = 1;
  return S_OK;
}
HRESULT HF_COM static_address(ICorProfilerInfo* self, ClassID owner, mdFieldDef field, AppDomainID,
                              void** out) noexcept {
  for (FakeMonitoredHeap::Static& known : of(self).statics)
    if (known.owner == owner && known.field == field) return *out = &known.slot, S_OK;
  return CORPROF_E_DATAINCOMPLETE;
}

}  // namespace

// What this runtime answers otherwise than its types do.
struct FakeMonitoredHeap::Calls {
  static HRESULT set_mask2(ICorProfilerInfo* self, DWORD low, DWORD) noexcept {
    return of(self).set_mask(low);
  }
  static HRESULT set_mask(ICorProfilerInfo* self, DWORD low) noexcept {
    return of(self).set_mask(low);
  }
  static HRESULT force(ICorProfilerInfo* self) noexcept {
    FakeMonitoredHeap& runtime = of(self);
    if (const auto found = runtime.failing.find("ForceGC"); found != runtime.failing.end())
      return found->second;
    if (runtime.before_forced) runtime.before_forced();
    if (runtime.ignored_forces-- <= 0) runtime.collect(2, true);
    if (runtime.after_forced) runtime.after_forced();
    return S_OK;
  }
  static HRESULT size(ICorProfilerInfo* self, ObjectID object, SIZE_T* out) noexcept {
    *out = bytes_of(object);
    const auto found = of(self).failing.find("GetObjectSize");
    return found != of(self).failing.end() ? found->second : S_OK;
  }
  static HRESULT size32(ICorProfilerInfo* self, ObjectID object, ULONG* out) noexcept {
    SIZE_T bytes = 0;
    const HRESULT answer = size(self, object, &bytes);
    *out = static_cast<ULONG>(bytes);
    return answer;
  }
};

FakeMonitoredHeap::FakeMonitoredHeap() {
  static const ICorProfilerInfo::Table kTable = [](ICorProfilerInfo::Table table) {
    table.SetEventMask = &Calls::set_mask;
    table.SetEventMask2 = &Calls::set_mask2;
    table.ForceGC = &Calls::force;
    table.GetObjectSize = &Calls::size32;
    table.GetObjectSize2 = &Calls::size;
    table.EnumJITedFunctions2 = &compiled_methods;
    table.GetFunctionInfo = &function_info;
    table.GetAppDomainsContainingModule = &domains;
    table.GetAppDomainStaticAddress = &static_address;
    return table;
  }(*info.table);
  info.table = &kTable;
}

FakeMonitoredHeap::~FakeMonitoredHeap() { forget_agent_for_test(); }

// -- objects --

ObjectID FakeMonitoredHeap::add(ClassID type, std::uint64_t bytes) {
  Object& object = objects.emplace_back();
  object.type = type;
  object.words.resize(1 + (bytes + 7) / 8);
  object.words[0] = bytes;
  object.words[1] = type;
  return reinterpret_cast<ObjectID>(&object.words[1]);
}

void FakeMonitoredHeap::refer(ObjectID from, std::size_t word, ObjectID to) {
  reinterpret_cast<std::uint64_t*>(from)[word] = to;
}

// -- the flag --

HRESULT FakeMonitoredHeap::set_mask(std::uint32_t low) {
  const std::lock_guard held(lock_);
  masks_.push_back(low);
  if (const auto found = failing.find("SetEventMask"); found != failing.end()) return found->second;
  const bool turned_on = (low & ~low_mask.load() & COR_PRF_MONITOR_GC) != 0;
  if (turned_on && concurrent) {
    if (!loading_ || !can_turn_concurrent_off) return CORPROF_E_CONCURRENT_GC_NOT_PROFILABLE;
    concurrent = false;
  }
  low_mask = low;
  return S_OK;
}

std::vector<std::uint32_t> FakeMonitoredHeap::masks() {
  const std::lock_guard held(lock_);
  return masks_;
}

// -- collections --

void FakeMonitoredHeap::collect(int generation, bool induced) {
  const std::lock_guard held(pause_);
  ++collections;
  if (generation == 2) std::erase_if(objects, [](const Object& object) { return object.dead; });
  if ((low_mask & COR_PRF_MONITOR_GC) == 0) return;
  if (!server) return tell(generation, induced);
  std::thread([=, this] { tell(generation, induced); }).join();
}

// In the order of the runtime.
void FakeMonitoredHeap::tell(int generation, bool induced) {
  ICorProfilerCallback& callback = callback_object();
  BOOL collected[kGenerations] = {};
  for (int i = 0; i <= generation; ++i) collected[i] = 1;
  collected[3] = generation == 2 ? 1 : 0;
  callback.GarbageCollectionStarted(kGenerations, collected,
                                    induced ? COR_PRF_GC_INDUCED : COR_PRF_GC_OTHER);
  ClassID type = 0;
  ULONG count = 0;
  callback.ObjectsAllocatedByClass(0, &type, &count);
  tell_roots();
  for (const Object& object : objects)
    if (!tell_object(object)) break;
  callback.GarbageCollectionFinished();
}

void FakeMonitoredHeap::tell_roots() {
  ICorProfilerCallback& callback = callback_object();
  for (Root& root : roots) {
    auto flags = static_cast<COR_PRF_GC_ROOT_FLAGS>(root.flags);
    UINT_PTR id = root.id;
    callback.RootReferences(1, &root.object);
    callback.RootReferences2(1, &root.object, &root.kind, &flags, &id);
  }
  for (Dependent& edge : dependents) {
    GCHandleID handle = 0;
    callback.ConditionalWeakTableElementReferences(1, &edge.key, &edge.value, &handle);
  }
}

bool FakeMonitoredHeap::tell_object(const Object& object) {
  const auto address = reinterpret_cast<ObjectID>(&object.words[1]);
  std::vector<ObjectID> references;
  ReferenceMap(object.type).for_each(object.words[0], [&](std::uint64_t offset) {
    const ObjectID target = object.words[1 + offset / 8];
    if (target != 0) references.push_back(target);
    return true;
  });
  ++objects_told;
  const HRESULT answer = callback_object().ObjectReferences(
      address, object.type, static_cast<ULONG>(references.size()), references.data());
  if (answer < 0) ++walks_refused;
  return answer >= 0;
}

// -- the loader --

HRESULT FakeMonitoredHeap::load(const std::string& options) {
  ::setenv("HOLDFAST_OPTIONS", options.c_str(), 1);
  loading_ = true;
  const HRESULT loaded = callback_object().Initialize(&unknown());
  loading_ = false;
  return loaded;
}

HRESULT FakeMonitoredHeap::attach(const std::string& options) {
  std::string data = options;
  loading_ = true;
  const HRESULT loaded = callback_object().InitializeForAttach(&unknown(), data.data(),
                                                               static_cast<UINT>(data.size()));
  loading_ = false;
  if (succeeded(loaded)) callback_object().ProfilerAttachComplete();
  return loaded;
}

void FakeMonitoredHeap::start_up() {
  for (const ModuleID module : {ModuleID{1}, ModuleID{2}, ModuleID{3}})
    if ((low_mask & COR_PRF_MONITOR_MODULE_LOADS) != 0)
      callback_object().ModuleLoadFinished(module, S_OK);
}

void FakeMonitoredHeap::shut_down() { callback_object().Shutdown(); }

}  // namespace holdfast::clr
