#include "analysis/lab/delta/minimise_command.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <ostream>

#include "analysis/lab/delta/dot_picture.h"
#include "analysis/lab/delta/minimised_files.h"
#include "analysis/snapshot_file/snapshot_reader.h"

namespace holdfast::analysis::lab {

namespace {

constexpr int kDone = 0, kNotShown = 1, kWrongUsage = 2;

struct Request {
  std::string in, defect, out_snapshot, out_picture;
};

void add_once(std::vector<std::string>& words, const std::string& word) {
  if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(word);
}

std::string joined(const std::vector<std::string>& words) {
  std::string made;
  for (const std::string& word : words) made += (made.empty() ? "" : ", ") + word;
  return made;
}

// "dominators, crash PASS, hang PASS; PASS is one of: references, tree".
std::string names_of(const std::vector<Defect>& defects) {
  std::vector<std::string> names, passes;
  for (const Defect& defect : defects) {
    const std::size_t space = defect.name.find(' ');
    add_once(names, defect.name.substr(0, space) + (space == std::string::npos ? "" : " PASS"));
    if (space != std::string::npos) add_once(passes, defect.name.substr(space + 1));
  }
  return joined(names) + (passes.empty() ? "" : "; PASS is one of: " + joined(passes));
}

// What is between the input and the two outputs is the defect's name.
std::optional<Request> parsed(const std::vector<std::string>& words) {
  if (words.size() < 4 || words.size() > 5) return std::nullopt;
  const std::size_t n = words.size();
  std::string name = words[1];
  if (n == 5) name += ' ' + words[2];
  return Request{words[0], name, words[n - 2], words[n - 1]};
}

bool is_there(const std::string& path, std::ostream& err) {
  if (!std::filesystem::exists(path)) return false;
  err << path << ": is there already\n";
  return true;
}

int minimise(const Request& request, const Defect& defect, const SnapshotFile& file,
             const MinimiseLimits& limits, std::ostream& out, std::ostream& err) {
  LabGraph graph = graph_of(file.snapshot());
  const IsolatedAnswer first = run_isolated([&] { return defect.test(graph); }, limits.each);
  if (first.end != defect.shows_as) {
    err << request.in << ": " << defect.name << " does not show: its test was " << text_of(first)
        << '\n';
    return kNotShown;
  }
  MinimisedGraph made = minimised(graph, ends_as(defect.test, defect.shows_as, limits.each),
                                  {.roots_too = true, .time = limits.all});
  const Snapshot s = made.graph.snapshot();
  out << defect.name << ": " << defect.meaning << '\n'
      << summary(made) << '\n'
      << graph_text(s) << '\n';
  std::string wrong = write_snapshot(s, file.record(), request.out_snapshot);
  if (wrong.empty()) wrong = write_picture(s, request.out_picture);
  if (wrong.empty()) return kDone;
  err << wrong << '\n';
  return kWrongUsage;
}

}  // namespace

int minimise_command(const std::vector<std::string>& words, const std::vector<Defect>& defects,
                     std::ostream& out, std::ostream& err, const MinimiseLimits& limits) {
  const auto request = parsed(words);
  if (!request) {
    err << "usage: minimise_snapshot IN.hfs DEFECT OUT.hfs OUT.dot; DEFECT is one of: "
        << names_of(defects) << '\n';
    return kWrongUsage;
  }
  const auto defect = std::find_if(defects.begin(), defects.end(),
                                   [&](const Defect& d) { return d.name == request->defect; });
  if (defect == defects.end()) {
    err << request->defect << ": no such defect; there are: " << names_of(defects) << '\n';
    return kWrongUsage;
  }
  if (is_there(request->out_snapshot, err) || is_there(request->out_picture, err))
    return kWrongUsage;
  SnapshotFile file;
  if (const auto opened = file.open(request->in.c_str()); !opened) {
    err << request->in << ": " << error_text(opened.error().code) << '\n';
    return kWrongUsage;
  }
  return minimise(*request, *defect, file, limits, out, err);
}

}  // namespace holdfast::analysis::lab
