// Has a HotSpot VM that started a moment ago come so far that agents can work in it?
// Why: it listens, and loads agents, before that; an agent then finds half a VM and stays off.
// Shape:  the head of the VM's counters file (/tmp/hsperfdata_USER/N, which it has mapped): the byte `accessible` becomes 1 when the VM enters
//         its live phase. A VM without that file is waited for until it is a few seconds old.
// Zone:   offline.   Errors: none; after the wait it is tried in any case.
// Source: HotSpot, runtime/perfMemory.hpp (PerfDataPrologue), version 2.0, as observed on JDK 8 to 28.
#pragma once

#include "cli/attach/patience.h"
#include "cli/attach/target.h"

namespace holdfast::cli {

enum class VmReadiness : unsigned char { kUnknown, kStarting, kReady };
// `head` is the beginning of the counters file.
VmReadiness readiness_from(std::string_view head);

// With the identity of the process' user.
void wait_until_ready(const Target& target, const TargetFiles& files, const Patience& patience);

}  // namespace holdfast::cli
