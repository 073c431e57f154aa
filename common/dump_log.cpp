#include "common/dump_log.h"

#include <string_view>

#include "common/log.h"

namespace holdfast {

namespace {

void log_error(std::uint32_t sequence, const char* what, const Error& error) noexcept {
  const std::string_view why = error_text(error.code);
  // What a person gave up is no error: nobody wants to find it on the application's stderr.
  const LogLevel level = error.code == ErrorCode::kCancelled ? LogLevel::kInfo : LogLevel::kError;
  log_line(level, "dump %u%s: %.*s (detail %lld)", sequence, what, static_cast<int>(why.size()),
           why.data(), static_cast<long long>(error.detail));
}

}  // namespace

void log_report(const char* path, std::uint64_t bytes, std::uint64_t pause_ns) noexcept {
  log_line(LogLevel::kInfo, "report %s (%llu bytes, application stopped for %llu ms)", path,
           static_cast<unsigned long long>(bytes),
           static_cast<unsigned long long>(pause_ns / 1'000'000));
}

void log_incomplete(std::uint32_t sequence, const char* why, bool withdrawn) noexcept {
  log_line(withdrawn ? LogLevel::kInfo : LogLevel::kError,
           "dump %u: report written, not complete: %s", sequence, why);
}

void log_no_report(std::uint32_t sequence, const Error& error) noexcept {
  log_error(sequence, ": no report", error);
}

void log_not_captured(const DumpRecord& record, const Error& error) noexcept {
  const bool refused = error.code == ErrorCode::kRefused && !record.notes.all().empty();
  if (!refused) log_error(record.sequence, " failed", error);
  for (const Note& note : record.notes.all())
    log_line(LogLevel::kError, "dump %u%s: %s", record.sequence, refused ? " refused" : "",
             note.text);
}

}  // namespace holdfast
