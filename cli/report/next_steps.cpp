#include "cli/report/next_steps.h"

#include <filesystem>

#include "cli/report/report_source.h"
#include "cli/text/class_name.h"
#include "cli/text/display_text.h"

namespace holdfast::cli {
namespace {

namespace fs = std::filesystem;

class Steps {
 public:
  Steps(const ReportView& view, const ReportPlace& place)
      : view_(view), file_(quoted_file(place.file)), graph_file_(quoted_file(place.graph_file)) {}

  std::vector<NextStep> all() {
    if (!view_.graph)
      about_missing_graph();
    else
      about_graph();
    about_accounts();
    about_losses();
    about_time();
    if (steps_.size() > kMostSteps) steps_.resize(kMostSteps);
    return std::move(steps_);
  }

 private:
  // A file's name that begins with a dash would be taken for an option.
  static std::string quoted_file(const std::string& path) {
    return shell_quoted(path.starts_with('-') ? "./" + path : path);
  }
  void add(std::string command, std::string why) {
    steps_.push_back({std::move(command), std::move(why)});
  }
  std::string process() const { return std::to_string(view_.origin.pid); }
  bool has_process() const { return view_.origin.pid != 0 && !view_.dump.imported(); }

  void about_missing_graph() {
    if (!graph_file_.empty()) {
      add("holdfast analyze " + graph_file_,
          "the graph is in this snapshot: retained sizes, suspects and paths");
    } else if (has_process()) {
      add("holdfast dump " + process() + " --extended --report",
          "this report counts objects only; an extended dump tells what holds them");
    }
  }

  // What the rest is about: the likeliest suspect's class, else the largest one.
  std::string_view subject() const {
    if (!view_.suspects.empty()) return view_.suspects.front().class_name;
    return view_.classes.empty() ? std::string_view{} : view_.classes.front().name;
  }

  void about_graph() {
    const std::string name = shell_quoted(subject());
    if (!view_.suspects.empty() && !file_.empty())
      add("holdfast report " + file_ + " --section suspects",
          "every suspect with its path, its evidence and what speaks for another explanation");
    if (name.empty()) return;
    if (!graph_file_.empty()) {
      add("holdfast report " + graph_file_ + " --paths-to " + name,
          "all ways in which these objects are held, merged class by class");
      add("holdfast report " + graph_file_ + " --dominators-of " + name + " --skip 'java.*'",
          "which classes of the application keep them alive");
    } else if (has_process()) {
      add("holdfast dump " + process() + " --extended --snapshot",
          "keeps the object graph (.hfs), of which 'holdfast report' answers --paths-to " + name +
              " and more; this report has none");
    }
    if (!file_.empty())
      add("holdfast report " + file_ + " --class " + name,
          "all that this report says about the class");
  }

  void about_accounts() {
    if (!view_.accounts || file_.empty()) return;
    add("holdfast report " + file_ + " --section accounts",
        "who allocated what: accounts with their callers and classes");
  }

  void about_losses() {
    if (view_.losses.heap_complete() || file_.empty()) return;
    add("holdfast report " + file_ + " --section losses,cost",
        "what was lost or left out, and why: figures may be too small");
  }

  // One report is a moment; growth takes two.
  void about_time() {
    if (!has_process()) return;
    add("holdfast watch " + process(), "does it grow? classes by growth, live");
    // Of another run a lambda's class has another address.
    const std::string_view lasting = without_run(subject());
    const std::string name = std::string(lasting) + (lasting == subject() ? "" : "*");
    if (!shell_quoted(name + ".instances").empty() && !file_.empty() && !subject().empty()) {
      add("holdfast assert NEW.hfr --baseline " + file_ + " " +
              shell_quoted("growth(" + name + ".instances) <= 0"),
          "after a second dump to NEW.hfr: exit code 1 when there are more of them");
    }
  }

  const ReportView& view_;
  std::string file_, graph_file_;
  std::vector<NextStep> steps_;
};

}  // namespace

ReportPlace place_of_report(const std::string& file) {
  if (is_snapshot_file(file)) return {file, file};
  const std::string beside = fs::path(file).replace_extension(".hfs").string();
  return {file, is_snapshot_file(beside) ? beside : ""};
}

std::string shell_quoted(std::string_view text) {
  if (text.empty() || text.size() > kMostQuotedBytes || printable(text) != text) return {};
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'')
      quoted += "'\\''";
    else
      quoted += c;
  }
  return quoted + '\'';
}

std::vector<NextStep> next_steps(const ReportView& view, const ReportPlace& place) {
  return Steps(view, place).all();
}

}  // namespace holdfast::cli
