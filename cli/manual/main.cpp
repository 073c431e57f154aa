// holdfast_pages SHARE: writes the manual pages and the completions below SHARE, when holdfast is built.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include "cli/command_line.h"
#include "cli/manual/manual_page.h"

namespace {

namespace fs = std::filesystem;
using namespace holdfast;

void write(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream file(path, std::ios::binary);
  file << text << std::flush;
  if (file) return;
  std::cerr << "holdfast_pages: cannot write " << path << '\n';
  std::exit(1);
}

std::string completion(const std::string& shell) {
  std::ostringstream out;
  cli::Surroundings surroundings{out, std::cerr};
  if (cli::run_command_line({"completion", shell}, surroundings) != cli::ExitCode::kDone)
    std::exit(1);
  return out.str();
}

}  // namespace

int main(int argument_count, char** arguments) {
  if (argument_count != 2) {
    std::cerr << "usage: holdfast_pages SHARE\n";
    return 2;
  }
  const fs::path share(arguments[1]);
  fs::remove_all(share / "man");
  const auto commands = cli::command_texts();
  for (const cli::CommandText& command : commands)
    write(share / "man" / "man1" / cli::manual_file_name(command),
          cli::manual_page(command, commands));
  write(share / "bash-completion" / "completions" / "holdfast", completion("bash"));
  // zsh runs a file of fpath at the first completion: it defines the functions, and then completes.
  write(share / "zsh" / "site-functions" / "_holdfast",
        "#compdef holdfast\n" + completion("zsh") + "\n_bash_complete -F _holdfast\n");
  return 0;
}
