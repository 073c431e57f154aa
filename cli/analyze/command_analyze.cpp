#include "cli/analyze/command_analyze.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "analysis/dominators.h"
#include "analysis/import/import.h"
#include "analysis/passes.h"
#include "analysis/report/file_header.h"
#include "analysis/report/reader.h"
#include "analysis/report/writer.h"
#include "analysis/snapshot_file/block_format.h"
#include "analysis/snapshot_file/snapshot_writer.h"
#include "analysis/states/heap_states.h"
#include "cli/analyze/answer_text.h"
#include "cli/analyze/object_rows.h"
#include "cli/analyze/object_sizes.h"
#include "cli/analyze/progress.h"
#include "cli/html/page_file.h"
#include "cli/output_file.h"
#include "cli/report/report_view.h"
#include "cli/report/verdict.h"
#include "cli/text/display_text.h"
#include "cli/text/number_text.h"
#include "common/atomic_file.h"
#include "platforms/file.h"

namespace holdfast::cli {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t kDefaultAnswerRows = 40;

Stop failed(const std::string& what, const Error& error) {
  return {error.code == ErrorCode::kInconsistent ? ExitCode::kOurFault : ExitCode::kRefused,
          what + ": " + std::string(error_text(error.code))};
}

template <std::size_t N>
std::string text_of(const std::array<unsigned char, N>& magic) {
  return {magic.begin(), magic.end()};
}

// A file of ours in one go.
template <class Write>
Result<void> write_whole(const char* directory, const char* name, Write write) {
  AtomicFile file;
  HF_CHECK_OK(file.open(directory, name));
  HF_CHECK_OK(write(file));
  return file.publish();
}

// A dump with an analysis around it: what DumpEngine is to a VM.
class Analysis {
 public:
  Analysis(const AnalyzeCommand& command, Surroundings& surroundings)
      : command_(command),
        surroundings_(surroundings),
        report_file_("-o", command.output, text_of(analysis::kReportMagic)),
        snapshot_file_("--snapshot", command.snapshot, text_of(analysis::kSnapshotMagic)),
        objects_file_("--objects", command.objects, std::string(kObjectRowsHeader)),
        progress_(surroundings, command.quiet) {}

  void run() {
    OutputFile page = page_file(command_.shown.html);
    check_distinct({&report_file_, &snapshot_file_, &objects_file_, &page});
    for (OutputFile* file : {&report_file_, &snapshot_file_, &objects_file_, &page}) file->check();
    import();
    pass();
    write();
    show();
  }

 private:
  void import() {
    analysis::ImportOptions options;
    options.like_mat = command_.like_mat;
    options.keep_addresses =
        !command_.objects.empty() || !command_.snapshot.empty() || command_.shown.queries.any();
    if (command_.memory_bytes != 0) options.memory_limit_bytes = command_.memory_bytes;
    options.progress = [this](const char* pass, std::uint64_t bytes, std::uint64_t objects) {
      progress_.tell(pass, bytes, objects);
      return true;
    };
    progress_.begin(std::filesystem::file_size(command_.file));
    heap_ = analysis::import_heap(command_.file, options);
    read_ns_ = since_start();
    const Snapshot& s = heap_->snapshot;
    bound_bytes_ =
        memory_bound_bytes(s.object_count(), s.reference_count(), heap_->arena().used_bytes());
    if (const auto sound = verify(heap_->snapshot); !sound)
      throw Stop{ExitCode::kOurFault, "the imported graph is inconsistent"};
  }

  void pass() {
    capture_.rung = CaptureRung::kImported;
    capture_.has_graph = true;
    heap_->snapshot.losses.input_damaged = !heap_->losses.empty();
    if ((command_.retain & kRetainUnreachable) != 0) adopt_unreachable();
    capture_.snapshot = heap_->snapshot;
    capture_.seal_ns = read_ns_;
    options_.retain = command_.retain != 0 ? command_.retain : kRetainStrong | kRetainSoft;
    options_.dump = DumpKind::kExtended;
    options_.memory_bytes = command_.memory_bytes;
    DumpRecord& record = heap_->record;
    record.request.trigger = Trigger::kCommand;
    record.request.kind = DumpKind::kExtended;
    record.capture_ns = read_ns_;
    record.notes.add("%s", ("imported from " + heap_->format + " by " +
                            (heap_->like_mat ? "Eclipse MAT's" : "holdfast's") + " rules")
                               .c_str());
    for (const std::string& loss : heap_->losses) record.notes.add("%s", loss.c_str());
    progress_.phase("analysing");
    AnalysisInput input{capture_,        record,  options_,       heap_->arena(),
                        heap_->ledger(), cancel_, heap_->like_mat};
    if (const auto done = analysis::run_passes(input, findings_); !done)
      throw failed(command_.file, done.error());
    auto image = analysis::write_report(input, findings_);
    if (!image) throw failed(command_.file, image.error());
    image_ = *image;
    progress_.end();
  }

