#include "analysis/lab/delta/property.h"

#include <cctype>
#include <cstdlib>
#include <filesystem>

#include "analysis/lab/delta/dot_picture.h"
#include "analysis/lab/delta/isolation.h"
#include "analysis/lab/delta/minimised_files.h"

namespace holdfast::analysis::lab {

namespace {

constexpr std::chrono::seconds kIsolatedLimit{10};
constexpr std::size_t kMostLinesInMessage = 200;
constexpr MinimiserLimits kLimits{true, 100'000, std::chrono::seconds(20)};

std::string file_name(const std::string& name) {
  std::string made = name;
  for (char& c : made)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_' && c != '.') c = '-';
  return made + "-minimised";
}

std::string write_files(const Snapshot& snapshot, const std::string& name) {
  const char* const folder = std::getenv("HF_MINIMISED_DIR");
  if (folder == nullptr || *folder == '\0') return "";
  const std::string stem = (std::filesystem::path(folder) / file_name(name)).string();
  for (const char* const ending : {".hfs", ".dot"}) std::filesystem::remove(stem + ending);
  std::string wrong = write_snapshot(snapshot, DumpRecord{}, stem + ".hfs");
  if (wrong.empty()) wrong = write_picture(snapshot, stem + ".dot");
  return (wrong.empty() ? "written: " + stem + ".hfs and .dot" : wrong) + '\n';
}

bool is_set(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr && std::string_view(value) == "1";
}

GraphTest held(const GraphTest& holds) {
  if (is_set("HF_ISOLATED")) return ends_as(holds, IsolatedEnd::kTrue, kIsolatedLimit);
  return [&holds](LabGraph& graph) {
    try {
      return holds(graph);
    } catch (...) {  // an assertion of the test framework, for one
      return false;
    }
  };
}

}  // namespace

std::string counterexample(const LabGraph& graph, const std::string& name, const GraphTest& holds) {
  const GraphTest asked = held(holds);
  LabGraph whole = graph;
  if (asked(whole)) return "";
  MinimisedGraph made = minimised(
      graph, [&](LabGraph& g) { return !asked(g); }, kLimits);
  const Snapshot s = made.graph.snapshot();
  return name + " does not hold\n" + summary(made) + '\n' + graph_text(s) + '\n' +
         write_files(s, name) + dot_picture(s, kMostLinesInMessage);
}

}  // namespace holdfast::analysis::lab
