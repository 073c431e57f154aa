#include "cli/demo/command_demo.h"

#include <cstring>
#include <filesystem>

#include "cli/attach/library_choice.h"
#include "cli/demo/demo_service.h"
#include "cli/demo/page_opener.h"
#include "cli/html/page_file.h"
#include "cli/html/report_page.h"
#include "cli/report/command_report.h"
#include "cli/report/report_source.h"
#include "cli/report/verdict.h"
#include "cli/talk/agent_command.h"
#include "cli/talk/command_dump.h"
#include "cli/text/display_text.h"
#include "cli/text/number_text.h"
#include "platforms/clock.h"
#include "platforms/file.h"
#include "platforms/held_signals.h"

namespace holdfast::cli {
namespace {

namespace fs = std::filesystem;

constexpr unsigned kLogins = 4'000, kArticles = 2'000;

fs::path temporary_folder() {
  std::error_code error;
  fs::path folder = fs::temp_directory_path(error);
  if (error) folder = "/tmp";
  const fs::path whole = fs::canonical(folder, error);
  return error ? folder : whole;
}

// The first part of this path that is not there; empty: all of it is.
fs::path first_missing(const fs::path& path) {
  fs::path at;
  std::error_code ignored;
  for (const fs::path& step : path) {
    at /= step;
    if (!fs::exists(fs::symlink_status(at, ignored))) return at;
  }
  return {};
}

// Where the report goes, and where the service writes it: in a new folder below -o, or in the new one of TMPDIR itself. What was made for
// a demo that came to nothing goes again.
class DemoDirectory {
 public:
  explicit DemoDirectory(const std::string& asked) {
    try {
      if (!asked.empty()) use(asked);
      work_ = made_in(asked.empty() ? temporary_folder() : path_);
      if (asked.empty()) path_ = work_;
      if (path_.string().find_first_of(",\n") != std::string::npos)
        throw Stop{ExitCode::kWrongUsage,
                   path_.string() + ": a directory without ',' in its name is wanted (-o, TMPDIR)"};
    } catch (const Stop&) {
      remove();
      throw;
    }
  }
  ~DemoDirectory() {
    if (!kept_) remove();
  }
  DemoDirectory(const DemoDirectory&) = delete;
  DemoDirectory& operator=(const DemoDirectory&) = delete;
  std::string work() const { return work_.string(); }
  // The report's place from now on. It stays where it is if its name is taken meanwhile.
  std::string keep(const std::string& report) {
    kept_ = true;
    if (work_ == path_) return report;
    const fs::path place = path_ / fs::path(report).filename();
    if (platforms::publish_file(report.c_str(), place.c_str()) != 0) return report;
    remove_whole(work_);
    return place.string();
  }

 private:
  static fs::path made_in(const fs::path& folder) {
    std::string pattern = (folder / "holdfast-demo-XXXXXX").string();
    const int error = platforms::make_temporary_directory(pattern.data());
    if (error != 0) throw Stop{ExitCode::kRefused, folder.string() + ": " + std::strerror(error)};
    return pattern;
  }

  void use(const std::string& asked) {
    std::error_code error;
    path_ = fs::absolute(asked, error);
    if (!error) path_ = fs::weakly_canonical(path_, error);
    if (!path_.has_filename()) path_ = path_.parent_path();  // DIR/
    if (!error) {
      first_made_ = first_missing(path_);
      fs::create_directories(path_, error);
    }
    if (error) throw Stop{ExitCode::kWrongUsage, "-o " + asked + ": " + error.message()};
    if (!fs::is_directory(path_, error))
      throw Stop{ExitCode::kWrongUsage, "-o " + asked + ": is no directory"};
  }

  // Only what we made, and of the folders above only what is empty.
  void remove() const {
    if (!work_.empty()) remove_whole(work_);
    if (first_made_.empty()) return;
    std::error_code error;
    fs::path at = path_;
    for (; at != first_made_ && at.has_relative_path(); at = at.parent_path())
      fs::remove(at, error);
    fs::remove(at, error);
  }

  // A child of the service may end a moment after it, with a report that it has begun.
  static void remove_whole(const fs::path& path) {
    constexpr int kTries = 20;
    constexpr std::uint64_t kPauseNs = 5'000'000;
    std::error_code error;
    for (int i = 0; i < kTries; ++i) {
      fs::remove_all(path, error);
      if (!error && !fs::exists(path, error)) return;
      platforms::sleep_ns(kPauseNs);
    }
  }

