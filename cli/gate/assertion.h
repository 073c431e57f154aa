// What `holdfast assert` is asked to check, and how it is written: "com.acme.Session.instances <= 10".
//   assertion   quantity COMPARISON limit            COMPARISON: <= < >= > == !=
//   quantity    growth(measured) | measured          growth: this report's figure less the baseline's
//   measured    CLASS.(instances | shallow | retained | largest | reachable | old_instances | old_shallow
//                      | sampled_old_instances | sampled_old_shallow)
//             | (loader:NAME | package:NAME).(instances | shallow | retained | classes | reachable)
//             | state:NAME.(instances | shallow)
//             | total.(instances | shallow | retained | classes | reachable)
//             | account(NAME).(allocated | since | live | in_heap, or with _objects behind it)     NAME also in '' or ""
//             | heap.(used | committed | max) | suspects | suspects.loud
//             | piling_up | piling_up(PERCENT%) | loitering | loitering.(instances | classes)    PERCENT: the least confidence
//   limit       NUMBER [k m g]       of what is counted: thousands, millions, thousand millions
//             | NUMBER [B k m g t, also KB MB GB TB]   of sizes: units of 1,024
//             | NUMBER %             of all objects or bytes; heap: of its maximum; growth: of the baseline's figure
// CLASS and NAME are patterns (analysis/name_pattern.h); an account has one name, which looks like a pattern. Names may hold '<', '>' and spaces, as .NET's do: the last comparison
// of the text is the one.
// Why no operators between quantities: one line of a build's log must say what was found and what was allowed.
// Shape:  O(length); at most kMaxExpressionBytes.   Zone: offline.
// Errors: ExpressionError, one line: the expression, the column, what is wrong there, what is allowed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace holdfast::cli {

inline constexpr std::size_t kMaxExpressionBytes = 1000;

enum class Subject : std::uint8_t {
  kClasses,
  kLoaders,
  kPackages,
  kTotal,
  kHeap,
  kSuspects,
  kAccount,
  kPilingUp,  // classes, before the dump
  kLoitering,
  kState  // of the heap: what is unreachable, waits for finalizers ...
};
enum class Measure : std::uint8_t {
  kInstances,
  kShallow,
  kRetained,
  kLargest,    // retained size of the largest single instance
  kReachable,  // of the single instance that reaches most
  kClasses,
  kUsed,
  kCommitted,
  kMax,
  kAllocated,  // of accounts: bytes since accounting began
  kSince,      // since the last report
  kLive,
  kInHeap,  // live, by what the dump counted
  kAllocatedObjects,
  kSinceObjects,
  kLiveObjects,
  kInHeapObjects,
  kAll,   // suspects, piling_up; of loitering: bytes
  kLoud,  // suspects that are likely
  // Of classes: objects that are old, all of the picture or estimated from samples.
  kOldInstances,
  kOldShallow,
  kSampledOldInstances,
  kSampledOldShallow,
};

constexpr bool of_ages(Measure measure) {
  return measure == Measure::kOldInstances || measure == Measure::kOldShallow;
}
constexpr bool of_sampled_ages(Measure measure) {
  return measure == Measure::kSampledOldInstances || measure == Measure::kSampledOldShallow;
}
enum class Relation : std::uint8_t {
  kAtMost,
  kBelow,
  kAtLeast,
  kAbove,
  kEqual,
  kUnequal,
};

struct Assertion {
  std::string text;  // as it was written
  Subject subject = Subject::kClasses;
  std::string pattern;  // of classes, loaders and packages; the name of an account, of a state
  Measure measure = Measure::kInstances;
  bool growth = false;
  Relation comparison = Relation::kAtMost;
  double limit = 0;  // bytes, a count, or percent
  bool percent = false;
  std::uint32_t least_confidence = 0;  // of what piles up, in percent

  bool in_bytes() const;  // else it is counted
};

class ExpressionError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

Assertion parse_assertion(std::string_view text);

std::string_view word(Relation comparison);  // "<="
std::string_view word(Measure measure);      // "instances"
// "growth(com.acme.Session.instances)"; parses back to the same.
std::string quantity_text(const Assertion& assertion);

}  // namespace holdfast::cli
