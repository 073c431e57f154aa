#include "cli/compare/command_trend.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/compare/trend.h"
#include "cli/compare/trend_json.h"
#include "cli/compare/trend_text.h"
#include "cli/html/page_file.h"
#include "cli/html/trend_page.h"
#include "cli/report/report_source.h"
#include "cli/text/display_text.h"

namespace holdfast::cli {
namespace {

namespace fs = std::filesystem;

class TrendRun {
 public:
  TrendRun(const TrendCommand& command, Surroundings& surroundings)
      : command_(command), surroundings_(surroundings), page_(page_file(command.html)) {}

  void run() {
    if (page_.wanted()) page_.check();
    for (const std::string& input : command_.inputs) add_files(input);
    std::vector<ReportFacts> facts;
    for (const std::string& file : files_) read_facts(file, facts);
    if (facts.empty()) throw nothing_left();
    processes_ = sort_by_process(std::move(facts));
    shown_ = chosen_processes();
    if (page_.wanted())
      show_page();
    else
      show();
  }

 private:
  void add_files(const std::string& input) {
    std::error_code error;
    if (!fs::is_directory(input, error)) return files_.push_back(input);
    std::vector<std::string> found;
    for (auto entry = fs::directory_iterator(input, error);
         !error && entry != fs::directory_iterator(); entry.increment(error)) {
      if (entry->path().extension() == ".hfr") found.push_back(entry->path().string());
    }
    if (error) throw Stop{ExitCode::kRefused, input + ": cannot be listed: " + error.message()};
    if (found.empty())
      throw Stop{ExitCode::kWrongUsage, input +
                                            ": has no report in it; allowed: a directory with "
                                            "reports (*.hfr), or reports"};
    std::ranges::sort(found);
    files_.insert(files_.end(), found.begin(), found.end());
  }

  // A damaged report among many is skipped; a name that somebody typed wrongly is not.
  void skip(const std::string& file, const InputError& error) {
    const bool typed = std::ranges::find(command_.inputs, file) != command_.inputs.end();
    const bool begun = !shown_.empty();  // then it was a report when it was read first
    if (typed && !begun && error.code == ExitCode::kWrongUsage) throw Stop{error.code, error.text};
    if (skipped_.empty()) first_error_ = error.code;
    skipped_.push_back({file, error.text});
    surroundings_.err << "holdfast trend: skipped: " << printable(error.text) << '\n';
  }

  void read_facts(const std::string& file, std::vector<ReportFacts>& facts) {
    ReportSource source;
    if (const auto error = source.open(file)) return skip(file, *error);
    facts.push_back(facts_of(make_report_view(source.report(), source.report_bytes()), file));
  }

  Stop nothing_left() const {
    return {first_error_, "none of " + std::to_string(files_.size()) +
                              " files can be read as a report; allowed: reports (*.hfr)"};
  }

  std::vector<const ProcessReports*> chosen_processes() const {
    std::vector<const ProcessReports*> chosen;
    for (const ProcessReports& process : processes_) {
      const bool asked = command_.process
                             ? process.reports.front().pid == *command_.process
                             : command_.all_processes || &process == &processes_.front();
      if (asked) chosen.push_back(&process);
    }
    if (!chosen.empty()) return chosen;
    std::string pids;
    for (const ProcessReports& process : processes_)
      pids += (pids.empty() ? "" : ", ") + std::to_string(process.reports.front().pid);
    throw Stop{ExitCode::kWrongUsage, "--process " + std::to_string(*command_.process) +
                                          ": no report is of that process; there are: " + pids};
  }

  ProcessTrend trend_of(const ProcessReports& process) {
    const ClassOrder order = command_.order.value_or(ClassOrder::kShallow);
    SeriesChoice choice = choose_points(process, order == ClassOrder::kRetained, kMaxPoints);
    TrendSeries series{std::make_unique<ClassSeries>(choice.points.size()),
                       std::make_unique<AccountSeries>(choice.points.size()),
                       std::make_unique<ObjectSeries>(choice.points.size())};
    std::vector<std::size_t> read;
    for (const std::size_t at : choice.points) {
      const std::string& file = process.reports[at].file;
      ReportSource source;
      if (const auto error = source.open(file)) {  // it went since it was read first
        skip(file, *error);
        continue;
      }
      const ReportView view = make_report_view(source.report(), source.report_bytes());
      series.classes->add(view);
      series.accounts->add(view);
      series.objects->add(view);
      read.push_back(at);
    }
    choice.points = std::move(read);
    return make_trend(process, std::move(choice), order, std::move(series), command_.filter);
  }

