// The sections of a report, by the names that --section takes.
// Shape:  in the order in which the text has them; each with the keys of the JSON that say the same.
// Zone:   offline.   Errors: none.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::cli {

struct TextContext;

struct Section {
  std::string_view name;
  void (*write)(const TextContext& context);
  std::vector<std::string_view> json_keys;
  std::string_view pass = {};  // that it needs; for the word why there is none
};

std::span<const Section> all_sections();
std::vector<std::string> section_names();
// No names: all of them.
bool is_wanted(const std::vector<std::string>& names, std::string_view section);

}  // namespace holdfast::cli