  // What no path reaches is held by the objects that no other leads to.
  void adopt_unreachable() {
    const std::size_t before = heap_->snapshot.roots.size();
    constexpr analysis::StrengthSet kAnyStrength =
        (1u << static_cast<unsigned>(Strength::kUnreachable)) - 1;
    const auto references =
        analysis::CountedReferences::make(heap_->snapshot, heap_->arena(), cancel_);
    if (!references) throw failed(command_.file, references.error());
    const auto roots =
        analysis::with_unreachable_roots(*references, kAnyStrength, heap_->arena(), cancel_);
    if (!roots) throw failed(command_.file, roots.error());
    heap_->snapshot.roots = *roots;
    heap_->record.notes.add(
        "%zu objects that no other leads to stand for the GC roots of what is unreachable",
        roots->size() - before);
  }

  void write() {
    report_file_.write([&](const char* directory, const char* name) {
      return write_whole(directory, name, [&](AtomicFile& file) {
        return file.write(image_.data(), image_.size());
      });
    });
    write_objects();
    snapshot_file_.write([&](const char* directory, const char* name) -> Result<void> {
      const analysis::SnapshotExtras extras{image_, heap_->addresses};
      HF_TRY(written, analysis::write_snapshot_file(heap_->snapshot, heap_->record, heap_->arena(),
                                                    cancel_, directory, name, extras));
      static_cast<void>(written);
      return {};
    });
  }

  void write_objects() {
    if (!objects_file_.wanted()) return;
    if (findings_.dominators.idom.size() != heap_->snapshot.object_count())
      throw Stop{ExitCode::kRefused,
                 "--objects: the dominators were left out; more is wanted with --memory"};
    const ArenaScope scratch(heap_->arena());
    progress_.phase("reachable sizes");
    const std::uint64_t there = heap_->ledger().total_bytes();
    const std::uint64_t wall_ns = command_.shown.queries.reachable_wall_ns;
    const auto sizes = object_sizes(heap_->snapshot, findings_.dominators, holding(), wall_ns,
                                    heap_->arena(), cancel_);
    progress_.end();
    if (!sizes) throw failed("--objects", sizes.error());
    bound_bytes_ = std::max(bound_bytes_, there + sizes->bound_bytes);
    tell_estimates(*sizes, wall_ns);
    const ObjectRows rows{heap_->snapshot, findings_.dominators, heap_->addresses,
                          sizes->components, sizes->reachable ? &*sizes->reachable : nullptr};
    objects_file_.write([&](const char* directory, const char* name) {
      return write_whole(directory, name,
                         [&](AtomicFile& file) { return write_object_rows(rows, file); });
    });
  }

  // One line, whatever --quiet says: the file alone does not tell why.
  void tell_estimates(const ObjectSizes& sizes, std::uint64_t wall_ns) {
    if (sizes.reachable && sizes.estimated_rows == 0) return;
    std::ostream& err = surroundings_.err;
    err << "holdfast analyze: --objects: ";
    if (sizes.reachable)
      err << thousands(sizes.estimated_rows) << " of "
          << thousands(findings_.dominators.held_objects) << " reachable sizes are estimates ("
          << percent(static_cast<std::uint64_t>(sizes.reachable->standard_error * 1000), 1000)
          << " standard error): ";
    else
      err << "there are no reachable sizes: ";
    err << estimate_reason(sizes.reachable, wall_ns) << '\n';
  }

  std::uint32_t holding() const { return analysis::holding_strengths(options_.retain); }

  bool answered() {
    const GraphQueries& queries = command_.shown.queries;
    if (!queries.any()) return false;
    const std::size_t top = command_.shown.top != 0 ? command_.shown.top : kDefaultAnswerRows;
    if (queries.statistics) progress_.phase("reachable sizes");
    const auto answers = answer_queries(
        queries, {heap_->snapshot, findings_, holding(), heap_->addresses, top, heap_->arena()});
    progress_.end();
    surroundings_.out << (command_.shown.json
                              ? answers_json(answers)
                              : answers_text(answers,
                                             choose_columns(command_.shown.width, surroundings_),
                                             choose_colour(command_.shown.colour, surroundings_)))
                      << std::flush;
    return true;
  }

