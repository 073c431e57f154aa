#include "cli/export/account_stacks.h"

#include <doctest/doctest.h>

#include "analysis/report/reader.h"
#include "cli/command_run_for_test.h"
#include "cli/export/folded.h"
#include "cli/report/sample_report_for_test.h"
#include "cli/text/golden_for_test.h"

using namespace holdfast;
using namespace holdfast::cli;

namespace {

// What lives is half of what was allocated.
AccountView row(std::string_view account, std::string_view class_name, std::string_view method,
                std::uint64_t bytes) {
  return {.account = account,
          .principal = {},
          .class_name = class_name,
          .method = method,
          .thread = {},
          .annotation = {},
          .allocated = {bytes / 10, bytes, 0, 0},
          .since_report = {},
          .live = {bytes / 20, bytes / 2, 0, 0}};
}

ReportView shop() {
  ReportView view;
  view.accounts.emplace();
  AccountsView& accounts = *view.accounts;
  accounts.live_known = true;
  accounts.accounts.rows = {row("shop.*", "", "", 1000), row("(unaccounted)", "", "", 300)};
  accounts.classes.rows = {row("shop.*", "byte[]", "", 600), row("shop.*", "", "", 100),
                           row("(unaccounted)", "byte[]", "", 300)};
  accounts.rest_of_accounts = row("", "", "", 40);
  return view;
}

std::string folded_text(const ReportView& view, StackKind kind) {
  std::string text;
  write_folded(view, kind, [&](std::string_view piece) { text += piece; });
  return text;
}

std::uint64_t sum(const TreeStacks& stacks) {
  std::uint64_t bytes = 0;
  for (const StackSample& sample : stacks.samples) bytes += sample.bytes;
  return bytes;
}

}  // namespace

TEST_CASE("account stacks: every byte is in one of them, whether it is listed or not") {
  const ReportView view = shop();
  CHECK(folded_text(view, StackKind::kAllocated) ==
        "allocated 40\n"
        "allocated;shop.*;byte[] 600\n"
        "allocated;shop.*;(class_not_told) 100\n"
        "allocated;shop.* 300\n"
        "allocated;(unaccounted);byte[] 300\n");
  CHECK(sum(account_stacks(view, StackKind::kAllocated)) == 1340);
  CHECK(sum(account_stacks(view, StackKind::kLive)) == 670);
  CHECK(folded_text(view, StackKind::kLive).starts_with("live 20\nlive;shop.*;byte[] 300\n"));
}

TEST_CASE("account stacks: methods stand between account and class where they are told") {
  ReportView view = shop();
  view.accounts->by_method = true;
  view.accounts->methods.rows = {row("shop.*", "byte[]", "shop.Cart.add", 700)};
  const std::string text = folded_text(view, StackKind::kAllocated);
  CHECK(text.find("allocated;shop.*;shop.Cart.add();byte[] 700\n") != std::string::npos);
  CHECK(text.find("allocated;shop.* 300\n") != std::string::npos);
  CHECK(sum(account_stacks(view, StackKind::kAllocated)) == 1340);
}

TEST_CASE(
    "export --stacks: golden; what has no accounts, or no live ones, is refused in one line") {
  const TemporaryFile file(sample_file({.accounts = true}));
  const auto run = [](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "export");
    return run_command(arguments);
  };
  check_golden("folded_allocated",
               run({file.path(), "--format", "folded", "--stacks", "allocated"}).out);
  check_golden("folded_live", run({file.path(), "--format", "folded", "--stacks", "live"}).out);
  CHECK(run({file.path(), "--format", "pprof", "--stacks", "live"}).code == ExitCode::kDone);
  CHECK(run({file.path(), "--format", "folded", "--stacks", "tree"}).out ==
        run({file.path(), "--format", "folded"}).out);
  check_refusal(run({file.path(), "--format", "folded", "--stacks", "dead"}), ExitCode::kWrongUsage,
                {"dead", "tree", "allocated", "live"});
  check_refusal(run({file.path(), "--format", "csv", "--stacks", "live"}), ExitCode::kWrongUsage,
                {"--format csv has no stacks", "pprof, folded"});
  const TemporaryFile none(sample_file({}));
  check_refusal(run({none.path(), "--format", "folded", "--stacks", "allocated"}),
                ExitCode::kWrongUsage, {"--stacks allocated: ", "no memory accounts"});
  const TemporaryFile exact(sample_file({.accounts = true, .exact_accounts = true}));
  check_refusal(run({exact.path(), "--format", "pprof", "--stacks", "live"}), ExitCode::kWrongUsage,
                {"--stacks live: ", "does not tell which objects died", "allowed: allocated"});
}
