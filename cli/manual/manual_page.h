// Manual pages for man(1), made from what --help prints and from the tables of options.
// Why from these: an option that is new is in the page without a second text. The help's shape carries the structure: a line that ends
//      with ':' begins a section, two blanks in front make an item, two blanks behind a term its description.
// Shape:  roff with the macros of man(7), ASCII alone, the same at every build of a version.
// Zone:   offline (when holdfast is built, and in tests).   Errors: none.
// Source: man(7), man-pages(7), groff_man(7).
#pragma once

#include <string>
#include <vector>

namespace holdfast::cli {

// One command, or holdfast itself.
struct CommandText {
  std::string name;                               // "dump"; empty: holdfast itself
  std::string help;                               // what --help prints
  std::vector<std::vector<std::string>> options;  // the spellings of each: {"--output", "-o"}
};

// "holdfast-dump.1"
std::string manual_file_name(const CommandText& command);
// `all`: what SEE ALSO names.
std::string manual_page(const CommandText& command, const std::vector<CommandText>& all);

}  // namespace holdfast::cli
