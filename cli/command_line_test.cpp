#include "cli/command_line.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <stdexcept>

#include "cli/command_run_for_test.h"
#include "cli/demo/demo_service.h"
#include "cli/help_text.h"
#include "cli/html/page_file.h"
#include "cli/input_error.h"
#include "cli/report/sample_report_for_test.h"
#include "cli/text/golden_for_test.h"

using namespace holdfast;
using namespace holdfast::cli;

namespace {

Outcome run(const std::vector<std::string>& arguments) { return run_command(arguments); }

// Refused with this code and one line that contains all of `said`; nothing on standard output.
void check_refused(const std::vector<std::string>& arguments, ExitCode code,
                   const std::vector<std::string>& said) {
  check_refusal(run(arguments), code, said);
}

void check_bad_file(const std::vector<std::byte>& bytes, const std::string& said) {
  const TemporaryFile file(bytes, "broken file.hfr");
  check_refused({"report", file.path()}, ExitCode::kBadInput,
                {file.path(), said, "allowed: a holdfast report (.hfr)"});
}

std::vector<std::byte> bytes_of(std::string_view text) {
  const auto* data = reinterpret_cast<const std::byte*>(text.data());
  return {data, data + text.size()};
}

class ThrowingBuffer : public std::streambuf {
  int_type overflow(int_type) override { throw std::runtime_error("a bug\nof ours"); }
};
class FullBuffer : public std::streambuf {};

}  // namespace

TEST_CASE("exit 0: a report as text and as JSON, help, version") {
  const TemporaryFile file(sample_file({}));
  const Outcome text = run({"report", file.path()});
  CHECK(text.code == ExitCode::kDone);
  CHECK(text.err.empty());
  CHECK(text.out.find("4,812 shop.Session retain") != std::string::npos);
  CHECK(text.out.find('\x1b') == std::string::npos);
  CHECK(run({"report", file.path(), "--color", "always"}).out.find('\x1b') != std::string::npos);
  CHECK(run({"report", "--json", file.path()}).out.starts_with("{\n \"schema_version\": 1,"));
  CHECK(run({"report", file.path(), "--top", "1", "--sort", "shallow", "--width", "120"}).code ==
        ExitCode::kDone);
  const std::string no_pages = pages_built() ? "" : kNoPagesHelp;
  CHECK(run({"--help"}).out == main_help() + no_pages);
  CHECK(run({"report", "--help"}).out == kReportHelp + (kQuestionsHelp + no_pages));
  CHECK(run({"analyze", "--help"}).out == kAnalyzeHelp + (kQuestionsHelp + no_pages));
  CHECK(run({"ps", "--help"}).out == kPsHelp);
  CHECK(run({"--version"}).out.starts_with("holdfast 0."));
}

