// The words of the .NET runtime's diagnostics protocol, as far as they load a profiler: one request, one answer.
// Shape:  both begin with 20 bytes: "DOTNET_IPC_V1" and a zero, the size of the whole message in 2 bytes, its set and its command in one
//         each, 2 zeros; numbers are little-endian. AttachProfiler: milliseconds, 16 bytes of class id, the library's path (length
//         in UTF-16 units with its zero, then these), the options (length, bytes). Answer: an HRESULT, negative where it went wrong.
//         The runtime keeps the connection open after some answers, so the size tells where one ends.
// Zone:   offline.
// Errors: encode_attach: empty where the path is no UTF-8 or the message longer than its size field. parse_diagnostics_reply:
//         `understood` is false.
// Source: dotnet/diagnostics, documentation/design-docs/ipc-protocol.md; run on .NET 10.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "cli/attach/attach_outcome.h"

namespace holdfast::cli {

inline constexpr std::size_t kDiagnosticsHeaderBytes = 20;
inline constexpr std::size_t kMaxDiagnosticsMessage = 0xffff;

// What the runtime may wait for by itself: a background collection that runs.
std::string encode_attach(std::string_view library, std::string_view options,
                          std::uint32_t patience_ms);

// Has all of an answer come? Also where it is none.
bool is_whole_reply(std::string_view reply);

struct DiagnosticsReply {
  bool understood = false;
  std::int32_t result = 0;  // an HRESULT
};
DiagnosticsReply parse_diagnostics_reply(std::string_view reply);

// Not now, but in a moment: the runtime has not started far enough for profilers, or one is just leaving it.
bool ask_again(const DiagnosticsReply& reply);
// A profiler is there, which may be our own agent.
bool already_profiled(const DiagnosticsReply& reply);

// What a person is told about it.
AttachOutcome judge_reply(const DiagnosticsReply& reply);

}  // namespace holdfast::cli
