#include <doctest/doctest.h>
#include <sys/stat.h>

#include <array>
#include <cstdio>
#include <sstream>
#include <vector>

#include "cli/command_line.h"
#include "cli/demo/demo_service.h"
#include "cli/talk/fake_agent.h"
#include "cli/text/golden_for_test.h"
#include "platforms/scratch_for_test.h"

using namespace holdfast;
using namespace holdfast::cli;

namespace {

std::string script(const std::string& shell) {
  std::ostringstream out, err;
  Surroundings surroundings{out, err};
  FakeAgent nobody([](const control::Request&, FakePeer&) {});
  REQUIRE(run_command_line({"completion", shell}, surroundings, nobody.door()) == ExitCode::kDone);
  return out.str();
}

std::string output_of(const std::string& command) {
  std::FILE* pipe = ::popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::string text;
  std::array<char, 4096> buffer;
  while (const std::size_t got = std::fread(buffer.data(), 1, buffer.size(), pipe))
    text.append(buffer.data(), got);
  CHECK(::pclose(pipe) == 0);
  return text;
}

// A real bash with the script, and a command `holdfast` that lists two processes.
class Shell {
 public:
  Shell() {
    scratch_.write("script", script("bash"));
    scratch_.write(
        "holdfast",
        "#!/bin/sh\necho 'pid user vm'\necho '42 alice HotSpot'\necho '4711 bob HotSpot'\n");
    ::chmod(scratch_.file("holdfast").c_str(), 0755);
    scratch_.write("a report.hfr", "");
    scratch_.write("other.hfr", "");
    ::mkdir(scratch_.file("folder").c_str(), 0755);
  }
  // What is offered for the last of the words, between bars.
  std::string offered(const std::vector<std::string>& words) const {
    std::string line = "cd '" + std::string(scratch_.path()) + "' && bash --norc -c '. ./script; " +
                       "COMP_WORDS=(./holdfast";
    for (const std::string& word : words) line += " \"" + word + "\"";
    line += "); COMP_CWORD=" + std::to_string(words.size()) +
            "; _holdfast 2>errors; printf \"%s|\" \"${COMPREPLY[@]}\"'";
    return output_of(line);
  }
  std::string errors() const { return scratch_.read("errors"); }

 private:
  platforms::ScratchDirectory scratch_;
};

bool has(const std::string& text, const std::string& part) {
  return ("|" + text).find("|" + part + "|") != std::string::npos;
}

}  // namespace

TEST_CASE("completion: commands, options, words, processes, keys, files, in a real bash") {
  const Shell shell;
  CHECK(has(shell.offered({"du"}), "dump"));
  CHECK(has(shell.offered({""}), "completion"));
  CHECK(has(shell.offered({"dump", "--ex"}), "--extended"));
  CHECK(has(shell.offered({"dump", "42", "--q"}), "--quiet"));
  CHECK(shell.offered({"dump", ""}) == "42|4711|");
  CHECK(shell.offered({"dump", "--quiet", "47"}) == "4711|");
  CHECK(shell.offered({"dump", "--pause", "1s", "4"}) == "42|4711|");
  CHECK(shell.offered({"dump", "--capture", ""}) == "frozen|objects|walk|");
  CHECK(shell.offered({"watch", "42", "--sort", "g"}) == "growth|");
  CHECK(shell.offered({"dump", "--pause", ""}) == "|");  // nobody can guess a time
  CHECK(has(shell.offered({"set", "42", "co"}), "cooldown="));
  CHECK(has(shell.offered({"report", "a"}), "a report.hfr"));
  CHECK(has(shell.offered({"dump", "42", "-o", "o"}), "other.hfr"));
  CHECK(shell.offered({"dump", "--dir", ""}) == "folder|");
  CHECK(shell.offered({"completion", ""}) == "bash|zsh|");
  CHECK(shell.offered({"nonsense", ""}) == "|");
  CHECK(shell.offered({"dump", "42", "another"}) == "|");
}

TEST_CASE("completion: every option of every --help is offered") {
  const Shell shell;
  FakeAgent nobody([](const control::Request&, FakePeer&) {});
  for (const char* command : {"report", "analyze", "assert", "ps", "dump", "status", "watch", "set",
                              "cancel", "detach", "completion"}) {
    std::ostringstream help, err;
    Surroundings surroundings{help, err};
    run_command_line({command, "--help"}, surroundings, nobody.door());
    const std::string offered = shell.offered({command, "-"});
    std::istringstream lines(help.str());
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      std::string option;
      if (!line.starts_with("  -") || !(words >> option)) continue;
      if (option.back() == ',') option.pop_back();
      CHECK_MESSAGE(has(offered, option), std::string(command), " ", option);
    }
    std::istringstream options(offered);
    for (std::string option; std::getline(options, option, '|');)
      if (option.starts_with("--") && option != "--output" && option != "--help")
        CHECK_MESSAGE(help.str().find(option) != std::string::npos, std::string(command), " ",
                      option);
  }
}

TEST_CASE("completion: golden") {
  if (!demo_is_built()) return;
  check_golden("completion_bash", script("bash"));
  check_golden("completion_zsh", script("zsh"));
}

TEST_CASE("completion: the script of zsh is the same behind its own two lines") {
  const std::string zsh = script("zsh");
  CHECK(zsh.find("bashcompinit") != std::string::npos);
  CHECK(zsh.find("$+functions[compdef]") != std::string::npos);  // started already: not once more
  CHECK(zsh.find("compinit -u") == std::string::npos);  // no completions of other users unasked
  CHECK(zsh.find("complete -F _holdfast holdfast") != std::string::npos);
  std::ostringstream out, err;
  Surroundings surroundings{out, err};
  CHECK(run_command_line({"completion", "fish"}, surroundings) == ExitCode::kWrongUsage);
}