TEST_CASE("--html: a page, told in two lines; not with --json, and nothing of others is replaced") {
  const TemporaryFile file(sample_file({}));
  const std::string page = file.path() + ".html";
  if (!pages_built()) {
    for (const char* command : {"report", "trend"})
      check_refused({command, file.path(), "--html", page}, ExitCode::kRefused,
                    {"--html", "built without pages"});
    check_refused({"diff", file.path(), file.path(), "--html", page}, ExitCode::kRefused,
                  {"--html", "built without pages"});
    return;
  }
  const Outcome outcome = run({"report", file.path(), "--html", page});
  CHECK(outcome.code == ExitCode::kDone);
  CHECK(outcome.out.starts_with("4,812 shop.Session retain 61.0 MB"));
  CHECK(outcome.out.ends_with("\npage: " + page + "\n"));
  CHECK(std::filesystem::file_size(page) > 20'000);
  CHECK(run({"report", file.path(), "--html", page}).code == ExitCode::kDone);
  check_refused({"report", file.path(), "--html", page, "--json"}, ExitCode::kWrongUsage,
                {"--html", "--json", "excludes"});
  check_refused({"report", file.path(), "--html", file.path()}, ExitCode::kRefused,
                {"--html", file.path(), "none of ours"});
  check_refused({"report", file.path(), "--html", "/no/such/place/x.html"}, ExitCode::kRefused,
                {"--html", "No such file or directory"});
  check_refused({"report", file.path(), "--html", "-"}, ExitCode::kWrongUsage,
                {"--html", "allowed: a file's name"});
  CHECK_FALSE(std::filesystem::exists("-"));
  check_refused({"report", page, "--html", page}, ExitCode::kBadInput, {"not a holdfast report"});
}

TEST_CASE("help names every option") {
  const std::string help = kReportHelp;
  for (const char* option : {"--json", "--top", "--sort", "--color", "--width", "--help"})
    CHECK(help.find(option) != std::string::npos);
  const std::string analyze = kAnalyzeHelp;
  for (const char* option :
       {"-o ", "--objects", "--reachable-limit", "--snapshot", "--retain", "--like", "--memory",
        "--quiet", "--json", "--top", "--sort", "--color", "--width"})
    CHECK_MESSAGE(analyze.find(option) != std::string::npos, option);
  const std::string questions = kQuestionsHelp;
  for (const char* option :
       {"--group-by", "--depth", "--retained-of", "--reachable-of", "--statistics",
        "--reachable-limit", "--dominators-of", "--skip", "--paths-to", "--without",
        "--dominator-path", "--suspects", "--from-roots", "--root-of", "--keeping-alive",
        "--strong-only", "--class-references"})
    CHECK_MESSAGE(questions.find(option) != std::string::npos, option);
  const std::string ps = kPsHelp;
  for (const char* option : {"--json", "--all", "--color", "--width"})
    CHECK_MESSAGE(ps.find(option) != std::string::npos, option);
  for (const char* text : {kDiffHelp, kTrendHelp})
    for (const char* option :
         {"--class", "--skip", "--sort", "--top", "--json", "--color", "--width", "--help"})
      CHECK_MESSAGE(std::strstr(text, option) != nullptr, option);
  CHECK(std::strstr(kDiffHelp, "--section") != nullptr);
  for (const char* option : {"--process PID", "--all-processes"})
    CHECK(std::strstr(kTrendHelp, option) != nullptr);
}

// The goldens are those of a command with pages.
std::string without_page_remark(std::string help) {
  if (!pages_built() && help.ends_with(kNoPagesHelp))
    help.resize(help.size() - std::strlen(kNoPagesHelp));
  return help;
}

TEST_CASE("help: golden, of every command that there is") {
  if (demo_is_built()) check_golden("help", without_page_remark(run({"--help"}).out));
  const std::string allowed = run({"?"}).err;  // "... allowed: report, analyze, ...; see ..."
  const std::size_t begin = allowed.find("allowed: ") + std::strlen("allowed: ");
  std::istringstream names(allowed.substr(begin, allowed.find(';', begin) - begin));
  std::size_t commands = 0;
  for (std::string name; std::getline(names >> std::ws, name, ','); ++commands) {
    const Outcome help = run({name, "--help"});
    CHECK(help.code == ExitCode::kDone);
    check_golden("help_" + name, without_page_remark(help.out));
    std::istringstream lines(help.out);
    for (std::string line; std::getline(lines, line);)  // examples are pasted whole
      CHECK_MESSAGE((line.size() <= 80 || line.starts_with("  holdfast ")), line);
  }
  CHECK(commands >= (demo_is_built() ? 16 : 15));
}

TEST_CASE("exit 2: wrong usage, and files that are not there") {
  check_refused({"repotr"}, ExitCode::kWrongUsage,
                {"'repotr'; did you mean 'report'?", "allowed: report"});
  check_refused({"histogram"}, ExitCode::kWrongUsage, {"'histogram'; allowed: report"});
  check_refused({""}, ExitCode::kWrongUsage, {"''; allowed: report"});
  check_refused({"\x1b[2J"}, ExitCode::kWrongUsage, {"\\u001b[2J"});
  check_refused({"--bogus"}, ExitCode::kWrongUsage, {"--help"});
  check_refused({"report"}, ExitCode::kWrongUsage, {"FILE"});
  for (const char* command : {"report", "analyze"})
    check_refused({command, "shop.hfs", "--without", "soft"}, ExitCode::kWrongUsage,
                  {"--without", "--paths-to"});
  check_refused({"report", "a", "b"}, ExitCode::kWrongUsage, {"b"});
  check_refused({"report", "a", "--top", "0"}, ExitCode::kWrongUsage, {"--top", "1"});
  check_refused({"report", "a", "--width", "wide"}, ExitCode::kWrongUsage,
                {"--width", "40", "500"});
  check_refused({"report", "a", "--color", "red"}, ExitCode::kWrongUsage, {"--color", "auto"});
  check_refused({"report", "a", "--sort", "name"}, ExitCode::kWrongUsage, {"--sort", "retained"});
  check_refused({"report", "/no/such/file.hfr"}, ExitCode::kWrongUsage,
                {"/no/such/file.hfr", "No such file"});
  check_refused({"report", "/tmp"}, ExitCode::kWrongUsage, {"/tmp", "directory"});
}

TEST_CASE("without a command: the first steps, on one small screen, and exit 2") {
  const Outcome outcome = run({});
  CHECK(outcome.code == ExitCode::kWrongUsage);
  CHECK(outcome.err.empty());
  if (demo_is_built()) check_golden("start_page", outcome.out);
  CHECK(std::ranges::count(outcome.out, '\n') <= 15);
  std::istringstream lines(outcome.out);
  for (std::string line; std::getline(lines, line);) CHECK_MESSAGE(line.size() <= 80, line);
  for (const char* wanted :
       {"holdfast dump", "holdfast report", "-agentpath:", "holdfast doctor", "holdfast --help"})
    CHECK_MESSAGE(outcome.out.find(wanted) != std::string::npos, wanted);
}

TEST_CASE("exit 2: a name that is empty turns nothing off") {
  const TemporaryFile file(sample_file({}));
  for (const char* option : {"--html", "--under", "--section", "--class"})
    check_refused({"report", file.path(), option, ""}, ExitCode::kWrongUsage, {option});
  for (const char* option : {"-o", "--snapshot", "--objects", "--html"})
    check_refused({"analyze", file.path(), option, ""}, ExitCode::kWrongUsage, {"is empty"});
  for (const char* option : {"--junit", "--baseline"})
    check_refused({"assert", file.path(), "suspects < 9", option, ""}, ExitCode::kWrongUsage,
                  {option, "is empty"});
  check_refused({"export", file.path(), "--format", "csv", "-o", ""}, ExitCode::kWrongUsage,
                {"--output", "is empty"});
  check_refused({"export", file.path(), "--format", "csv", "-o", "-"}, ExitCode::kWrongUsage,
                {"--output", "- is no file"});
  check_refused({"assert", file.path(), "suspects < 9", "--junit", "-"}, ExitCode::kWrongUsage,
                {"--junit", "- is no file"});
}

TEST_CASE("exit 3: empty, foreign, newer, cut and flipped files") {
  check_bad_file({}, "empty");
  check_bad_file(bytes_of("hello, world: this is not a report at all"), "is not a holdfast report");
  check_bad_file(bytes_of(std::string("JAVA PROFILE 1.0.2\0", 19)), "HPROF");
  std::vector<std::byte> file = sample_file({});
  file[8] = std::byte{9};
  check_bad_file(file, "newer holdfast (report format 9)");
  file = sample_file({});
  for (std::size_t cut = 1; cut < file.size(); cut += cut < 64 ? 1 : 251)
    check_bad_file({file.begin(), file.begin() + static_cast<long>(cut)}, "is");
  file[file.size() / 2] ^= std::byte{4};
  check_bad_file(file, "damaged");
}

TEST_CASE("exit 4: not allowed to read, nowhere to write") {
  const TemporaryFile file(sample_file({}));
  if (::geteuid() != 0) {  // nothing is forbidden to root
    std::filesystem::permissions(file.path(), std::filesystem::perms::none);
    check_refused({"report", file.path()}, ExitCode::kRefused, {file.path(), "Permission denied"});
    std::filesystem::permissions(file.path(), std::filesystem::perms::owner_read);
  }
  FullBuffer full;
  std::ostream out(&full);
  std::ostringstream err;
  Surroundings surroundings{out, err};
  CHECK(run_command_line({"report", file.path()}, surroundings) == ExitCode::kRefused);
  CHECK(err.str().find("cannot write") != std::string::npos);
  for (const std::vector<std::string>& asked : {std::vector<std::string>{"--help"},
                                                {"report", "--help"},
                                                {},
                                                {"--version"},
                                                {"completion", "bash"}}) {
    FullBuffer nowhere;
    std::ostream nothing(&nowhere);
    std::ostringstream said;
    Surroundings at{nothing, said};
    CHECK(run_command_line(asked, at) == ExitCode::kRefused);
    CHECK(said.str() == "holdfast: cannot write to standard output (is the disk full?)\n");
  }
  const InputError denied = describe_input_error("a.hfr", make_error(ErrorCode::kIo, EACCES), 0);
  CHECK(denied.code == ExitCode::kRefused);
}

TEST_CASE("exit 5: our own fault is one line, not a crash") {
  const TemporaryFile file(sample_file({}));
  ThrowingBuffer throwing;
  std::ostream out(&throwing);
  out.exceptions(std::ios::badbit);
  std::ostringstream err;
  Surroundings surroundings{out, err};
  CHECK(run_command_line({"report", file.path()}, surroundings) == ExitCode::kOurFault);
  CHECK(err.str() == "holdfast: our own fault: a bug of ours\n");
  CHECK(describe_input_error("a.hfr", make_error(ErrorCode::kInconsistent), 99).code ==
        ExitCode::kOurFault);
}
