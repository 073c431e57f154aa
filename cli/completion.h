// `holdfast completion bash|zsh`: a script that completes commands, options, processes, option keys and files.
// Why from CLI11's tables: a new option is completed without anybody thinking of it.
// Shape:  a table of words a command in the script; processes are asked of `holdfast ps` when they are wanted. zsh runs the same
//         functions through its bashcompinit.
// Zone:   offline.   Errors: none.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace holdfast::cli {

struct CompletionCommand {
  std::string shell;
};

std::string completion_script(const CLI::App& app, const std::string& shell);

}  // namespace holdfast::cli
