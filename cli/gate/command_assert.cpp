#include "cli/gate/command_assert.h"

#include <algorithm>
#include <optional>

#include "cli/gate/gate_output.h"
#include "cli/output_file.h"
#include "cli/report/account_choice.h"
#include "cli/report/report_source.h"
#include "cli/text/display_text.h"
#include "common/atomic_file.h"

namespace holdfast::cli {
namespace {

// Parsed before anything is read: a wrong expression is wrong whatever the report says.
std::vector<Assertion> parsed(const AssertCommand& command) {
  std::vector<Assertion> assertions;
  for (const std::string& expression : command.expressions) {
    assertions.push_back(parse_assertion(expression));
    if (assertions.back().growth && command.baseline.empty())
      throw Stop{
          ExitCode::kWrongUsage,
          '\'' + expression + "': growth(...) compares two reports; --baseline FILE is missing"};
  }
  return assertions;
}

// An open report and what it says.
class OpenReport {
 public:
  explicit OpenReport(const std::string& path) {
    if (const auto error = source_.open(path)) throw Stop{error->code, error->text};
    view_ = make_report_view(source_.report(), source_.report_bytes());
  }
  const ReportView& view() const { return view_; }

 private:
  ReportSource source_;
  ReportView view_;
};

// A misspelt account must not look like one that allocates nothing. Where the report has no room for all names, or no accounts at
// all, nothing is wrong with the name: then the figure is not known.
void refuse_unknown_accounts(const std::vector<Assertion>& assertions, const ReportView& view) {
  if (!view.accounts || view.accounts->accounts.total > view.accounts->accounts.rows.size()) return;
  for (const Assertion& assertion : assertions) {
    if (assertion.subject != Subject::kAccount) continue;
    if (const std::string why = no_such_account(view, assertion.pattern); !why.empty())
      throw Stop{ExitCode::kWrongUsage, assertion.text + ": " + why};
  }
}

void say_warnings(const std::vector<CompareWarning>& warnings, Surroundings& surroundings) {
  for (const CompareWarning& warning : warnings)
    surroundings.err << "holdfast assert: warning: " << printable(warning.text) << '\n';
}

std::string rendered(const AssertCommand& command, const GateResult& result,
                     const Surroundings& surroundings) {
  if (command.json) return gate_json(result);
  if (command.markdown) return gate_markdown(result);
  return gate_text(result, choose_columns(command.width, surroundings),
                   choose_colour(command.colour, surroundings));
}

void write_junit(const OutputFile& file, const GateResult& result) {
  file.write([&](const char* directory, const char* name) -> Result<void> {
    const std::string text = gate_junit(result);
    AtomicFile made;
    HF_CHECK_OK(made.open(directory, name));
    HF_CHECK_OK(made.write(text.data(), text.size()));
    return made.publish();
  });
}

void say_undecided(const std::vector<Judgement>& judgements, Surroundings& surroundings) {
  const auto first = std::ranges::find(judgements, Ruling::kUndecided, &Judgement::ruling);
  if (first == judgements.end()) return;
  surroundings.err << "holdfast assert: " << printable(first->assertion.text)
                   << ": cannot be decided: " << printable(first->why) << '\n';
}

ExitCode checked(const AssertCommand& command, Surroundings& surroundings) {
  const std::vector<Assertion> assertions = parsed(command);
  OutputFile junit("--junit", command.junit, std::string(kJunitMark));
  junit.check();
  const OpenReport report(command.file);
  refuse_unknown_accounts(assertions, report.view());
  std::optional<OpenReport> baseline;
  if (!command.baseline.empty()) baseline.emplace(command.baseline);
  const ReportView* const before = baseline ? &baseline->view() : nullptr;
  GateResult result{command.file, command.baseline, report.view(), {}, {}};
  if (before != nullptr) result.warnings = baseline_warnings(report.view(), *before);
  say_warnings(result.warnings, surroundings);
  for (const Assertion& assertion : assertions)
    result.judgements.push_back(judge(assertion, report.view(), before));
  write_junit(junit, result);
  surroundings.out << rendered(command, result, surroundings) << std::flush;
  if (!surroundings.out)
    throw Stop{ExitCode::kRefused, "cannot write to standard output (is the disk full?)"};
  say_undecided(result.judgements, surroundings);
  switch (overall(result.judgements)) {
    case Ruling::kHolds:
      return ExitCode::kDone;
    case Ruling::kFails:
      return ExitCode::kAssertionFailed;
    case Ruling::kUndecided:
      break;
  }
  return ExitCode::kRefused;
}

}  // namespace

ExitCode run_assert(const AssertCommand& command, Surroundings& surroundings) {
  const auto say = [&](ExitCode code, const std::string& text) {
    surroundings.err << "holdfast assert: " << printable(text) << '\n';
    return code;
  };
  try {
    return checked(command, surroundings);
  } catch (const Stop& stop) {
    return say(stop.code, stop.text);
  } catch (const ExpressionError& error) {
    return say(ExitCode::kWrongUsage, error.what());
  }
}

}  // namespace holdfast::cli
