// What the agent says: whole lines "holdfast: …" to stderr or to log=FILE, by level, and nothing by default but errors.
// Shape:  one process-wide log; lines up to kMaxLogLine bytes, cut beyond; control characters become '?'. open_log() is for
//         load; when it fails, the log stays as it was.
// Zone:   event, capture, worker. Never stopped.
// Errors: none; a log that cannot be written is silent.
#pragma once

#include <cstddef>

#include "common/options.h"
#include "common/result.h"

namespace holdfast {

inline constexpr std::size_t kMaxLogLine = 1024;

Result<void> open_log(LogLevel level, const char* file) noexcept;  // empty file: stderr
void set_log_level(LogLevel level) noexcept;                       // where it goes stays
// Back to errors on stderr. Only when no thread of ours is left that may write.
void close_log() noexcept;
bool log_enabled(LogLevel level) noexcept;
void log_line(LogLevel level, const char* format, ...) noexcept
    __attribute__((format(printf, 2, 3)));

}  // namespace holdfast
