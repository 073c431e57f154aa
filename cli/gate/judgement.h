// Whether a report bears an assertion out, and what was found.
// Why three answers: where a report says too little (figure.h), "holds" would let leaks pass and "fails" would cry wolf.
// Shape:  a growth is this report's figure less the baseline's, bound by bound. O(rows). Where the baseline is the later one, the
//         same dump, or counts otherwise, no growth is decided.
// Zone:   offline.   Errors: none; what cannot be decided says why.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/compare/report_facts.h"
#include "cli/gate/figure.h"

namespace holdfast::cli {

enum class Ruling : std::uint8_t { kHolds, kFails, kUndecided };

struct Judgement {
  Assertion assertion;
  Ruling ruling = Ruling::kUndecided;
  Figure found;        // of a growth: the difference
  double limit = 0;    // a share already worked out
  std::string why;     // not decided
  std::string remark;  // "no class matches; the nearest name is ..."
};

// `baseline`: absent unless one was given; then growth can be judged.
Judgement judge(const Assertion& assertion, const ReportView& view, const ReportView* baseline);

// What speaks against a growth from the baseline to this report, or limits it.
std::vector<CompareWarning> baseline_warnings(const ReportView& view, const ReportView& baseline);

// What they come to: one that fails, else one that is not decided.
Ruling overall(const std::vector<Judgement>& judgements);
std::size_t count_of(const std::vector<Judgement>& judgements, Ruling ruling);

// For people: "4,812", "61.0 MB", "between 3 and 12,011", "at least 7".
std::string found_text(const Judgement& judgement);
// "4,802 more than allowed"; empty where nothing is exceeded.
std::string excess_text(const Judgement& judgement);
std::string limit_text(const Judgement& judgement);  // "10", "50.0 MB"
// All of it in one line: "found 4,812, 4,802 more than allowed".
std::string sentence_of(const Judgement& judgement);
std::string row_text(const Judgement& judgement, const MatchedRow& row);

}  // namespace holdfast::cli
