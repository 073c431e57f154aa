#include "cli/attach/diagnostics_protocol.h"

#include <array>
#include <cstdio>
#include <filesystem>

namespace holdfast::cli {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kMagic = "DOTNET_IPC_V1\0"sv;
constexpr std::size_t kSizeAt = 14, kSetAt = 16, kCommandAt = 17;
constexpr char kProfilerSet = 3, kAttachCommand = 1;
constexpr char kServerSet = '\xff', kSuccess = 0, kFailure = '\xff';

// {D5B1C4E6-5B0E-4E0B-9C4C-7E1F0A6B7A11}: a 4-byte number, two 2-byte numbers, 8 bytes.
constexpr std::string_view kClassId =
    "\xe6\xc4\xb1\xd5\x0e\x5b\x0b\x4e\x9c\x4c\x7e\x1f\x0a\x6b\x7a\x11"sv;

enum Hresult : std::uint32_t {
  kOutOfMemory = 0x8007000E,
  kAccessDenied = 0x80070005,
  kModuleNotFound = 0x8007007E,
  kProcedureNotFound = 0x8007007F,
  kClassNotAvailable = 0x80040111,
  kNoInterface = 0x80004002,
  kNotYetAvailable = 0x8013135B,
  kProfilerDetaching = 0x80131367,
  kNotAttachable = 0x80131368,
  kAlreadyActive = 0x8013136A,
  kCallback3Required = 0x8013136E,
  kRuntimeUninitialized = 0x80131371,
  kProfilerNotYetInitialized = 0x80131373,
  kCancelActivation = 0x80131375,
  kWaitedForCollection = 0x80131379,
  kBadEncoding = 0x80131384,
  kUnknownCommand = 0x80131385,
  kUnknownMagic = 0x80131386,
  kUnknownError = 0x80131387,
};

void put(std::string& to, std::uint64_t value, unsigned bytes) {
  for (unsigned i = 0; i < bytes; ++i) to += static_cast<char>(value >> (8 * i) & 0xff);
}

// Whoever calls has seen that these bytes are there.
std::uint32_t number_at(std::string_view bytes, std::size_t at, unsigned count) {
  std::uint32_t value = 0;
  for (unsigned i = 0; i < count; ++i)
    value |= std::uint32_t{static_cast<unsigned char>(bytes[at + i])} << (8 * i);
  return value;
}

// Empty where it is no UTF-8.
std::u16string as_utf16(std::string_view path) {
  try {
    const std::u8string text(path.begin(), path.end());
    return std::filesystem::path(text).u16string();
  } catch (const std::exception&) {
    return {};
  }
}

std::string framed(char set, char command, const std::string& payload) {
  const std::size_t bytes = kDiagnosticsHeaderBytes + payload.size();
  if (bytes > kMaxDiagnosticsMessage) return {};
  std::string message(kMagic);
  put(message, bytes, 2);
  message += set;
  message += command;
  put(message, 0, 2);
  return message + payload;
}

std::size_t promised_bytes(std::string_view reply) { return number_at(reply, kSizeAt, 2); }

bool has_header(std::string_view reply) {
  return reply.size() >= kDiagnosticsHeaderBytes && reply.starts_with(kMagic) &&
         promised_bytes(reply) >= kDiagnosticsHeaderBytes;
}

std::string hexadecimal(std::uint32_t code) {
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "0x%08X", code);
  return text.data();
}

std::string reason_of(std::uint32_t code) {
  switch (code) {
    case kModuleNotFound:
      return "the runtime could not load the library; the standard error of the process, or ldd on"
             " the library there, may tell why";
    case kProcedureNotFound:
    case kClassNotAvailable:
    case kNoInterface:
    case kNotAttachable:
    case kCallback3Required:
      return "the library cannot be loaded into .NET; is it a libholdfast.so of an older version, "
             "or"
             " another library?";
    case kAlreadyActive:
      return "a CLR profiler is there already, and the runtime takes only one";
    case kNotYetAvailable:
    case kRuntimeUninitialized:
    case kProfilerNotYetInitialized:
      return "the runtime has not started far enough yet; try again";
    case kProfilerDetaching:
      return "a profiler is just leaving it; try again";
    case kWaitedForCollection:
      return "the runtime waited in vain for a background collection to end; try again";
    case kCancelActivation:
      return "the agent was loaded, but stays off; why is on the standard error of the process";
    case kOutOfMemory:
      return "the process has no memory left for the library";
    case kAccessDenied:
      return "the runtime may not open the library";
    case kBadEncoding:
    case kUnknownMagic:
    case kUnknownError:
      return "the runtime did not understand the request: it speaks another diagnostics protocol";
    case kUnknownCommand:
      return "what runs there loads no profilers: a program compiled ahead of time (native AOT), or"
             " a runtime older than .NET Core 3.0";
    default:
      return "the runtime or the agent refused; the standard error of the process may tell why";
  }
}

}  // namespace

std::string encode_attach(std::string_view library, std::string_view options,
                          std::uint32_t patience_ms) {
  const std::u16string path = as_utf16(library);
  if (path.empty()) return {};
  std::string payload;
  put(payload, patience_ms, 4);
  payload += kClassId;
  put(payload, path.size() + 1, 4);
  for (const char16_t unit : path) put(payload, unit, 2);
  put(payload, 0, 2);
  put(payload, options.size(), 4);
  payload += options;
  return framed(kProfilerSet, kAttachCommand, payload);
}

bool is_whole_reply(std::string_view reply) {
  if (reply.size() < kDiagnosticsHeaderBytes)
    return reply.substr(0, kMagic.size()) != kMagic.substr(0, reply.size());
  return !has_header(reply) || reply.size() >= promised_bytes(reply);
}

DiagnosticsReply parse_diagnostics_reply(std::string_view reply) {
  constexpr unsigned kResultBytes = 4;
  const bool whole = has_header(reply) && reply.size() >= promised_bytes(reply) &&
                     promised_bytes(reply) >= kDiagnosticsHeaderBytes + kResultBytes;
  if (!whole || reply[kSetAt] != kServerSet) return {};
  const auto result =
      static_cast<std::int32_t>(number_at(reply, kDiagnosticsHeaderBytes, kResultBytes));
  // An answer that contradicts itself is none.
  const bool success = reply[kCommandAt] == kSuccess && result >= 0;
  const bool failure = reply[kCommandAt] == kFailure && result < 0;
  return success || failure ? DiagnosticsReply{true, result} : DiagnosticsReply{};
}

bool ask_again(const DiagnosticsReply& reply) {
  const auto code = static_cast<std::uint32_t>(reply.result);
  return reply.understood && (code == kNotYetAvailable || code == kRuntimeUninitialized ||
                              code == kProfilerNotYetInitialized || code == kProfilerDetaching);
}

bool already_profiled(const DiagnosticsReply& reply) {
  return reply.understood && static_cast<std::uint32_t>(reply.result) == kAlreadyActive;
}

AttachOutcome judge_reply(const DiagnosticsReply& reply) {
  if (!reply.understood)
    return refused(
        "the runtime closed the connection without an answer, or with one that makes no sense");
  if (reply.result >= 0) return {};
  const auto code = static_cast<std::uint32_t>(reply.result);
  return {ExitCode::kRefused, reason_of(code) + " (" + hexadecimal(code) + ")", reply.result};
}

}  // namespace holdfast::cli
