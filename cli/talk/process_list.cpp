#include "cli/talk/process_list.h"

#include <nlohmann/json.hpp>

#include "cli/text/json_text.h"
#include "cli/text/number_text.h"
#include "cli/text/table.h"

namespace holdfast::cli {
namespace {

using Json = nlohmann::ordered_json;

struct VmWords {
  const char* text;
  const char* json;
};
VmWords words_of(VmKind vm) {
  switch (vm) {
    case VmKind::kHotSpot:
      return {"HotSpot", "hotspot"};
    case VmKind::kOpenJ9:
      return {"OpenJ9", "openj9"};
    case VmKind::kCoreClr:
      return {".NET", "coreclr"};
    case VmKind::kStarting:
      return {"starting", "starting"};
    case VmKind::kNone:
      break;
  }
  return {"?", nullptr};
}

const char* word_of(MainKind kind) {
  switch (kind) {
    case MainKind::kClass:
      return "class";
    case MainKind::kJar:
      return "jar";
    case MainKind::kModule:
      return "module";
    case MainKind::kAssembly:
      return "assembly";
    case MainKind::kProgram:
      return "program";
    case MainKind::kUnknown:
      break;
  }
  return nullptr;
}

const char* word_of(AgentState state) {
  switch (state) {
    case AgentState::kNone:
      return "none";
    case AgentState::kLoaded:
      return "loaded";  // and has no control socket
    case AgentState::kListens:
      return "listens";
    case AgentState::kUnknown:
      break;
  }
  return nullptr;
}

// Where the command line does not tell, the name that the system has for it.
std::string main_text(const ProcessRow& row) {
  const std::string main = short_main(row.target.command_line);
  return main.empty() ? std::string("(") + row.target.process.name + ")" : main;
}

Json text_or_null(const char* text) { return text == nullptr ? Json(nullptr) : Json(text); }
Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json row_json(const ProcessRow& row) {
  const Target& target = row.target;
  return {{"pid", target.process.pid},
          {"inner_pid", target.process.inner_pid},
          {"user", row.user},
          {"user_id", target.process.effective_user},
          {"name", target.process.name},
          {"vm", text_or_null(words_of(target.vm).json)},
          {"main_kind", text_or_null(word_of(target.command_line.kind))},
          {"main", text_or_null(target.command_line.main)},
          {"container", text_or_null(row.container)},
          {"agent", text_or_null(word_of(row.agent))}};
}

Span agent_span(AgentState state) {
  if (state == AgentState::kListens) return {"listens", Style::kAccent};
  const char* word = word_of(state);
  return {state == AgentState::kNone ? "-" : word == nullptr ? "?" : word};
}

void write_table(const ProcessList& list, Page& page) {
  Table table({{"pid"},
               {"user", ColumnKind::kText, 8},
               {"vm", ColumnKind::kText, 7},
               {"agent", ColumnKind::kText, 7},
               {"container", ColumnKind::kText, 12, true},
               {"program", ColumnKind::kName, 16}});
  for (const ProcessRow& row : list.rows)
    table.row({{std::to_string(row.target.process.pid)},
               {row.user},
               {words_of(row.target.vm).text},
               agent_span(row.agent),
               {row.container.empty() ? "-" : row.container},
               {main_text(row), Style::kBold}});
  table.write(page, 0);
}

}  // namespace

std::string process_list_text(const ProcessList& list, bool all, std::size_t columns, bool colour) {
  Page page(columns, colour);
  if (list.rows.empty())
    page.paragraph("No process with a Java or .NET VM can be seen.", Style::kPlain);
  else
    write_table(list, page);
  if (list.closed > 0 && !all)
    page.paragraph(counted(list.closed, "process", "processes") +
                       " could not be looked at (another user's, or protected); --all lists"
                       " them.",
                   Style::kDim);
  return page.text();
}

std::string process_list_json(const ProcessList& list) {
  Json rows = Json::array();
  for (const ProcessRow& row : list.rows) rows.push_back(row_json(row));
  const Json document = {
      {"schema_version", 1}, {"processes", rows}, {"processes_closed", list.closed}};
  return json_text(document) + '\n';
}

}  // namespace holdfast::cli
