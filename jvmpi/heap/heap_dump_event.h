// What the event of a heap dump shows: its bytes and its call traces, as long as the event lasts.
// Shape:  views.   Zone: capture, GC off.   Errors: empty where the event makes no sense.
#pragma once

#include <cstddef>
#include <span>

#include "common/result.h"
#include "jvmpi/vm_requests.h"

namespace holdfast::jvmpi {

inline std::span<const std::byte> dump_bytes(const JVMPI_Event& event) noexcept {
  const char* const begin = event.u.heap_dump.begin;
  const char* const end = event.u.heap_dump.end;
  if (begin == nullptr || end < begin) return {};
  return {reinterpret_cast<const std::byte*>(begin), static_cast<std::size_t>(end - begin)};
}

inline std::span<const JVMPI_CallTrace> dump_traces(const JVMPI_Event& event) noexcept {
  const auto& dump = event.u.heap_dump;
  const bool told = dump.traces != nullptr && dump.num_traces > 0;
  return {dump.traces, static_cast<std::size_t>(told ? dump.num_traces : 0)};
}

inline Error nothing_told(Asked asked) noexcept {
  return make_error(ErrorCode::kRefused, static_cast<std::int64_t>(asked));
}

}  // namespace holdfast::jvmpi
