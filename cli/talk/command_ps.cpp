#include "cli/talk/command_ps.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/attach/agent_socket.h"
#include "cli/attach/target.h"
#include "cli/text/display_text.h"
#include "cli/text/number_text.h"
#include "cli/text/table.h"

namespace holdfast::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMaxUserName = 64;
constexpr std::size_t kMaxContainerId = 16;
constexpr int kIndent = 1;

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
      return {"Java, starting", "starting"};
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

enum class AgentState : unsigned char { kNone, kLoaded, kListens, kUnknown };

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

struct Row {
  Target target;
  std::string user, container;
  AgentState agent = AgentState::kUnknown;
};

struct Listing {
  std::vector<Row> rows;
  std::size_t closed = 0;  // may not be looked at
};

AgentState agent_of(const Target& target) {
  std::vector<std::string> paths;
  const int error = as_ours_or_theirs(
      target.process, [&] { return find_agent_sockets(target.process.pid, paths); });
  if (error == 0 && !paths.empty()) return AgentState::kListens;
  return target.agent_path.empty() ? AgentState::kNone : AgentState::kLoaded;
}

Row make_row(const TargetLook& look) {
  Row row;
  row.target = look.target;
  const std::uint32_t pid = row.target.process.pid;
  char user[kMaxUserName];
  char container[kMaxContainerId];
  platforms::user_name(row.target.process.effective_user, user, sizeof user);
  platforms::container_id_of(pid, container, sizeof container);
  row.user = user;
  row.container = container;
  if (look.not_permitted) return row;
  row.agent = agent_of(row.target);
  return row;
}

void add_process(std::uint32_t pid, bool all, Listing& to) {
  const TargetLook look = look_at_process(pid);
  if (look.not_permitted) ++to.closed;
  if (look.not_permitted ? all : look.refusal.good() && look.target.vm != VmKind::kNone)
    to.rows.push_back(make_row(look));
}

Listing list_all(bool all) {
  struct Visit {
    bool all;
    Listing listing;
  } visit{all, {}};
  platforms::visit_processes(
      [](void* context, std::uint32_t pid) {
        auto& to = *static_cast<Visit*>(context);
        add_process(pid, to.all, to.listing);
        return true;
      },
      &visit);
  std::ranges::sort(visit.listing.rows, {}, [](const Row& row) { return row.target.process.pid; });
  return std::move(visit.listing);
}

// Where the command line does not tell, the name that the system has for it.
std::string main_text(const Row& row) {
  const std::string main = short_main(row.target.command_line);
  return main.empty() ? std::string("(") + row.target.process.name + ")" : main;
}

Json text_or_null(const char* text) { return text == nullptr ? Json(nullptr) : Json(text); }
Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json row_json(const Row& row) {
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

std::string listing_json(const Listing& listing) {
  Json rows = Json::array();
  for (const Row& row : listing.rows) rows.push_back(row_json(row));
  const Json document = {
      {"schema_version", 1}, {"processes", rows}, {"processes_closed", listing.closed}};
  return document.dump(kIndent, ' ', false, Json::error_handler_t::replace) + '\n';
}

Span agent_span(AgentState state) {
  if (state == AgentState::kListens) return {"listens", Style::kAccent};
  const char* word = word_of(state);
  return {state == AgentState::kNone ? "-" : word == nullptr ? "?" : word};
}

void write_table(const Listing& listing, Page& page) {
  Table table({{"pid"},
               {"user", ColumnKind::kText, 8},
               {"vm", ColumnKind::kText, 7},
               {"agent", ColumnKind::kText, 7},
               {"container", ColumnKind::kText, 12, true},
               {"program", ColumnKind::kName, 16}});
  for (const Row& row : listing.rows)
    table.row({{std::to_string(row.target.process.pid)},
               {row.user},
               {words_of(row.target.vm).text},
               agent_span(row.agent),
               {row.container.empty() ? "-" : row.container},
               {main_text(row), Style::kBold}});
  table.write(page, 0);
}

std::string listing_text(const Listing& listing, bool all, std::size_t columns, bool colour) {
  Page page(columns, colour);
  if (listing.rows.empty())
    page.paragraph("No process with a Java or .NET VM can be seen.", Style::kPlain);
  else
    write_table(listing, page);
  if (listing.closed > 0 && !all)
    page.paragraph(counted(listing.closed, "process", "processes") +
                       " could not be looked at (another user's, or protected); --all lists"
                       " them.",
                   Style::kDim);
  return page.text();
}

ExitCode refuse(const AttachOutcome& refusal, Surroundings& surroundings) {
  surroundings.err << "holdfast ps: " << printable(refusal.text) << '\n';
  return refusal.code;
}

// The one that was named, or why not.
std::optional<AttachOutcome> list_one(std::uint32_t pid, Listing& to) {
  const TargetLook look = look_at_process(pid);
  if (!look.refusal.good()) return look.refusal;
  if (look.target.vm == VmKind::kNone)
    return refused(named(look.target.process) + " (" + look.target.process.name +
                   ") has no Java or .NET VM in it");
  to.rows.push_back(make_row(look));
  return std::nullopt;
}

}  // namespace

ExitCode run_ps(const PsCommand& command, Surroundings& surroundings) {
  Listing listing;
  if (command.pid != 0) {
    if (const auto refusal = list_one(command.pid, listing)) return refuse(*refusal, surroundings);
  } else {
    if (const auto numbers = check_numbers(); !numbers.good()) return refuse(numbers, surroundings);
    listing = list_all(command.all);
  }
  const std::size_t columns = choose_columns(command.width, surroundings);
  surroundings.out << (command.json ? listing_json(listing)
                                    : listing_text(listing, command.all, columns,
                                                   choose_colour(command.colour, surroundings)))
                   << std::flush;
  if (surroundings.out) return ExitCode::kDone;
  return refuse(refused("cannot write to standard output (is the disk full?)"), surroundings);
}

}  // namespace holdfast::cli
