#include "cli/export/command_export.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "analysis/snapshot_file/snapshot_reader.h"

#include "cli/export/account_stacks.h"
#include "cli/export/folded.h"
#include "cli/export/hprof_export.h"
#include "cli/export/open_metrics.h"
#include "cli/export/pprof.h"
#include "cli/export/row_text.h"
#include "cli/output_file.h"
#include "cli/report/report_source.h"
#include "cli/text/display_text.h"
#include "common/atomic_file.h"

namespace holdfast::cli {
namespace {

class Export {
 public:
  Export(const ExportCommand& command, const ExportFormat& format, Surroundings& surroundings)
      : command_(command),
        format_(format),
        surroundings_(surroundings),
        output_("-o", command.output, std::string(format.mark)) {}

  void run() {
    if (command_.output.empty() && format_.binary && surroundings_.out_is_terminal)
      refuse(" is not for a terminal; allowed: -o FILE, or a pipe");
    if (command_.files.size() > 1 && !format_.rows)
      refuse(" takes one FILE; allowed: one command for each");
    if (command_.top > 0 && format_.kind != ExportKind::kOpenMetrics)
      refuse(" is written whole; allowed with --top: openmetrics");
    if (!command_.rows.empty() && !format_.rows)
      refuse(" has no rows; allowed with --rows: jsonl, csv");
    if (!command_.stacks.empty() && !has_stacks())
      refuse(" has no stacks; allowed with --stacks: pprof, folded");
    output_.check();
    take_each_once();
    check_input();
    if (output_.wanted())
      write_file();
    else
      write_standard_output();
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw Stop{ExitCode::kWrongUsage, "--format " + std::string(format_.name) + why};
  }

  template <class Use>
  static void with_report(const std::string& path, const Use& use) {
    ReportSource source;
    if (const auto error = source.open(path)) throw Stop{error->code, error->text};
    use(make_report_view(source.report(), source.report_bytes()));
  }

  // Rows that are there twice would be counted twice. A pattern of a shell names a file twice more easily than a person.
  void take_each_once() {
    std::set<std::filesystem::path> seen;
    for (const std::string& file : command_.files) {
      std::error_code ignored;
      const std::filesystem::path place = std::filesystem::canonical(file, ignored);
      if (ignored || seen.insert(place).second)
        files_.push_back(file);
      else
        surroundings_.err << "holdfast export: " << printable(file)
                          << ": is named twice; its rows are written once\n";
    }
  }

  void check_input() {
    if (format_.kind == ExportKind::kHprof) return open_snapshot();
    for (const std::string& file : files_)
      with_report(file, [&](const ReportView& view) { check_stacks(view); });
  }

  bool has_stacks() const {
    return format_.kind == ExportKind::kPprof || format_.kind == ExportKind::kFolded;
  }

  void check_stacks(const ReportView& view) const {
    if (stacks() == StackKind::kTree) return;
    if (const std::string why = why_no_account_stacks(view, stacks()); !why.empty())
      throw Stop{ExitCode::kWrongUsage, "--stacks " + command_.stacks + ": " + why};
  }

  void open_snapshot() {
    const std::string& path = command_.files.front();
    if (!is_snapshot_file(path))
      with_report(path, [&](const ReportView&) {
        throw Stop{ExitCode::kWrongUsage,
                   path +
                       ": a report has no objects; --format hprof takes a snapshot (.hfs), which "
                       "snapshot=on or 'holdfast analyze --snapshot' writes"};
      });
    if (const auto read = snapshot_.open(path.c_str()); !read) {
      std::error_code ignored;
      const auto bytes = std::filesystem::file_size(path, ignored);
      const InputError error = describe_snapshot_error(path, read.error(), ignored ? 0 : bytes);
      throw Stop{error.code, error.text};
    }
    if (snapshot_.cut().cut)
      surroundings_.err << "holdfast export: " << printable(path)
                        << ": is cut; what is in it is written\n";
  }

