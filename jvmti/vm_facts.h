// Who the VM is: name, version, vendor, main class, collector, hash of the command line. Read once, at load.
// Why at load: system properties are readable in every phase, and a dump later need not ask a VM that may be out of memory.
// Shape:  fixed texts, cut to kMaxFactText.   Zone: load (event).   Errors: none; what is unknown stays empty or 0.
#pragma once

#include <jvmti.h>

#include <string_view>

#include "common/vm_adapter.h"
#include "jvmti/hotspot/vm_flags.h"

namespace holdfast::jvmti {

VmFacts read_vm_facts(jvmtiEnv& env, const VmFlags& flags) noexcept;

// "shop.Main --port 80" -> "shop.Main", "/opt/app/shop.jar x" -> "shop.jar", "mod/shop.Main" -> "shop.Main".
std::string_view main_name_of(std::string_view java_command) noexcept;

}  // namespace holdfast::jvmti
