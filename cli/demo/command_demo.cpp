#include "cli/demo/command_demo.h"

#include <cstring>
#include <filesystem>
#include <sstream>

#include "cli/attach/library_choice.h"
#include "cli/demo/demo_service.h"
#include "cli/demo/page_opener.h"
#include "cli/html/page_file.h"
#include "cli/report/command_report.h"
#include "cli/talk/agent_command.h"
#include "cli/talk/command_dump.h"
#include "cli/text/display_text.h"
#include "cli/text/number_text.h"
#include "platforms/clock.h"

namespace holdfast::cli {
namespace {

namespace fs = std::filesystem;

constexpr unsigned kLogins = 4'000, kArticles = 2'000;

// The demo's own directory. What was made for a demo that came to nothing goes again.
class DemoDirectory {
 public:
  explicit DemoDirectory(const std::string& asked) {
    std::error_code error;
    if (asked.empty()) {
      path_ = made_in(fs::temp_directory_path(error));
      made_ = true;
    } else {
      made_ = fs::create_directories(asked, error);
      if (!error) path_ = fs::canonical(asked, error).string();
      if (error) throw Stop{ExitCode::kWrongUsage, "-o " + asked + ": " + error.message()};
      if (!fs::is_directory(path_))
        throw Stop{ExitCode::kWrongUsage, "-o " + asked + ": is no directory"};
    }
    if (path_.find_first_of(",\n") == std::string::npos) return;
    const std::string path = path_;
    remove();
    throw Stop{ExitCode::kWrongUsage,
               path + ": a directory without ',' in its name is wanted (-o, TMPDIR)"};
  }
  ~DemoDirectory() {
    if (!kept_) remove();
  }
  DemoDirectory(const DemoDirectory&) = delete;
  DemoDirectory& operator=(const DemoDirectory&) = delete;
  const std::string& path() const { return path_; }
  void keep() { kept_ = true; }

 private:
  static std::string made_in(const fs::path& folder) {
    std::string pattern = (folder / "holdfast-demo-XXXXXX").string();
    const int error = platforms::make_temporary_directory(pattern.data());
    if (error != 0) throw Stop{ExitCode::kRefused, folder.string() + ": " + std::strerror(error)};
    return pattern;
  }
  // Only what we made. A child of the service may end a moment after it, with a report that it has begun.
  void remove() const {
    constexpr int kTries = 20;
    constexpr std::uint64_t kPauseNs = 5'000'000;
    std::error_code error;
    for (int i = 0; made_ && i < kTries; ++i) {
      fs::remove_all(path_, error);
      if (!error && !fs::exists(path_, error)) return;
      platforms::sleep_ns(kPauseNs);
    }
  }
  std::string path_;
  bool made_ = false, kept_ = false;
};

class Demo {
 public:
  Demo(const DemoCommand& command, Surroundings& surroundings, const AgentDoor& door)
      : command_(command), surroundings_(surroundings), door_(door) {}

  ExitCode run() {
    page_file(command_.html);  // refused before a minute of work, where there are no pages
    const std::string classes = find_demo_classes(own_directory());
    const Runtime java = choose_java(find_java_runtimes(runtime_places_here()));
    const LibraryChoice library = choose_library(command_.library, own_directory());
    if (!library.refusal.good()) throw Stop{library.refusal.code, library.refusal.text};
    check_java_paths(library.path, classes);
    DemoDirectory directory(command_.directory);
    std::string report;
    if (const ExitCode code = take_report(java, classes, library.path, directory.path(), report);
        code != ExitCode::kDone)
      return code;
    directory.keep();
    return show(report);
  }

 private:
  // The service ends here, before its report is shown.
  ExitCode take_report(const Runtime& java, const std::string& classes, const std::string& library,
                       const std::string& directory, std::string& report) {
    say("a web shop that leaks starts on Java " +
        (java.version.empty() ? java.program : java.version) + " (" + java.home + ")");
    platforms::Interrupts interrupts;
    if (const int error = interrupts.open(); error != 0)
      throw Stop{ExitCode::kOurFault, std::string("signals: ") + std::strerror(error)};
    DemoService service(java, classes, library, directory, interrupts);
    if (service.interrupted()) throw interruption();
    say("it is process " + std::to_string(service.pid()) + "; " + thousands(kLogins) +
        " people log in and read " + thousands(kArticles) + " articles");
    if (!service.visit(kLogins, kArticles, interrupts)) throw interruption();
    const std::string pid = std::to_string(service.pid());
    say("now: holdfast dump " + pid + " --extended");
    return dump(pid, interrupts, report);
  }

  ExitCode dump(const std::string& pid, platforms::Interrupts& interrupts, std::string& report) {
    std::ostringstream out;
    Surroundings inner = surroundings_into(out);
    DumpCommand command;
    command.process = pid;
    command.kind = DumpKind::kExtended;
    command.file = "shop-%t-%n.hfr";
    const ExitCode code = run_dump(command, inner, door_, &interrupts);
    report = out.str();
    if (report.ends_with('\n')) report.pop_back();
    return code;
  }

  ExitCode show(const std::string& report) {
    ReportCommand command;
    command.file = report;
    if (const ExitCode code = run_report(command, surroundings_); code != ExitCode::kDone)
      return code;
    if (!pages_built()) {
      surroundings_.out << "\nreport: " << printable(report) << '\n';
      return written("demo", surroundings_);
    }
    command.html = command_.html.empty() ? fs::path(report).replace_extension(".html").string()
                                         : fs::absolute(command_.html).string();
    std::ostringstream verdict;  // which stands at the report's beginning, far up by now
    Surroundings inner = surroundings_into(verdict);
    if (const ExitCode code = run_report(command, inner); code != ExitCode::kDone) return code;
    const std::string text = verdict.str();
    surroundings_.out << '\n'
                      << text.substr(0, text.find('\n')) << "\nreport: " << printable(report)
                      << "\npage:   " << file_url(command.html) << '\n';
    if (!command_.no_open) open_in_browser(screen_here(), command.html);
    return written("demo", surroundings_);
  }

  Surroundings surroundings_into(std::ostream& out) const {
    Surroundings inner{out, surroundings_.err};
    inner.err_is_terminal = surroundings_.err_is_terminal;
    inner.utf8 = surroundings_.utf8;
    inner.no_color = surroundings_.no_color;
    inner.dumb_terminal = surroundings_.dumb_terminal;
    inner.terminal_columns = surroundings_.terminal_columns;
    return inner;
  }

  static Stop interruption() {
    return Stop{ExitCode::kRefused, "interrupted; the service has ended, nothing is left"};
  }

  void say(const std::string& text) const {
    surroundings_.err << "holdfast demo: " << printable(text) << '\n' << std::flush;
  }

  const DemoCommand& command_;
  Surroundings& surroundings_;
  const AgentDoor& door_;
};

}  // namespace

ExitCode run_demo(const DemoCommand& command, Surroundings& surroundings, const AgentDoor& door) {
  return run_for_agent("demo", surroundings,
                       [&] { return Demo(command, surroundings, door).run(); });
}

}  // namespace holdfast::cli
