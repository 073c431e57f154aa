// A comparison for a person: the verdict first, then what it rests on.
// Shape:  one string, made by Page; no line is wider than the page.   Zone: offline.   Errors: none.
#pragma once

#include <string>
#include <vector>

#include "cli/compare/diff.h"

namespace holdfast::cli {

inline constexpr std::string_view kDiffSections[] = {"classes",  "states",  "tree",    "objects",
                                                     "packages", "loaders", "accounts"};

struct DiffTextOptions {
  std::size_t columns = 80;
  bool colour = false;
  std::size_t top = 15;
  std::vector<std::string> sections = {};  // of kDiffSections; empty: all
};

std::string diff_text(const Diff& diff, const DiffTextOptions& options);

}  // namespace holdfast::cli
