// The answer for a person: each assertion, what was found, and the largest classes that it is about.
#include <algorithm>

#include "cli/gate/gate_output.h"
#include "cli/text/number_text.h"
#include "cli/text/page.h"
#include "cli/text/table.h"

namespace holdfast::cli {
namespace {

constexpr std::size_t kLeastNameColumns = 24;

struct RulingWord {
  const char* text;
  Style style;
};
RulingWord ruling_word(Ruling ruling) {
  switch (ruling) {
    case Ruling::kHolds:
      return {"holds", Style::kAccent};
    case Ruling::kFails:
      return {"FAILS", Style::kAlarm};
    case Ruling::kUndecided:
      break;
  }
  return {"UNKNOWN", Style::kWarning};
}

void write_rows(Page& page, const Judgement& judgement) {
  const std::vector<MatchedRow>& rows = judgement.found.rows;
  if (rows.empty() || judgement.ruling == Ruling::kHolds) return;
  const Assertion& asked = judgement.assertion;
  const bool plain = asked.measure == Measure::kAll;
  Table table({{plain ? asked.in_bytes() ? "old" : "instances" : std::string(word(asked.measure))},
               {"largest that match", ColumnKind::kName, kLeastNameColumns},
               {"loader", ColumnKind::kName, 8, true}});
  const std::size_t shown = std::min(rows.size(), kRowsShown);
  for (const MatchedRow& row : rows) {
    if (&row == rows.data() + shown) break;
    table.row({{row_text(judgement, row)},
               {std::string(row.name)},
               {std::string(row.loader), Style::kDim}});
  }
  if (shown < rows.size())
    table.row({{""}, {thousands(rows.size() - shown) + " more match", Style::kDim}, {""}});
  table.write(page, Page::kLabelColumns);
}

void write_judgement(Page& page, const Judgement& judgement) {
  const RulingWord word = ruling_word(judgement.ruling);
  page.labelled(word.text, judgement.assertion.text, word.style);
  page.labelled("", sentence_of(judgement));
  write_rows(page, judgement);
}

}  // namespace

std::string tally_text(const std::vector<Judgement>& judgements) {
  const std::size_t holds = count_of(judgements, Ruling::kHolds);
  const std::size_t fails = count_of(judgements, Ruling::kFails);
  const std::size_t undecided = count_of(judgements, Ruling::kUndecided);
  std::string text = thousands(holds) + " of " + counted(judgements.size(), "assertion") +
                     (holds == 1 || judgements.size() == 1 ? " holds" : " hold");
  if (fails > 0) text += ", " + thousands(fails) + (fails == 1 ? " fails" : " fail");
  if (undecided > 0) text += ", " + thousands(undecided) + " cannot be decided";
  return text;
}

std::string gate_text(const GateResult& result, std::size_t columns, bool colour) {
  Page page(columns, colour);
  page.paragraph(tally_text(result.judgements),
                 overall(result.judgements) == Ruling::kHolds ? Style::kBold : Style::kAlarm);
  page.labelled("report", result.file + " · " + std::string(result.view.origin.main_name) + " · " +
                              utc_for_people(result.view.origin.started_utc_ms));
  if (!result.baseline.empty()) page.labelled("baseline", result.baseline);
  for (const CompareWarning& warning : result.warnings)
    page.labelled("warning", warning.text, Style::kWarning);
  for (const Judgement& judgement : result.judgements) {
    page.blank();
    write_judgement(page, judgement);
  }
  return page.text();
}

}  // namespace holdfast::cli
