// Starts the agent of a VM that cannot be asked yet.
// Why: since Java 6 a HotSpot calls what -Xrun names between its start and its life, and in between it gives nobody its tool interface.
// Shape:  a daemon thread of ours looks once a millisecond, until the VM lives, and then does what an attach does.
// Zone:   load (event).
// Errors: too_early(): true while the VM says so. start_late() says in the log when there is no thread for it, or no life within a minute.
#pragma once

#include <jni.h>

#include <string_view>

namespace holdfast::jvmti {

bool too_early(JavaVM& vm) noexcept;
// Once in a process. `start` runs on that thread, with the options as they were given here.
void start_late(JavaVM& vm, std::string_view options,
                void (*start)(JavaVM& vm, std::string_view options) noexcept) noexcept;

}  // namespace holdfast::jvmti