  void write(const Sink& sink) const {
    if (format_.kind == ExportKind::kHprof) return write_dump(sink);
    if (format_.kind == ExportKind::kCsv) sink(csv_header(row_columns(rows())));
    for (const std::string& file : files_)
      with_report(file, [&](const ReportView& view) { write_report(view, file, sink); });
  }

  void write_dump(const Sink& sink) const {
    const std::uint64_t cut = write_hprof(snapshot_.snapshot(), snapshot_.record(), sink);
    if (cut > 0)
      surroundings_.err << "holdfast export: " << printable(command_.files.front())
                        << ": arrays that are cut, being longer than HPROF can say: " << cut
                        << '\n';
  }

  void write_report(const ReportView& view, const std::string& file, const Sink& sink) const {
    switch (format_.kind) {
      case ExportKind::kHprof:
        return;  // of the graph, not of the report
      case ExportKind::kPprof:
        return write_pprof(view, stacks(), sink);
      case ExportKind::kFolded:
        return write_folded(view, stacks(), sink);
      case ExportKind::kOpenMetrics:
        return write_open_metrics(view, command_.top > 0 ? command_.top : kDefaultMetricClasses,
                                  sink);
      case ExportKind::kJsonLines:
        return report_rows(view, rows(), file, [&](const Row& row) { sink(json_line(row)); });
      case ExportKind::kCsv:
        return report_rows(view, rows(), file, [&](const Row& row) { sink(csv_line(row)); });
    }
  }

  StackKind stacks() const {
    const auto* const found = std::ranges::find(kStackKindWords, command_.stacks);
    return found == std::end(kStackKindWords)
               ? StackKind::kTree
               : static_cast<StackKind>(found - std::begin(kStackKindWords));
  }

  RowKind rows() const {
    const auto* const found = std::ranges::find(kRowKindWords, command_.rows);
    return found == std::end(kRowKindWords)
               ? RowKind::kClasses
               : static_cast<RowKind>(found - std::begin(kRowKindWords));
  }

  void write_file() const {
    output_.write([&](const char* directory, const char* name) -> Result<void> {
      AtomicFile file;
      HF_CHECK_OK(file.open(directory, name));
      Result<void> written;
      write([&](std::string_view bytes) {
        if (written) written = file.write(bytes.data(), bytes.size());
      });
      HF_CHECK_OK(written);
      return file.publish();
    });
  }

  void write_standard_output() {
    write([&](std::string_view bytes) {
      if (surroundings_.out_is_terminal)
        write_printable(bytes);
      else
        surroundings_.out << bytes;
    });
    surroundings_.out << std::flush;
    if (!surroundings_.out)
      throw Stop{ExitCode::kRefused, "cannot write to standard output (is the disk full?)"};
  }

  // Line ends are ours; whatever else a terminal would obey came with a name.
  void write_printable(std::string_view text) {
    while (!text.empty()) {
      const std::size_t end = text.find('\n');
      std::string_view line = text.substr(0, end);
      if (line.ends_with('\r')) line.remove_suffix(1);
      surroundings_.out << printable(line);
      if (end == std::string_view::npos) return;
      surroundings_.out << '\n';
      text.remove_prefix(end + 1);
    }
  }

  const ExportCommand& command_;
  const ExportFormat& format_;
  Surroundings& surroundings_;
  OutputFile output_;
  std::vector<std::string> files_;   // each once
  analysis::SnapshotFile snapshot_;  // of hprof
};

}  // namespace

ExitCode run_export(const ExportCommand& command, Surroundings& surroundings) {
  try {
    const ExportFormat* const format = export_format(command.format);
    if (format == nullptr)
      throw Stop{ExitCode::kWrongUsage, "--format " + command.format +
                                            ": unknown format; allowed: " + export_format_names()};
    Export(command, *format, surroundings).run();
    return ExitCode::kDone;
  } catch (const Stop& stop) {
    surroundings.err << "holdfast export: " << printable(stop.text) << '\n';
    return stop.code;
  }
}

}  // namespace holdfast::cli