  void show() {
    const auto report = analysis::check_report(image_);
    if (!report) throw Stop{ExitCode::kOurFault, "the report is inconsistent"};
    const ReportView view = make_report_view(**report, image_.size());
    const bool page = !command_.shown.html.empty();
    if (page) write_report_page(command_.shown, view, surroundings_);
    if (answered()) {
      if (!command_.output.empty())
        surroundings_.err << "report: " << printable(command_.output) << '\n';
    } else if (page) {
      if (!command_.output.empty()) surroundings_.out << summary();
    } else if (command_.output.empty()) {
      surroundings_.out << render_report(command_.shown, view, surroundings_) << std::flush;
    } else {
      surroundings_.out << verdict_text(view, kFullNames) << '\n' << summary();
    }
    if (!surroundings_.out)
      throw Stop{ExitCode::kRefused, "cannot write to standard output (is the disk full?)"};
  }

  std::string summary() const {
    const double seconds = static_cast<double>(since_start()) / 1e9;
    char line[256];
    std::snprintf(
        line, sizeof line,
        "%s objects, %s references, %s in %.1f s (%.0f MB/s); %s of memory at the peak, bound %s\n",
        thousands(heap_->snapshot.object_count()).c_str(),
        thousands(heap_->snapshot.reference_count()).c_str(),
        human_bytes(heap_->input_bytes).c_str(), seconds,
        static_cast<double>(heap_->input_bytes) / 1e6 / seconds,
        human_bytes(heap_->ledger().peak_bytes()).c_str(), human_bytes(bound_bytes_).c_str());
    std::string text = line;
    for (const std::string& loss : heap_->losses) text += "lost: " + loss + '\n';
    return text + "report: " + command_.output + '\n';
  }

  std::uint64_t since_start() const {
    return static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - started_).count());
  }

  const AnalyzeCommand& command_;
  Surroundings& surroundings_;
  OutputFile report_file_, snapshot_file_, objects_file_;
  Progress progress_;
  const Clock::time_point started_ = Clock::now();
  std::unique_ptr<analysis::ImportedHeap> heap_;
  std::uint64_t read_ns_ = 0;
  std::uint64_t bound_bytes_ = 0;
  Capture capture_;
  Options options_;
  CancelToken cancel_;
  analysis::Findings findings_;
  std::span<const std::byte> image_;
};

Stop import_stop(const analysis::ImportFailure& failure) {
  std::string text = failure.what();
  switch (failure.code) {
    case ErrorCode::kOutOfBudget:
      return {ExitCode::kRefused, text + "; more is wanted with --memory"};
    case ErrorCode::kOutOfMemory:
    case ErrorCode::kTooMany:
    case ErrorCode::kRefused:
    case ErrorCode::kUnsupported:
      return {ExitCode::kRefused, text};
    default:
      break;
  }
  if (failure.offset != 0) text += " at offset " + std::to_string(failure.offset);
  return {ExitCode::kBadInput, text};
}

}  // namespace

std::uint64_t memory_bound_bytes(std::uint64_t objects, std::uint64_t references,
                                 std::uint64_t catalog_bytes) {
  const std::uint64_t reading = analysis::import_reading_bytes(objects, references, catalog_bytes);
  // Implied references to class objects that are no roots are stored as well: one an object at most.
  const std::uint64_t passes = objects * 12 + references * 6 +
                               analysis::dominators_bytes(objects, references + objects) +
                               catalog_bytes + kReportBytes + analysis::kImportRoundingBytes;
  return std::max(reading, passes);
}

ExitCode run_analyze(const AnalyzeCommand& command, Surroundings& surroundings) {
  const auto say = [&](const Stop& stop) {
    surroundings.err << "holdfast analyze: " << printable(stop.text) << '\n';
    return stop.code;
  };
  std::error_code missing;
  if (!std::filesystem::is_regular_file(command.file, missing)) {
    const bool directory = std::filesystem::is_directory(command.file, missing);
    const bool there = std::filesystem::exists(command.file, missing);
    return say({ExitCode::kWrongUsage, command.file +
                                           (directory ? ": is a directory"
                                            : there   ? ": is not a regular file"
                                                      : ": No such file or directory") +
                                           "; wanted is a heap dump or a snapshot (.hfs)"});
  }
  if (::access(command.file.c_str(), R_OK) != 0 && errno == EACCES)
    return say({ExitCode::kRefused, command.file + ": " + std::strerror(EACCES) +
                                        "; wanted is a heap dump or a snapshot (.hfs) that may be "
                                        "read"});
  try {
    Analysis(command, surroundings).run();
    return ExitCode::kDone;
  } catch (const Stop& stop) {
    return say(stop);
  } catch (const QueryError& error) {
    return say({ExitCode::kWrongUsage, error.what()});
  } catch (const analysis::ImportFailure& failure) {
    const Stop stop = import_stop(failure);
    return say({stop.code, command.file + ": " + stop.text});
  }
}

}  // namespace holdfast::cli
