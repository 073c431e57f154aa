// What the log says when a dump ends: where its report is, or why there is none.
// Zone:   capture, worker.   Errors: none.
#pragma once

#include <cstdint>

#include "common/dump_record.h"
#include "common/error.h"

namespace holdfast {

void log_report(const char* path, std::uint64_t bytes, std::uint64_t pause_ns) noexcept;
// The basic report stays. `withdrawn`: a person wanted it so, which is no error.
void log_incomplete(std::uint32_t sequence, const char* why, bool withdrawn) noexcept;
// Captured, but neither analysed nor written.
void log_no_report(std::uint32_t sequence, const Error& error) noexcept;
// Not captured; the record's notes say more. A refused dump has its reason there and nothing else to say.
void log_not_captured(const DumpRecord& record, const Error& error) noexcept;

}  // namespace holdfast