  // One process at a time. If classes were chosen, all is held back until there is one to show.
  void show() {
    std::stringbuf held_back;
    bool any = command_.filter.empty();
    std::ostream out(any ? surroundings_.out.rdbuf() : &held_back);
    TrendJson json(out, processes_, top());
    for (const ProcessReports* process : shown_) {
      const ProcessTrend trend = trend_of(*process);
      if (!any && !trend.rows.empty()) {
        any = true;
        out.rdbuf(surroundings_.out.rdbuf());
        out << held_back.str();
      }
      if (command_.json)
        json.add(trend);
      else
        out << text_of(trend);
    }
    if (!any) throw no_class();
    if (command_.json) json.finish(skipped_);
    if (!out || !(surroundings_.out << std::flush)) throw no_output();
  }

  static Stop no_output() {
    return {ExitCode::kRefused, "cannot write to standard output (is the disk full?)"};
  }

  std::size_t top() const { return command_.top > 0 ? command_.top : kAllRows; }

  std::size_t most_points() const {
    std::size_t points = 0;
    for (const ProcessReports* process : shown_)
      points += std::min(process->reports.size(), kMaxPoints);
    return points;
  }

  void show_page() {
    std::ostringstream document;
    TrendJson json(document, processes_, trend_page_rows(most_points(), top()));
    bool any = command_.filter.empty();
    for (const ProcessReports* process : shown_) {
      const ProcessTrend trend = trend_of(*process);
      any = any || !trend.rows.empty();
      json.add(trend);
    }
    if (!any) throw no_class();
    json.finish(skipped_);
    write_page(page_, trend_page(Json::parse(std::move(document).str()), top()));
    surroundings_.out << printable(json.verdict()) << "\npage: " << printable(command_.html) << '\n'
                      << std::flush;
    if (!surroundings_.out) throw no_output();
  }

  bool any_retained() const {
    return std::ranges::any_of(shown_, [](const ProcessReports* process) {
      return std::ranges::any_of(process->reports, &ReportFacts::retained);
    });
  }

  Stop no_class() const {
    if (command_.order == ClassOrder::kRetained && !any_retained())
      return {ExitCode::kWrongUsage,
              "--sort retained: no report of these has retained sizes; allowed: reports of "
              "extended dumps, or --sort shallow or instances"};
    return {ExitCode::kWrongUsage,
            "--class and --skip leave no class of these reports; allowed: a name, or a "
            "pattern such as 'com.acme.*'"};
  }

  std::string text_of(const ProcessTrend& trend) const {
    TrendTextOptions options;
    options.columns = choose_columns(command_.width, surroundings_);
    options.colour = choose_colour(command_.colour, surroundings_);
    options.blocks = surroundings_.utf8;
    options.top = command_.top > 0 ? command_.top : TrendCommand::kDefaultTextTop;
    return trend_text(trend, {files_.size(), skipped_.size(), processes_, shown_}, options);
  }

  const TrendCommand& command_;
  Surroundings& surroundings_;
  OutputFile page_;
  std::vector<std::string> files_;
  std::vector<SkippedFile> skipped_;
  ExitCode first_error_ = ExitCode::kBadInput;
  std::vector<ProcessReports> processes_;
  std::vector<const ProcessReports*> shown_;
};

}  // namespace

ExitCode run_trend(const TrendCommand& command, Surroundings& surroundings) {
  try {
    TrendRun(command, surroundings).run();
    return ExitCode::kDone;
  } catch (const Stop& stop) {
    surroundings.err << "holdfast trend: " << printable(stop.text) << '\n';
    return stop.code;
  }
}

}  // namespace holdfast::cli
