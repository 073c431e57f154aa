// What this process is and may use: identity, resident memory, limits of its cgroup (v1 and v2).
// Zone:   capture, worker, offline.
// Errors: unknown figures are kUnknownBytes; names are empty.
#pragma once

#include <cstddef>
#include <cstdint>

namespace holdfast::platforms {

inline constexpr std::uint64_t kUnknownBytes = UINT64_MAX;

std::uint32_t process_id() noexcept;  // also in a child
std::uint64_t resident_bytes() noexcept;
std::uint64_t process_uptime_ms() noexcept;  // since the process was started
std::uint64_t physical_memory_bytes() noexcept;
// Memory that can be taken without swapping: MemAvailable, or less where the cgroup's limit is nearer.
std::uint64_t available_memory_bytes() noexcept;
// How many threads of the whole machine want a CPU beside the caller, for each CPU that there is,
// in percent: the mean of a few looks, which take 4 ms. 0 where it is not known. Of a container's own
// CPUs nothing is known.
std::uint32_t cpu_demand_percent() noexcept;
// The smallest memory limit of our cgroups; kUnknownBytes where there is none.
std::uint64_t cgroup_limit_bytes() noexcept;
// NUL-terminated into `out`, cut to fit.
void host_name(char* out, std::size_t capacity) noexcept;
// The file's name of the executable that runs, without its directory; NUL-terminated into `out`, cut to fit.
void executable_name(char* out, std::size_t capacity) noexcept;
// A shell's pattern: * any text, ? one character, [a-z] one of these.
bool matches_pattern(const char* pattern, const char* name) noexcept;
// The first 12 digits of the container's id, or empty outside a container.
void container_id(char* out, std::size_t capacity) noexcept;
// When this process ends, its children end with it: it is process 1 of a container, or what process 1 of a container was started for.
bool ends_its_container() noexcept;
// Not one that has ended and was not reaped yet.
bool process_alive(std::uint32_t pid) noexcept;
// The value of an environment variable, or nullptr. Also in a child; not while another thread changes the environment.
const char* environment_value(const char* name) noexcept;
// The calling thread gets the signal of a bad instruction, as from a fault: a VM's handler of crashes takes it. Comes back where one is
// handled otherwise.
void crash_thread() noexcept;
// Ends the process at once, without exit handlers.
[[noreturn]] void end_process(int status) noexcept;

}  // namespace holdfast::platforms
