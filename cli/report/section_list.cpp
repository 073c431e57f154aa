#include "cli/report/section_list.h"

#include <algorithm>

#include "cli/report/text_sections.h"

namespace holdfast::cli {
namespace {

void write_cost_section(const TextContext& context) {
  write_timing(context);
  write_memory(context);
}

}  // namespace

std::span<const Section> all_sections() {
  static const std::vector<Section> kSections = {
      {"verdict", write_verdict, {"verdict"}},
      {"suspects", write_suspects, {"suspects"}, "suspects"},
      {"states", write_states, {"states"}, "heap states"},
      {"classes", write_classes, {"classes", "classes_total", "rest_of_classes"}},
      {"tree", write_tree, {"tree"}, "upper dominator tree"},
      {"objects", write_top_objects, {"top_objects", "tracking"}, "top objects"},
      {"reachable", write_reachable, {"reachable"}, "reachable sizes"},
      {"cuts", write_cuts, {"cuts"}, "cuts"},
      {"holders", write_holders, {"holders"}, "holders"},
      {"accounts", write_accounts, {"accounts"}, "accounts"},
      {"collections", write_collections, {"collections"}},
      {"aging", write_aging, {"aging"}},
      {"ages", write_ages, {"ages"}, "ages"},
      {"threads", write_threads, {"threads", "threads_total"}},
      {"packages", write_packages, {"packages", "packages_total", "rest_of_packages"}},
      {"loaders", write_loaders, {"loaders", "loaders_total", "rest_of_loaders"}},
      {"graph", write_graph, {"graph"}},
      {"cost", write_cost_section, {"dump", "memory", "passes"}},
      {"losses", write_losses, {"losses", "notes"}},
      {"origin", write_origin, {"origin", "options", "report_bytes"}},
  };
  return kSections;
}

std::vector<std::string> section_names() {
  std::vector<std::string> names;
  for (const Section& section : all_sections()) names.emplace_back(section.name);
  return names;
}

bool is_wanted(const std::vector<std::string>& names, std::string_view section) {
  return names.empty() || std::ranges::find(names, section) != names.end();
}

}  // namespace holdfast::cli
