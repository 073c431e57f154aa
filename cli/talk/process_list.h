// What `holdfast ps` shows, as values, and how it shows them.
// Shape:  a row a process, by number; words for people and for programs.   Zone: offline.   Errors: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "cli/attach/target.h"

namespace holdfast::cli {

enum class AgentState : std::uint8_t { kNone, kLoaded, kListens, kUnknown };

struct ProcessRow {
  Target target;
  std::string user, container;
  AgentState agent = AgentState::kUnknown;
};

struct ProcessList {
  std::vector<ProcessRow> rows;
  std::size_t closed = 0;  // may not be looked at
};

// `all`: those are listed as well, so nothing need be said of them.
std::string process_list_text(const ProcessList& list, bool all, std::size_t columns, bool colour);
std::string process_list_json(const ProcessList& list);

}  // namespace holdfast::cli
