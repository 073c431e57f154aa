// The names of stacks, each once.
// Shape:  names[id], ids in the order in which they come; O(log names) each.   Zone: offline.   Errors: none.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace holdfast::cli {

class StackNames {
 public:
  explicit StackNames(std::vector<std::string>& names) : names_(names) {}

  std::uint32_t id(const std::string& text) {
    const auto [at, added] = ids_.try_emplace(text, static_cast<std::uint32_t>(names_.size()));
    if (added) names_.push_back(text);
    return at->second;
  }

 private:
  std::vector<std::string>& names_;
  std::map<std::string, std::uint32_t> ids_;
};

}  // namespace holdfast::cli
