#include "cli/doctor/doctor_output.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/text/display_text.h"
#include "cli/text/json_text.h"
#include "cli/text/page.h"

namespace holdfast::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kVerdictColumns = 9, kSubjectColumns = 16;

const char* word_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::kOk:
      return "ok";
    case Verdict::kLimited:
      return "limited";
    case Verdict::kNo:
      return "no";
    case Verdict::kUnknown:
      break;
  }
  return "unknown";
}

Style style_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::kNo:
      return Style::kAlarm;
    case Verdict::kLimited:
    case Verdict::kUnknown:
      return Style::kWarning;
    case Verdict::kOk:
      break;
  }
  return Style::kAccent;
}

std::string padded(std::string text, std::size_t columns) {
  if (text.size() < columns) text.resize(columns, ' ');
  return text;
}

void write_finding(const Finding& finding, Page& page) {
  const std::size_t margin = Page::kIndent + kVerdictColumns + kSubjectColumns;
  const std::size_t room = page.columns() > margin + 20 ? page.columns() - margin : 20;
  bool first = true;
  for (const std::string& line : wrap_words(printable(finding.fact), room)) {
    if (first)
      page.line({{std::string(Page::kIndent, ' ')},
                 {padded(word_of(finding.verdict), kVerdictColumns), style_of(finding.verdict)},
                 {padded(finding.subject, kSubjectColumns), Style::kBold},
                 {line}});
    else
      page.line({{std::string(margin, ' ') + line}});
    first = false;
  }
  if (finding.advice.empty()) return;
  const std::string arrow = "-> ";
  std::string before = arrow;
  for (const std::string& line : wrap_words(printable(finding.advice), room - arrow.size())) {
    page.line({{std::string(margin, ' ') + before + line, Style::kDim}});
    before.assign(arrow.size(), ' ');
  }
}

std::string closing_text(const DoctorSubject& subject, const Findings& findings) {
  if (speaks_against_dump(findings))
    return subject.pid == 0 ? "Something here speaks against dumps: see 'no' above."
                            : "It cannot be dumped now: see 'no' above.";
  return subject.pid == 0
             ? "Nothing here speaks against a dump. 'holdfast doctor PID' looks at a process."
             : "Nothing speaks against a dump: holdfast dump " + std::to_string(subject.pid);
}

}  // namespace

bool speaks_against_dump(const Findings& findings) {
  return std::ranges::any_of(findings, [](const FindingGroup& group) {
    return std::ranges::any_of(
        group.findings, [](const Finding& finding) { return finding.verdict == Verdict::kNo; });
  });
}

std::string doctor_text(const DoctorSubject& subject, const Findings& findings, std::size_t columns,
                        bool colour) {
  Page page(columns, colour);
  page.paragraph(
      subject.pid == 0 ? subject.name : subject.name + " · pid " + std::to_string(subject.pid),
      Style::kBold);
  for (const FindingGroup& group : findings) {
    page.heading(group.title, "");
    for (const Finding& finding : group.findings) write_finding(finding, page);
  }
  page.blank();
  page.paragraph(closing_text(subject, findings), Style::kBold);
  return page.text();
}

std::string doctor_json(const DoctorSubject& subject, const Findings& findings) {
  Json rows = Json::array();
  for (const FindingGroup& group : findings)
    for (const Finding& finding : group.findings)
      rows.push_back({{"group", group.title},
                      {"subject", finding.subject},
                      {"verdict", word_of(finding.verdict)},
                      {"fact", finding.fact},
                      {"advice", finding.advice.empty() ? Json(nullptr) : Json(finding.advice)}});
  const Json document = {{"schema_version", 1},
                         {"pid", subject.pid == 0 ? Json(nullptr) : Json(subject.pid)},
                         {"name", subject.name},
                         {"dump_possible", !speaks_against_dump(findings)},
                         {"findings", rows}};
  return json_text(document) + '\n';
}

}  // namespace holdfast::cli
