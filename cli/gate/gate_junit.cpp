// JUnit XML: one testcase an expression; <failure> where it fails, <error> where it cannot be decided.
#include <algorithm>

#include "cli/gate/gate_output.h"
#include "cli/text/class_name.h"
#include "cli/text/display_text.h"
#include "cli/text/number_text.h"

namespace holdfast::cli {
namespace {

constexpr std::size_t kNameColumns = 300;

// XML knows no control characters, not even as entities, and neither U+FFFE nor U+FFFF.
std::string escaped(std::string_view text) {
  const std::string shown = printable(text);
  std::string result;
  for (std::string_view rest = shown; !rest.empty();) {
    const CodePoint point = first_code_point(rest);
    const std::string_view bytes = rest.substr(0, point.bytes);
    rest.remove_prefix(point.bytes);
    if (bytes == "&")
      result += "&amp;";
    else if (bytes == "<")
      result += "&lt;";
    else if (bytes == ">")
      result += "&gt;";
    else if (bytes == "\"")
      result += "&quot;";
    else if ((point.value & 0xFFFEu) == 0xFFFEu)
      result += "\uFFFD";
    else
      result += bytes;
  }
  return result;
}

std::string attribute(std::string_view name, std::string_view value) {
  return ' ' + std::string(name) + "=\"" + escaped(value) + '"';
}

// Counts that every reader of the format adds up.
std::string counts(const std::vector<Judgement>& judgements) {
  const auto number = [&](Ruling ruling) { return std::to_string(count_of(judgements, ruling)); };
  return attribute("tests", std::to_string(judgements.size())) +
         attribute("failures", number(Ruling::kFails)) +
         attribute("errors", number(Ruling::kUndecided)) + " time=\"0\"";
}

std::string details(const Judgement& judgement) {
  std::string text = judgement.assertion.text + '\n' + sentence_of(judgement);
  for (std::size_t i = 0; i < std::min(kRowsShown, judgement.found.rows.size()); ++i) {
    const MatchedRow& row = judgement.found.rows[i];
    text +=
        "\n  " + row_text(judgement, row) + "  " + shorten_name(printable(row.name), kNameColumns);
    if (!row.loader.empty())
      text += " (" + shorten_middle(printable(row.loader), kNameColumns) + ')';
  }
  return text;
}

std::string escaped_lines(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    result += escaped(text.substr(0, end));
    if (end < text.size()) result += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result;
}

std::string testcase(const Judgement& judgement, const std::string& class_name) {
  std::string text = "    <testcase" + attribute("classname", class_name) +
                     attribute("name", judgement.assertion.text) + " time=\"0\"";
  if (judgement.ruling == Ruling::kHolds)
    return text + ">\n      <system-out>" + escaped(sentence_of(judgement)) +
           "</system-out>\n    </testcase>\n";
  const bool fails = judgement.ruling == Ruling::kFails;
  const std::string tag = fails ? "failure" : "error";
  return text + ">\n      <" + tag + attribute("message", sentence_of(judgement)) +
         attribute("type", fails ? "holdfast.AssertionFails" : "holdfast.CannotBeDecided") + ">" +
         escaped_lines(details(judgement)) + "</" + tag + ">\n    </testcase>\n";
}

}  // namespace

std::string gate_junit(const GateResult& result) {
  const OriginView& origin = result.view.origin;
  std::string utc = utc_for_programs(origin.started_utc_ms);
  utc.resize(std::min(utc.find('.'), utc.size()));  // no fraction and no zone: the strictest reader
  const std::string name =
      origin.main_name.empty() ? "heap" : "heap of " + std::string(origin.main_name);
  std::string text(kJunitMark);
  text += counts(result.judgements) + ">\n  <testsuite" + attribute("name", name) +
          counts(result.judgements) + " skipped=\"0\"" + attribute("timestamp", utc) +
          attribute("hostname", origin.host) +
          ">\n    <properties>\n      <property name=\"report\"" + attribute("value", result.file) +
          "/>\n";
  if (!result.baseline.empty())
    text += "      <property name=\"baseline\"" + attribute("value", result.baseline) + "/>\n";
  for (const CompareWarning& warning : result.warnings)
    text += "      <property name=\"warning." + warning.code + '"' +
            attribute("value", warning.text) + "/>\n";
  text += "    </properties>\n";
  for (const Judgement& judgement : result.judgements) text += testcase(judgement, name);
  return text + "  </testsuite>\n</testsuites>\n";
}

}  // namespace holdfast::cli
