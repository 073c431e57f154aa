// The lines of /proc about other processes, read from text alone.
// Why apart from the files: the text is partly the other process' own choice (its name, its paths), so it is tested and fuzzed.
// Shape:  one line a call; views point into it.   Zone: offline.
// Errors: false, and `out` as it was, for a line that is not of this kind.
#pragma once

#include <cstdint>
#include <string_view>

#include "platforms/other_process.h"

namespace holdfast::platforms {

// A line of /proc/PID/status; lines that do not matter here change nothing.
void take_status_line(std::string_view line, OtherProcess& out) noexcept;
// The start time, from /proc/PID/stat: field 22, counted from behind the name, which may hold anything.
bool parse_start(std::string_view stat, std::uint64_t& ticks) noexcept;
// A line of /proc/PID/maps with a file.
bool parse_mapped_file(std::string_view line, MappedName& out) noexcept;
// "socket:[4711]"
bool parse_socket_link(std::string_view link, std::uint64_t& inode) noexcept;
// A line of /proc/net/unix.
bool parse_local_socket(std::string_view line, LocalSocketName& out) noexcept;
// "alice:x:1000:..." of /etc/passwd.
bool parse_user(std::string_view line, std::uint32_t user, std::string_view& name) noexcept;

}  // namespace holdfast::platforms
