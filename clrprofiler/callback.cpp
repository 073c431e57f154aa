#include "clrprofiler/callback.h"

#include <algorithm>
#include <string_view>

#include "analysis/pipeline.h"
#include "clrprofiler/accounts/allocation_session.h"
#include "clrprofiler/agent.h"
#include "clrprofiler/ages/age_session.h"
#include "clrprofiler/heap_session.h"
#include "clrprofiler/object_walk.h"
#include "common/agent_place.h"
#include "common/log.h"
#include "platforms/clock.h"
#include "platforms/process.h"

namespace holdfast::clr {

namespace {

// Longer than a running dump keeps an agent that leaves: what is cancelled ends within two seconds.
constexpr std::uint64_t kLeavingWaitNs = 10'000'000'000;
std::uint64_t leaving_wait_ns = kLeavingWaitNs;

constinit AgentPlace<Agent> place;

// -- load --

void end_process(int status) noexcept { platforms::end_process(status); }
HRESULT load(IUnknown* runtime, std::string_view options, bool attached) noexcept {
  constexpr AgentTools kTools{
      {&analysis::analyse_and_report, &analysis::tidy_reports}, &end_process, &begin_leaving};
  if (runtime == nullptr) return E_POINTER;
  const bool free = place.wait_free(platforms::monotonic_ns() + leaving_wait_ns);
  const AgentPlace<Agent>::Visit visit(place);
  if (!free) {
    log_line(LogLevel::kError, place.settled() != nullptr
                                   ? "the agent is loaded already; the second time is ignored"
                                   : "an earlier agent is still being detached; try again");
    return CORPROF_E_PROFILER_CANCEL_ACTIVATION;
  }
  const Agent* settled = place.settle(
      kTools, [&](Agent& agent) noexcept { return agent.load(*runtime, options, attached); });
  return settled != nullptr ? S_OK : CORPROF_E_PROFILER_CANCEL_ACTIVATION;
}

HRESULT HF_COM initialize(ICorProfilerCallback*, IUnknown* runtime) noexcept {
  const char* options = platforms::environment_value("HOLDFAST_OPTIONS");
  return load(runtime, options != nullptr ? options : "", false);
}

HRESULT HF_COM initialize_for_attach(ICorProfilerCallback*, IUnknown* runtime, void* data,
                                     UINT bytes) noexcept {
  std::string_view options;
  if (data != nullptr) options = {static_cast<const char*>(data), bytes};
  return load(runtime, options, true);
}

// -- events --

// Is our class among "path={CLSID};path={CLSID};"? In whatever case.
bool names_agent(std::string_view listed) noexcept {
  const auto upper = [](char c) noexcept { return c >= 'a' && c <= 'z' ? char(c - 'a' + 'A') : c; };
  const auto same_letter = [&](char a, char b) noexcept { return upper(a) == upper(b); };
  return std::search(listed.begin(), listed.end(), kAgentClassText.begin(), kAgentClassText.end(),
                     same_letter) != listed.end();
}

// The second profiler beside somebody's own: named in a variable of its own, it must say that it is one that only listens.
HRESULT HF_COM load_as_notification_only(ICorProfilerCallback*, BOOL* notification_only) noexcept {
  const char* listed = platforms::environment_value("CORECLR_NOTIFICATION_PROFILERS");
  *notification_only = listed != nullptr && names_agent(listed) ? 1 : 0;
  return S_OK;
}

template <class Tell>
HRESULT tell(Tell event) noexcept {
  const AgentPlace<Agent>::Visit visit(place);
  if (Agent* agent = place.settled()) event(*agent);
  return S_OK;
}

HRESULT HF_COM shutdown(ICorProfilerCallback*) noexcept {
  return tell([](Agent& agent) noexcept { agent.shutdown(); });
}

HRESULT HF_COM attach_complete(ICorProfilerCallback*) noexcept {
  return tell([](Agent& agent) noexcept { agent.attach_complete(); });
}

HRESULT HF_COM detach_succeeded(ICorProfilerCallback*) noexcept {
  Agent::detach_succeeded();
  return S_OK;
}

HRESULT HF_COM module_load_finished(ICorProfilerCallback*, ModuleID id, HRESULT) noexcept {
  return tell([=](Agent& agent) noexcept { agent.module_loaded(id); });
}

// At a standstill of the application, or while it allocates: nobody is visited, the sessions that run are the engine's own.
HRESULT HF_COM event_delivered(ICorProfilerCallback*, EVENTPIPE_PROVIDER provider, DWORD id,
                               DWORD version, ULONG, LPCBYTE, ULONG bytes, LPCBYTE data, LPCGUID,
                               LPCGUID, ThreadID, ULONG, UINT_PTR*) noexcept {
  HeapSession::deliver_stopped(provider, id, version, data, bytes);
  AllocationSession::deliver(provider, id, version, data, bytes);
  AgeSession::deliver(provider, id, version, data, bytes);
  return S_OK;
}

HRESULT HF_COM exception_thrown(ICorProfilerCallback*, ObjectID exception) noexcept {
  return tell([=](Agent& agent) noexcept { agent.exception_thrown(exception); });
}

// The first function that may have a handler: nothing has been unwound, and the thread does not keep collections away any more.
HRESULT HF_COM handler_searched(ICorProfilerCallback*, FunctionID) noexcept {
  if (!Agent::held_at_search()) return S_OK;
  return tell([](Agent& agent) noexcept { agent.handler_searched(); });
}

// Before anything of it is freed.
HRESULT HF_COM module_unload_started(ICorProfilerCallback*, ModuleID) noexcept {
  return tell([](Agent& agent) noexcept { agent.module_unloads(); });
}

HRESULT HF_COM collection_started(ICorProfilerCallback*, int generations, BOOL* collected,
                                  COR_PRF_GC_REASON reason) noexcept {
  ObjectWalk::begin_stopped(generations, collected, reason);
  return tell([=](Agent& agent) noexcept { agent.collection_started(generations, collected); });
}

HRESULT HF_COM collection_finished(ICorProfilerCallback*) noexcept {
  ObjectWalk::end_stopped();
  return tell([](Agent& agent) noexcept { agent.collection_finished(); });
}

// The begin: until the last thread stands, the others wait already.
HRESULT HF_COM runtime_stops(ICorProfilerCallback*, COR_PRF_SUSPEND_REASON reason) noexcept {
  if (reason != COR_PRF_SUSPEND_FOR_GC && reason != COR_PRF_SUSPEND_FOR_GC_PREP) return S_OK;
  ObjectWalk::note_stop(platforms::monotonic_ns());
  return tell([](Agent& agent) noexcept { agent.runtime_stands_still(); });
}

HRESULT HF_COM runtime_resumes(ICorProfilerCallback*) noexcept {
  return tell([](Agent& agent) noexcept { agent.runtime_resumes(); });
}

// Where heaps are told by calls. A refusal ends the walk of a collection that nobody asked for.
HRESULT HF_COM object_references(ICorProfilerCallback*, ObjectID object, ClassID type, ULONG count,
                                 ObjectID* references) noexcept {
  return ObjectWalk::object_stopped(object, type, count, references) ? S_OK : E_FAIL;
}

HRESULT HF_COM root_references(ICorProfilerCallback*, ULONG count, ObjectID* objects,
                               COR_PRF_GC_ROOT_KIND* kinds, COR_PRF_GC_ROOT_FLAGS* flags,
                               UINT_PTR* ids) noexcept {
  ObjectWalk::roots_stopped({count, objects, kinds, flags, ids});
  return S_OK;
}

HRESULT HF_COM dependent_references(ICorProfilerCallback*, ULONG count, ObjectID* keys,
                                    ObjectID* values, GCHandleID*) noexcept {
  ObjectWalk::dependents_stopped(count, keys, values);
  return S_OK;
}

// -- the object --

HRESULT HF_COM query_interface(ICorProfilerCallback* self, REFIID iid, void** out) noexcept {
  bool known = same(*iid, kIUnknownVersions[0].iid);
  for (const InterfaceVersion& version : kICorProfilerCallbackVersions)
    known = known || same(*iid, version.iid);
  *out = known ? self : nullptr;
  return known ? S_OK : E_NOINTERFACE;
}

ULONG HF_COM count(ICorProfilerCallback*) noexcept { return 1; }

constexpr ICorProfilerCallback::Table make_table() noexcept {
  auto table = ICorProfilerCallback::Table::answering<S_OK>();
  table.QueryInterface = &query_interface;
  table.AddRef = table.Release = &count;
  table.Initialize = &initialize;
  table.InitializeForAttach = &initialize_for_attach;
  table.ProfilerAttachComplete = &attach_complete;
  table.ProfilerDetachSucceeded = &detach_succeeded;
  table.LoadAsNotificationOnly = &load_as_notification_only;
  table.Shutdown = &shutdown;
  table.ModuleLoadFinished = &module_load_finished;
  table.ExceptionThrown = &exception_thrown;
  table.ExceptionSearchFunctionEnter = &handler_searched;
  table.ModuleUnloadStarted = &module_unload_started;
  table.EventPipeEventDelivered = &event_delivered;
  table.GarbageCollectionStarted = &collection_started;
  table.GarbageCollectionFinished = &collection_finished;
  table.RuntimeSuspendStarted = &runtime_stops;
  table.RuntimeResumeStarted = &runtime_resumes;
  table.ObjectReferences = &object_references;
  table.RootReferences2 = &root_references;
  table.ConditionalWeakTableElementReferences = &dependent_references;
  return table;
}

constexpr ICorProfilerCallback::Table kTable = make_table();
constinit ICorProfilerCallback object{&kTable};

}  // namespace

ICorProfilerCallback& callback_object() noexcept { return object; }

void annotate_thread(std::span<const char> block) noexcept {
  tell([=](Agent& agent) noexcept { agent.annotate(block); });
}

bool begin_leaving() noexcept { return place.begin_leaving(); }

void forget_agent_for_test() noexcept { place.forget_for_test(); }

void set_leaving_wait_for_test(std::uint64_t ns) noexcept {
  leaving_wait_ns = ns != 0 ? ns : kLeavingWaitNs;
}

}  // namespace holdfast::clr
