// HotSpot's own flags, read from the tables that it exports for its serviceability agent.
// Why: at load, before JNI exists, this is the one place that knows what -XX, JAVA_TOOL_OPTIONS, argument files and ergonomics
//      came to: the maximum heap, the collector, and whether the VM will end itself on an OutOfMemoryError.
// Shape:  gHotSpotVMStructs (type, field, static?, offset, address) -> JVMFlag::flags, numFlags, _name, _addr -> each flag.
//         At most kMaxFlags flags and kMaxTableRows rows are looked at; about 2,000 rows and 1,500 flags exist.
// Zone:   load, event.
// Errors: known == false on any VM whose tables are missing or look strange; nothing is guessed then.
// Source: HotSpot, runtime/vmStructs.hpp and runtime/flags/jvmFlag.hpp ("Flag" up to JDK 9).
#pragma once

#include <cstdint>

namespace holdfast::jvmti {

struct VmFlags {
  bool known = false;
  std::uint64_t max_heap_bytes = 0;  // MaxHeapSize
  const char* collector = "";  // "G1", "Parallel", "Serial", "ZGC", "Shenandoah", "Epsilon", "CMS"
  bool exit_on_oom = false;    // ExitOnOutOfMemoryError
  bool crash_on_oom = false;   // CrashOnOutOfMemoryError
};

// The address of an exported symbol of the VM, nullptr when there is none. A parameter, so that tests bring their own tables.
using VmSymbol = const void* (*)(const char* name) noexcept;

const void* libjvm_symbol(const char* name) noexcept;
VmFlags read_vm_flags(VmSymbol symbol) noexcept;

}  // namespace holdfast::jvmti
