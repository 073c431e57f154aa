// The options, one string for the agent and for HOLDFAST_OPTIONS: key=value, separated by commas, lists joined with '+'.
// Why a table: parsing, checking, `help`, and printed values all come from option_table(), so they cannot disagree.
// Shape:  plain values with units in their names. Sizes take k/m/g (1024), times ms/s/m/h, shares %.
// Zone:   load (event), offline.
// Errors: parse_options() answers an OptionError whose text names the key, the value and what is allowed, in one line.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "common/accounts/account_mode.h"
#include "common/result.h"

namespace holdfast {

enum class DumpKind : std::uint8_t { kAuto, kSimple, kExtended };
// kObjects: a walk that asks for one object after the other, where a VM has such a way (JVMPI); elsewhere kWalk.
enum class CaptureChoice : std::uint8_t { kAuto, kFrozen, kWalk, kObjects };
inline bool asks_for_walk(CaptureChoice choice) noexcept {
  return choice == CaptureChoice::kWalk || choice == CaptureChoice::kObjects;
}
enum class AgesChoice : std::uint8_t { kOff, kOn };
enum class LogLevel : std::uint8_t { kOff, kError, kInfo, kDebug };

// Bits of `on=`.
enum TriggerBit : std::uint32_t {
  kOnSignal = 1u << 0,
  kOnOom = 1u << 1,
  kOnExit = 1u << 2,
  kOnGc = 1u << 3,
  kOnStart = 1u << 4,
  kOnGrowth = 1u << 5,
};
// Bits of `retain=`: which references hold an object. strong is always set.
enum RetainBit : std::uint32_t {
  kRetainStrong = 1u << 0,
  kRetainSoft = 1u << 1,
  kRetainWeak = 1u << 2,
  kRetainFinal = 1u << 3,
  kRetainPhantom = 1u << 4,
  kRetainUnreachable =
      1u << 5,  // what no path reaches is held, too, by roots that are chosen for it
};

// Bits of `analyses=`: what is worked out beside the classes' own figures.
enum AnalysisBit : std::uint32_t {
  kAnalyseRetained = 1u << 0,  // the classes' retained sizes
  kAnalyseSuspects = 1u << 1,
  kAnalyseObjects = 1u << 2,  // the largest objects, with a path to each
  kAnalyseTree = 1u << 3,
  kAnalyseThreads = 1u << 4,
  kAnalyseLoaders = 1u << 5,
  kAnalysePackages = 1u << 6,
  kAnalyseStatistics = 1u << 7,
  kAnalyseReachable = 1u << 8,  // what objects reach, and what retained sizes hide
  kAnalyseCuts = 1u << 9,       // components, articulation points, and the references to cut
  kAnalyseHolders = 1u << 10,   // the places that refer to the instances of a class
  kAnalyseAll = (1u << 11) - 1
};

inline constexpr std::size_t kMaxOptionText = 1024;  // a path or a pattern
inline constexpr std::uint64_t kMemoryAuto = 0;

struct Options {
  char dir[kMaxOptionText] = ".";
  char file[kMaxOptionText] = "%e-%h-%p-%t-%n.hfr";
  char only[kMaxOptionText] = "*";  // names of processes that are wanted, joined with '+'
  std::uint32_t on = kOnSignal | kOnOom;
  std::uint64_t every_ns = 0;              // 0: off
  std::uint32_t heap_above_percent = 0;    // 0: off
  std::uint32_t cgroup_above_percent = 0;  // 0: off
  std::uint64_t cooldown_ns = 60'000'000'000;
  std::uint32_t max_dumps = 20;
  DumpKind dump = DumpKind::kAuto;
  CaptureChoice capture = CaptureChoice::kAuto;
  bool collect = false;  // a full collection first
  std::uint64_t memory_bytes = kMemoryAuto;
  std::uint64_t pause_ns = 1'000'000'000;
  std::uint64_t exit_wait_ns = 10'000'000'000;
  bool then_exit = false;
  bool snapshot = false;
  std::uint32_t retain = kRetainStrong | kRetainSoft;
  std::uint32_t analyses = kAnalyseAll;
  char accounts[kMaxOptionText] = "";  // patterns, or the file that has them; empty: off
  AccountMode accounts_mode = AccountMode::kSampled;
  std::uint32_t accounts_by = 0;  // AccountDimension
  std::uint64_t sample_bytes = std::uint64_t{512}
                               << 10;  // mean bytes between samples; 0: every allocation
  bool sample_steady = false;  // asked for; else samples are farther apart where they cost too much
  char sample_only[kMaxOptionText] = "";  // patterns of which samples are taken; empty: all
  AgesChoice ages = AgesChoice::kOff;
  bool track = false;
  bool control = true;
  LogLevel log = LogLevel::kError;
  char log_file[kMaxOptionText] = "";  // empty: stderr
  bool watched = false;                // nobody's to set: somebody watches this process
  bool help = false;                   // `help` was asked for
  // Which keys the string named, by their index in option_table(): a later command overrides only what it names.
  std::uint32_t named = 0;
};

struct OptionError {
  char text[512] = "";  // e.g. "pause=soon: a time such as 500ms, 1s, 5m is wanted"
};

struct OptionRow {
  std::string_view key;
  std::string_view meaning;
  std::string_view allowed;
  std::string_view default_text;
};

// Allocations are sampled: for accounts, for ages, or both.
inline bool samples_objects(const Options& options) noexcept {
  return options.accounts[0] != '\0' || options.ages != AgesChoice::kOff;
}
// Ages need more samples than accounts, and these cost less: no stack is looked at.
inline constexpr std::uint64_t kAgesSampleBytes = std::uint64_t{64} << 10;

// Some trigger wants to know of the ends of collections, or somebody watches.
inline bool wants_collections(const Options& options) noexcept {
  return (options.on & (kOnGc | kOnGrowth)) != 0 || options.heap_above_percent != 0 ||
         options.watched;
}

std::span<const OptionRow> option_table() noexcept;
bool option_named(const Options& options, std::string_view key) noexcept;

// Reads `text` on top of `options`. On an error `options` may be half changed and `error` is filled.
bool parse_options(std::string_view text, Options& options, OptionError& error) noexcept;

// The lines of `help`, one call per line.
void print_option_help(void (*line)(void* context, std::string_view text), void* context) noexcept;

}  // namespace holdfast
