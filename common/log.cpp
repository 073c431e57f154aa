#include "common/log.h"

#include <atomic>
#include <cstdarg>
#include <cstdio>

#include "platforms/file.h"
#include "platforms/raw_stderr.h"

namespace holdfast {

namespace {

std::atomic<LogLevel> threshold{LogLevel::kError};
std::atomic<int> log_descriptor{-1};  // -1: stderr

// A name from the heap must not make two lines of one, nor speak to a terminal.
void hide_control_characters(char* text, std::size_t length) noexcept {
  for (std::size_t i = 0; i < length; ++i)
    if (static_cast<unsigned char>(text[i]) < 0x20u || text[i] == 0x7F) text[i] = '?';
}

}  // namespace

Result<void> open_log(LogLevel level, const char* file) noexcept {
  int descriptor = -1;
  if (file[0] != '\0') {
    descriptor = platforms::append_file(file);
    if (descriptor < 0) return make_error(ErrorCode::kIo, -descriptor);
  }
  threshold.store(level, std::memory_order_relaxed);
  // An earlier log file stays open: another thread may be about to write to it. Pairs with log_line().
  log_descriptor.store(descriptor, std::memory_order_release);
  return {};
}

void set_log_level(LogLevel level) noexcept { threshold.store(level, std::memory_order_relaxed); }

void close_log() noexcept {
  const int descriptor = log_descriptor.exchange(-1, std::memory_order_acq_rel);
  if (descriptor >= 0) platforms::close_quietly(descriptor);
  threshold.store(LogLevel::kError, std::memory_order_relaxed);
}

bool log_enabled(LogLevel level) noexcept {
  return level != LogLevel::kOff && level <= threshold.load(std::memory_order_relaxed);
}

void log_line(LogLevel level, const char* format, ...) noexcept {
  if (!log_enabled(level)) return;
  char line[kMaxLogLine] = "holdfast: ";
  constexpr std::size_t kPrefix = 10;
  va_list arguments;
  va_start(arguments, format);
  const int wanted = std::vsnprintf(line + kPrefix, sizeof line - kPrefix - 1, format, arguments);
  va_end(arguments);
  if (wanted < 0) return;
  std::size_t length = kPrefix + static_cast<std::size_t>(wanted);
  if (length > sizeof line - 2) length = sizeof line - 2;
  hide_control_characters(line, length);
  const int descriptor = log_descriptor.load(std::memory_order_acquire);
  if (descriptor < 0) return platforms::write_stderr_line({line, length});
  line[length] = '\n';
  platforms::write_all(descriptor, line, length + 1);
}

}  // namespace holdfast
