// What the runtime calls: one object with the slots of ICorProfilerCallback11, which takes each event to the agent.
// Why one, static: the runtime may call it to the end of the process, whatever has become of the agent.
// Shape:  it answers for IUnknown and every version of ICorProfilerCallback; it is never counted nor freed. Events of which nothing is
//         made answer S_OK.
// Zone:   event.
// Errors: Initialize answers CORPROF_E_PROFILER_CANCEL_ACTIVATION where the agent stays off: the runtime then says nothing.
#pragma once

#include <span>

#include "clrprofiler/com.h"

namespace holdfast::clr {

ICorProfilerCallback& callback_object() noexcept;

// The calling thread says whose work it does; without an agent nothing happens.
void annotate_thread(std::span<const char> block) noexcept;

// Begins to take the agent out of the runtime; false: there is none, or it leaves already.
bool begin_leaving() noexcept;
void forget_agent_for_test() noexcept;
// How long the next load waits for an agent that leaves; 0: as ever.
void set_leaving_wait_for_test(std::uint64_t ns) noexcept;

}  // namespace holdfast::clr

// The library's entry points (exports.cpp).
extern "C" {
holdfast::clr::HRESULT HF_COM DllGetClassObject(holdfast::clr::REFCLSID class_id,
                                                holdfast::clr::REFIID iid, void** out) noexcept;
holdfast::clr::HRESULT HF_COM DllCanUnloadNow() noexcept;
// Four texts, each ended by a zero byte: user, application, request, session (api/Annotations.cs).
void holdfast_annotate(const char* block, int bytes) noexcept;
}
