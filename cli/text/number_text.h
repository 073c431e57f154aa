// Numbers as people read them: thousands separators, 1024-based units, durations, shares, times.
// Shape:  pure functions; the decimal point is always '.', whatever the locale.
// Zone:   offline.   Errors: none.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace holdfast::cli {

std::string thousands(std::uint64_t value);             // 4,812
std::string human_bytes(std::uint64_t bytes);           // 512 B, 61.3 MB; 1 KB = 1,024 bytes
std::string human_duration(std::uint64_t duration_ns);  // 24.3 ms, 1.2 s, 2 min 5 s
std::string percent(std::uint64_t part,
                    std::uint64_t whole);            // 72 %, 7.2 %, <0.1 %; "-" when whole is 0
std::string utc_for_people(std::uint64_t utc_ms);    // 2026-11-21 08:23:32 UTC
std::string utc_for_programs(std::uint64_t utc_ms);  // 2026-11-21T08:23:32.004Z
// "1 class", "4,812 classes"; `plural` only where adding an s would be wrong.
std::string counted(std::uint64_t count, std::string_view singular, std::string_view plural = {});

}  // namespace holdfast::cli