  fs::path path_, work_, first_made_;
  bool kept_ = false;
};

class Demo {
 public:
  Demo(const DemoCommand& command, Surroundings& surroundings, const AgentDoor& door)
      : command_(command),
        surroundings_(surroundings),
        door_(door),
        page_(page_file(command.html)) {}

  ExitCode run() {
    page_.check();  // refused before a minute of work
    const std::string classes = find_demo_classes(own_directory());
    const RuntimePlaces places = runtime_places_here();
    const Runtime java = choose_java(find_java_runtimes(places));
    const LibraryChoice library = choose_library(command_.library, own_directory());
    if (!library.refusal.good()) throw Stop{library.refusal.code, library.refusal.text};
    check_java_paths(library.path, classes);
    if (const std::string trouble = java_home_trouble(places); !trouble.empty()) say(trouble);
    return show(take_report(java, classes, library.path));
  }

 private:
  // The service ends here, before its report is shown. Until what was made for it is kept or gone, no signal ends us.
  std::string take_report(const Runtime& java, const std::string& classes,
                          const std::string& library) {
    platforms::ignore_pipe_signal();
    platforms::Interrupts interrupts;
    if (const int error = interrupts.open(); error != 0)
      throw Stop{ExitCode::kOurFault, std::string("signals: ") + std::strerror(error)};
    DemoDirectory directory(command_.directory);
    std::string report;
    try {
      report = dumped(java, classes, library, directory.work(), interrupts);
    } catch (const Stop&) {
      if (interrupts.end_wanted()) throw interruption();
      throw;
    }
    if (interrupts.end_wanted()) throw interruption();
    return directory.keep(report);
  }

  std::string dumped(const Runtime& java, const std::string& classes, const std::string& library,
                     const std::string& directory, platforms::Interrupts& interrupts) {
    say("a web shop that leaks starts on Java " +
        (java.version.empty() ? java.program : java.version) + " (" + java.home + ")");
    DemoService service(java, classes, library, directory, interrupts);
    if (service.interrupted()) throw interruption();
    say("it is process " + std::to_string(service.pid()) + "; " + thousands(kLogins) +
        " people log in and read " + thousands(kArticles) + " articles");
    if (!service.visit(kLogins, kArticles, interrupts)) throw interruption();
    const std::string pid = std::to_string(service.pid());
    say("now: holdfast dump " + pid + " --extended");
    DumpCommand command;
    command.process = pid;
    command.kind = DumpKind::kExtended;
    command.file = "shop-%t-%n.hfr";
    return take_dump(command, surroundings_, door_, interrupts);
  }

  ExitCode show(const std::string& report) {
    ReportSource source;
    if (const auto error = source.open(report)) throw Stop{error->code, error->text};
    ReportCommand command;
    command.file = report;
    if (const ExitCode code = show_report(command, source, surroundings_); code != ExitCode::kDone)
      return code;
    surroundings_.out << '\n';
    if (!pages_built()) {
      surroundings_.out << "report: " << printable(report) << '\n';
      return written("demo", surroundings_);
    }
    // The verdict stands at the report's beginning, far up by now.
    const ReportView view = make_report_view(source.report(), source.report_bytes());
    surroundings_.out << printable(verdict_text(view, kFullNames))
                      << "\nreport: " << printable(report) << '\n'
                      << std::flush;
    const std::string page = write_report_page(report, view);
    surroundings_.out << "page:   " << file_url(page) << '\n';
    if (!command_.no_open) open_in_browser(screen_here(), page);
    return written("demo", surroundings_);
  }

  std::string write_report_page(const std::string& report, const ReportView& view) {
    if (page_.wanted()) {
      write_page(page_, report_page(view));
      return fs::absolute(command_.html).string();
    }
    std::string path = fs::path(report).replace_extension(".html").string();
    OutputFile page = page_file(path);
    page.check();
    write_page(page, report_page(view));
    return path;
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
  OutputFile page_;
};

}  // namespace

ExitCode run_demo(const DemoCommand& command, Surroundings& surroundings, const AgentDoor& door) {
  return run_for_agent("demo", surroundings,
                       [&] { return Demo(command, surroundings, door).run(); });
}

}  // namespace holdfast::cli
