#include "cli/talk/command_dump.h"

#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>

#include "analysis/report/file_header.h"
#include "cli/report/command_report.h"
#include "cli/report/report_source.h"
#include "cli/talk/agent_options.h"
#include "cli/talk/agent_report.h"
#include "cli/talk/dump_conversation.h"
#include "cli/talk/dump_words.h"
#include "cli/talk/report_path.h"
#include "cli/text/display_text.h"
#include "cli/text/json_text.h"
#include "common/atomic_file.h"
#include "platforms/file.h"
#include "platforms/interrupts.h"

namespace holdfast::cli {
namespace {

using control::Command;

control::Request request_of(const DumpCommand& command) {
  control::Request request = request_for(Command::kDump);
  request.kind = command.kind;
  request.capture = command.capture;
  request.pause_limit_ns = command.pause_ns;
  request.snapshot = command.snapshot;
  request.analyses = command.analyses;
  request.file = command.file;
  return request;
}

// Who prints a path to a terminal, or hands it to the next command, wants one line without orders to the terminal.
bool has_control_characters(std::string_view text) {
  constexpr std::uint32_t kDelete = 0x7f, kAfterControls = 0xa0;
  while (!text.empty()) {
    const CodePoint point = first_code_point(text);
    const auto first = static_cast<unsigned char>(text.front());
    // An invalid byte may be one too, to a terminal that knows no UTF-8.
    const std::uint32_t value = point.bytes == 1 ? first : point.value;
    if (value < ' ' || (value >= kDelete && value < kAfterControls)) return true;
    text.remove_prefix(point.bytes);
  }
  return false;
}

Result<void> write_image(const std::vector<std::byte>& image, const char* directory,
                         const char* name) {
  AtomicFile file;
  HF_CHECK_OK(file.open(directory, name));
  HF_CHECK_OK(file.write(image.data(), image.size()));
  return file.publish();
}

class Dump {
 public:
  Dump(const DumpCommand& command, Surroundings& surroundings, const AgentDoor& door,
       platforms::Interrupts* interrupts)
      : command_(command),
        surroundings_(surroundings),
        door_(door),
        interrupts_(interrupts),
        output_("-o", command.output, mark()) {}

  ExitCode run() {
    take();
    return show();
  }

  std::string take() {
    output_.check();
    pid_ = door_.find(command_.process);
    if (output_.wanted() || command_.report) reports_.emplace(pid_);
    const ProcessPaths place(pid_);
    dump_ = hold();
    path_ = place.path_for_caller(dump_.report_path);
    if (has_control_characters(path_))
      throw Stop{ExitCode::kBadInput,
                 path_ + ": the agent names a report with control characters in its path"};
    if (reports_) image_ = reports_->read(dump_.report_path, dump_.report_bytes, path_);
    if (output_.wanted()) copy();
    return path_;
  }

 private:
  static std::string mark() {
    return {analysis::kReportMagic.begin(), analysis::kReportMagic.end()};
  }

  DumpProgress hold() {
    DumpTeller teller(surroundings_, pid_, command_.quiet);
    const int descriptor = agent(teller);
    if (interrupts_ != nullptr)
      return DumpConversation(door_, pid_, teller, *interrupts_, OnInterrupt::kLeave)
          .hold(descriptor, request_of(command_), command_.timeout_ns);
    platforms::Interrupts own;
    if (const int error = own.open(); error != 0)
      throw Stop{ExitCode::kOurFault, std::string("signals: ") + std::strerror(error)};
    return DumpConversation(door_, pid_, teller, own, OnInterrupt::kCancel)
        .hold(descriptor, request_of(command_), command_.timeout_ns);
  }

  int agent(DumpTeller& teller) {
    const int descriptor = door_.connect(pid_);
    if (descriptor == AgentDoor::kNoAgent) {
      const std::string options = start_options(pid_, {command_.directory, command_.options});
      const int attached = door_.attach(pid_, {command_.library, options, kAttachTimeoutNs});
      teller.say("had no agent; it has one now, which stays there idle (" + options + ")");
      return attached;
    }
    if (command_.directory.empty() && command_.options.empty() && command_.library.empty())
      return descriptor;
    platforms::close_quietly(descriptor);
    refuse_start_options();
  }

  // They would be ignored, and nobody would know.
  [[noreturn]] void refuse_start_options() const {
    const char* const option = !command_.directory.empty() ? "--dir"
                               : !command_.library.empty() ? "--library"
                                                           : "--options";
    throw Stop{ExitCode::kWrongUsage,
               std::string(option) + ": process " + std::to_string(pid_) +
                   " has its agent already, so nothing is started with it; allowed: -o and "
                   "--file, and 'holdfast set'"};
  }

  void copy() {
    try {
      output_.write([&](const char* directory, const char* name) {
        return write_image(image_, directory, name);
      });
    } catch (const Stop& stop) {
      throw Stop{stop.code, stop.text + "; the report is at " + path_};
    }
    path_ = command_.output;
  }

  ExitCode show_image() {
    ReportSource source;
    if (const auto error = source.open_image(path_, image_)) throw Stop{error->code, error->text};
    return show_report({}, source, surroundings_);
  }

  ExitCode show() {
    if (command_.report) return show_image();
    if (command_.json) {
      Json document{{"schema_version", kJsonSchemaVersion}, {"pid", pid_}};
      document.update(dump_progress_json(dump_));
      document["report_path"] = path_;
      document["report_path_in_process"] = dump_.report_path;
      surroundings_.out << json_text(document) << '\n';
    } else {
      surroundings_.out << path_ << '\n';
    }
    return written("dump", surroundings_);
  }

  const DumpCommand& command_;
  Surroundings& surroundings_;
  const AgentDoor& door_;
  platforms::Interrupts* interrupts_;
  OutputFile output_;
  std::uint32_t pid_ = 0;
  std::optional<AgentReports> reports_;  // where its report is to be read
  DumpProgress dump_;
  std::string path_;
  std::vector<std::byte> image_;
};

}  // namespace

ExitCode run_dump(const DumpCommand& command, Surroundings& surroundings, const AgentDoor& door) {
  return run_for_agent("dump", surroundings,
                       [&] { return Dump(command, surroundings, door, nullptr).run(); });
}

std::string take_dump(const DumpCommand& command, Surroundings& surroundings, const AgentDoor& door,
                      platforms::Interrupts& interrupts) {
  return Dump(command, surroundings, door, &interrupts).take();
}

}  // namespace holdfast::cli
