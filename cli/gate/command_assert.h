// `holdfast assert FILE 'EXPR' ...`: does a report bear out what a build demands of its heap?
// Shape:  every expression is parsed before a file is read, and every one is judged and told. stdout: text, JSON or Markdown;
//         --junit a file beside it.   Zone: offline.
// Errors: 1 when an assertion fails, 4 when none fails and one cannot be decided (a line on err says which); 2, 3 and 4 of
//         wrong expressions and unreadable files, with one line on err and nothing on out.
#pragma once

#include <string>
#include <vector>

#include "cli/exit_code.h"
#include "cli/surroundings.h"

namespace holdfast::cli {

struct AssertCommand {
  std::string file;
  std::vector<std::string> expressions;
  std::string baseline;  // empty: none
  std::string junit;     // empty: none
  bool json = false;
  bool markdown = false;
  std::size_t width = 0;
  ColourChoice colour = ColourChoice::kAuto;
};

ExitCode run_assert(const AssertCommand& command, Surroundings& surroundings);

}  // namespace holdfast::cli
