// HotSpot's own flags, read from the tables that it exports for its serviceability agent.
// Why: at load, before JNI exists, this is the one place that knows what -XX, JAVA_TOOL_OPTIONS, argument files and ergonomics
//      came to: the maximum heap, the collector, and whether the VM will end itself on an OutOfMemoryError.
// Shape:  JVMFlag::flags, numFlags, _name, _addr (vm_tables.h) -> each flag. At most kMaxFlags are looked at; about 1,500 exist.
// Zone:   load, event.
// Errors: known == false on any VM whose tables are missing or look strange; nothing is guessed then.
// Source: HotSpot, runtime/vmStructs.hpp and runtime/flags/jvmFlag.hpp ("Flag" up to JDK 9).
#pragma once

#include <cstdint>
#include <string_view>

#include "jvmti/hotspot/vm_tables.h"

namespace holdfast::jvmti {

struct VmFlags {
  bool known = false;
  std::uint64_t max_heap_bytes = 0;  // MaxHeapSize
  const char* collector = "";  // "G1", "Parallel", "Serial", "ZGC", "Shenandoah", "Epsilon", "CMS"
  bool exit_on_oom = false;    // ExitOnOutOfMemoryError
  bool crash_on_oom = false;   // CrashOnOutOfMemoryError
};

VmFlags read_vm_flags(VmSymbol symbol) noexcept;

// Writes a flag that is a bool. False: there is no such flag. Shape: the VM's own variable, which its threads read without a lock.
bool write_vm_flag(VmSymbol symbol, std::string_view name, bool value) noexcept;

// Where the value of the flag `name` stands; nullptr when there is no such flag.
const std::byte* find_vm_flag(const VmTables& tables, std::string_view name) noexcept;

}  // namespace holdfast::jvmti
