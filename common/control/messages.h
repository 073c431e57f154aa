// What the command and an agent say to each other over the control socket: one request a connection, one or more answers.
// Why plain values here: nobody but messages.cpp sees the flatbuffer; the command and the agent share this definition.
// Shape:  a message is a little-endian 32-bit size, then a flatbuffer of that size (control.fbs) with the identifier HFCQ (request)
//         or HFCA (answer) and a version. Additive within a major version. Text is UTF-8; views point into the decoded message and
//         live as long as it. A request has at most kMaxRequestBytes, an answer kMaxAnswerBytes, the size included.
// Zone:   worker (the agent's loop: encoding draws on the buffer that it is given alone), offline.
//         A message begins at a multiple of kMessageAlignment, in whatever buffer it lies.
// Errors: decode_*: kTooMany (too long), kDamaged (the verifier refuses it, a body is missing, or a request's enum is out of range),
//         kNotOurs, kNewerVersion (detail: its major), kUnsupported (a request that only newer minor versions know), kRefused (begins at an odd place).
//         A newer agent's answer is never refused for what is not known here: an enum's value stays as it is (trigger, stage, method,
//         error, refusal, answer), text is cut, and rows for which there is no room are counted in `left_out`.
//         encode_*: kTooMany when the buffer has no room for the bound that is computed first; kRefused as above.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "common/ages/age_suspect.h"
#include "common/class_histogram.h"
#include "common/collection_figures.h"
#include "common/dump_progress.h"
#include "common/dump_request.h"
#include "common/result.h"

namespace holdfast::control {

inline constexpr std::uint16_t kMajor = 1;
inline constexpr std::uint16_t kMinor =
    7;  // 1: accounts beside a histogram; 2: ages, too; 3: what collections found and left; 4: the last extended report; 5: which
        // build; 6: why a report is not complete; 7: how long an analysis takes
inline constexpr std::size_t kSizeBytes = 4;
inline constexpr std::size_t kMessageAlignment = 8;
inline constexpr std::size_t kMaxRequestBytes = std::size_t{8} << 10;
inline constexpr std::size_t kMaxAnswerBytes = std::size_t{512} << 10;
inline constexpr std::uint32_t kMaxWatchedClasses = 2000;  // of one answer

enum class Command : std::uint8_t { kPing, kStatus, kDump, kCancel, kSet, kWatch, kDetach };

struct Request {
  Command command = Command::kPing;
  // -- kDump --
  DumpKind kind = DumpKind::kAuto;
  CaptureChoice capture = CaptureChoice::kAuto;
  std::uint64_t pause_limit_ns = 0;  // 0: the option's
  bool snapshot = false;
  std::string_view analyses;  // as analyses= has it; empty: the option's
  std::string_view
      file;  // a name pattern inside the agent's dir, as file= has it; empty: the option's
  // -- kCancel --
  std::uint32_t number = 0;  // of the dump; 0: all that run or wait
  // -- kSet --
  std::string_view options;  // "every=5m,on=signal+oom"
  // -- kWatch --
  std::uint32_t interval_ms = 0;  // 0: the agent chooses, so that watching costs at most 1 %
  std::uint32_t classes = 0;      // the largest so many by shallow bytes; 0: kMaxWatchedClasses
};

enum class AnswerKind : std::uint8_t { kRefused, kPong, kStatus, kProgress, kDone, kHistogram };

enum class RefusalKind : std::uint8_t {
  kWrongUsage,     // what was asked for makes no sense: exit code 2
  kRefused,        // a limit or a rule forbids it: 4
  kNotUnderstood,  // a newer command than this agent knows: 4
  kFailed,         // the agent's own fault: 5
};

struct Refusal {
  RefusalKind kind = RefusalKind::kRefused;
  std::string_view text;  // one line, without a name before it
};

struct Pong {
  std::string_view tool_version;
  std::uint32_t pid = 0;  // as the process itself sees it
};

struct NamedBytes {
  std::string_view name;
  std::uint64_t bytes = 0;
  std::uint64_t peak_bytes = 0;
};
struct NamedText {
  std::string_view name;
  std::string_view text;
};
struct TriggerState {
  std::string_view name;     // "oom", "every", "heap-above" ...
  std::string_view setting;  // "on", "5m", "85%"
  std::string_view state;    // "waits", "armed again below 80 %" ...
  std::uint32_t fired = 0;
  std::uint32_t refused = 0;  // within the cooldown, or while a dump ran
};

inline constexpr std::size_t kMaxListed = 32;  // options, triggers

struct Status {
  std::string_view tool_version, vm_name, vm_version, vm_vendor, main_name, collector, host,
      container;
  std::uint32_t pid = 0;
  std::uint64_t utc_ms = 0;  // now
  std::uint64_t vm_uptime_ms = 0;
  std::uint64_t agent_uptime_ms = 0;  // since the agent was ready
  std::uint64_t agent_cpu_ns = 0;     // of our threads that still run; a child's is in its report
  std::string_view dir;
  std::string_view frozen_refusal;  // empty: the frozen capture is possible
  std::uint64_t memory_limit_bytes = 0, memory_used_bytes = 0, memory_peak_bytes = 0;
  std::span<const NamedBytes> memory;  // by category
  HeapFigures heap;                    // of the last dump or histogram; zeros before
  CollectionFigures collections;
  GateCounts requests;
  std::uint32_t reports = 0, failed = 0;
  std::uint32_t connections = 0, connections_refused = 0;
  std::uint32_t watchers = 0;
  std::span<const NamedText> options;
  std::span<const TriggerState> triggers;
  std::span<const DumpProgress>
      dumps;  // the newest first, at most DumpHistory::kMaxRememberedDumps
  const DumpProgress* last_extended = nullptr;  // that left a report; absent: none, or not told
  std::string_view build_description;           // common/version.h; empty: an older agent
};

struct Answer {
  AnswerKind kind = AnswerKind::kDone;
  bool last = true;            // no more answers follow on this connection
  std::uint32_t left_out = 0;  // rows of lists that are longer than there is room for here
  Refusal refusal;
  Pong pong;
  Status status;
  DumpProgress progress;          // its text is copied: no views
  std::string_view text;          // kDone: what was done, one line
  ClassHistogram histogram;       // rows with names, and accounts
  CollectionFigures collections;  // with a histogram
  AgeVerdict ages;                // with a histogram
};

// Room for what the views and spans of a decoded answer point to beside the message itself.
struct AnswerRoom {
  NamedBytes memory[kMaxListed];
  NamedText options[kMaxListed];
  TriggerState triggers[kMaxListed];
  DumpProgress dumps[DumpHistory::kMaxRememberedDumps];
  DumpProgress last_extended;
  HistogramRow rows[kMaxWatchedClasses];
  WatchedAccount accounts[kMaxWatchedAccounts];
};

// The whole size of the message that begins with these bytes, kSizeBytes included; 0 while fewer than kSizeBytes are there.
std::uint64_t message_bytes(std::span<const std::byte> begun) noexcept;

// The message at the front of `out`, size first.
Result<std::span<const std::byte>> encode_request(const Request& request,
                                                  std::span<std::byte> out) noexcept;
Result<std::span<const std::byte>> encode_answer(const Answer& answer,
                                                 std::span<std::byte> out) noexcept;
// `message` is whole, size first.
Result<Request> decode_request(std::span<const std::byte> message) noexcept;
Result<Answer> decode_answer(std::span<const std::byte> message, AnswerRoom& room) noexcept;

}  // namespace holdfast::control
