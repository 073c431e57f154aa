// What `holdfast assert` found, for people, for programs, for a build's summary and for a build server.
// Why nothing of it trusts a name: class names come from the application and expressions from a build; none may become an order
//      to a terminal, a tag of the XML or a link in the summary.
// Shape:  text by Page; JSON (docs/reference/json-answers.md); one Markdown table; JUnit XML with one testcase an expression, what
//         cannot be decided as <error>. At most kRowsShown matching rows each, names of them shortened but in JSON. O(rows).
// Zone:   offline.   Errors: none.
// Source: the XML schemas of Jenkins' JUnit plug-in; GitHub's and GitLab's pages on test reports.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/gate/judgement.h"

namespace holdfast::cli {

inline constexpr std::size_t kRowsShown = 5;

struct GateResult {
  std::string file;
  std::string baseline;  // empty: none
  const ReportView& view;
  std::vector<Judgement> judgements;
  std::vector<CompareWarning> warnings;  // of the baseline
};

// "2 of 3 assertions hold, 1 fails" and the like.
std::string tally_text(const std::vector<Judgement>& judgements);

std::string gate_text(const GateResult& result, std::size_t columns, bool colour);
std::string gate_json(const GateResult& result);
std::string gate_markdown(const GateResult& result);

// How a file of ours begins, and no other.
inline constexpr std::string_view kJunitMark =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"holdfast assert\"";
std::string gate_junit(const GateResult& result);

}  // namespace holdfast::cli
