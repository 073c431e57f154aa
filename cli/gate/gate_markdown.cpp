// A table for a build's summary page, such as GITHUB_STEP_SUMMARY.
// Why entities and not backslashes: inside of <code> every renderer turns "&#124;" into a bar and nothing into a link, a mention,
// a formula or a cell; a code span would still end at a backtick and a cell at a bar.
#include <algorithm>

#include "cli/gate/gate_output.h"
#include "cli/text/class_name.h"
#include "cli/text/display_text.h"

namespace holdfast::cli {
namespace {

constexpr std::size_t kMarkdownColumns = 80;
constexpr std::string_view kHarmless = " .,-+=%()/;";  // beside letters and digits

bool is_harmless(char c) {
  const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  const bool beyond_ascii = static_cast<unsigned char>(c) >= 0x80;
  return letter || beyond_ascii || (c >= '0' && c <= '9') ||
         kHarmless.find(c) != std::string_view::npos;
}

std::string escaped_markdown(std::string_view text) {
  std::string result;
  for (const char c : printable(text)) {
    if (is_harmless(c))
      result += c;
    else
      result += "&#" + std::to_string(static_cast<int>(c)) + ';';
  }
  return result;
}

std::string code(std::string_view text) { return "<code>" + escaped_markdown(text) + "</code>"; }

const char* mark(Ruling ruling) {
  switch (ruling) {
    case Ruling::kHolds:
      return "✅ holds";
    case Ruling::kFails:
      return "❌ fails";
    case Ruling::kUndecided:
      break;
  }
  return "⚠️ cannot be decided";
}

std::string rows_text(const Judgement& judgement) {
  std::string text;
  if (judgement.ruling == Ruling::kHolds) return text;
  for (std::size_t i = 0; i < std::min(kRowsShown, judgement.found.rows.size()); ++i) {
    const MatchedRow& row = judgement.found.rows[i];
    text += "<br>" + escaped_markdown(row_text(judgement, row)) + ' ' +
            code(shorten_name(printable(row.name), kMarkdownColumns));
  }
  return text;
}

}  // namespace

std::string gate_markdown(const GateResult& result) {
  std::string text = "### Heap of " + code(result.view.origin.main_name) + ": " +
                     tally_text(result.judgements) + "\n\n";
  text += "Report " + code(result.file);
  if (!result.baseline.empty()) text += ", baseline " + code(result.baseline);
  for (const CompareWarning& warning : result.warnings)
    text += "\n\n⚠️ " + escaped_markdown(warning.text);
  text += "\n\n| | assertion | result |\n| --- | --- | --- |\n";
  for (const Judgement& judgement : result.judgements) {
    text += std::string("| ") + mark(judgement.ruling) + " | " + code(judgement.assertion.text) +
            " | " + escaped_markdown(sentence_of(judgement)) + rows_text(judgement) + " |\n";
  }
  return text;
}

}  // namespace holdfast::cli
