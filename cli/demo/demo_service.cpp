#include "cli/demo/demo_service.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <sstream>

#include "cli/demo/shop_visitor.h"
#include "cli/output_file.h"
#include "platforms/clock.h"
#include "platforms/local_stream.h"

extern char** environ;

namespace holdfast::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMainClass = "LeakyService";
constexpr std::string_view kReady = "READY port=";
constexpr std::string_view kNoVm = "Error occurred during initialization of VM";
constexpr const char* kHeap = "-Xmx256m";
constexpr std::uint64_t kStartNs = 60'000'000'000;  // a second, on a machine that is not busy
constexpr unsigned kStepMs = 20, kEndMs = 2'000;
constexpr std::size_t kMostOutput = std::size_t{1} << 16;

// What would change a Java's options unseen.
bool changes_java(std::string_view variable) {
  return variable.starts_with("JAVA_TOOL_OPTIONS=") || variable.starts_with("JDK_JAVA_OPTIONS=") ||
         variable.starts_with("_JAVA_OPTIONS=");
}

std::vector<const char*> environment_for_java() {
  std::vector<const char*> words;
  for (char** at = environ; *at != nullptr; ++at)
    if (!changes_java(*at)) words.push_back(*at);
  words.push_back(nullptr);
  return words;
}

template <class Number>
Number number_after(std::string_view text, std::string_view mark) {
  Number number = 0;
  const std::size_t at = text.find(mark);
  if (at == text.npos) return 0;
  text.remove_prefix(at + mark.size());
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// The first line that is not empty, not the service's own and not a warning of the VM's; else the first warning.
std::string first_line(const std::string& text) {
  std::istringstream in(text);
  std::string first;
  for (std::string line; std::getline(in, line);) {
    if (line.find_first_not_of(" \t\r") == line.npos || line.starts_with(kReady)) continue;
    if (line.find(" warning: ") == line.npos) return line;
    if (first.empty()) first = line;
  }
  return first;
}

}  // namespace

bool demo_is_built() {
#ifdef HF_DEMO_SERVICE
  return true;
#else
  return false;
#endif
}

std::string find_demo_classes(const std::string& command_directory) {
  if (!demo_is_built())
    throw Stop{ExitCode::kWrongUsage,
               "this holdfast was built without javac, so it has no service to show"};
  std::string looked;
  for (const char* below : {"/share/holdfast/demo", "/../share/holdfast/demo"}) {
    const fs::path folder = fs::path(command_directory + below).lexically_normal();
    std::error_code ignored;
    if (fs::exists(folder / (std::string(kMainClass) + ".class"), ignored)) return folder.string();
    looked += (looked.empty() ? "" : " and ") + folder.string();
  }
  throw Stop{ExitCode::kWrongUsage,
             "its service is not here: no " + std::string(kMainClass) + ".class in " + looked};
}

Runtime choose_java(const std::vector<Runtime>& found) {
  constexpr unsigned kOldest = 8;
  const auto fits = [](const Runtime& java) {
    return !java.openj9 && (java.major == 0 || java.major >= kOldest);
  };
  if (const auto chosen = std::ranges::find_if(found, fits); chosen != found.end()) return *chosen;
  throw Stop{
      ExitCode::kWrongUsage,
      std::string(found.empty() ? "no Java is found" : "no Java that it can run on is found") +
          " (JAVA_HOME, PATH, /usr/lib/jvm); wanted is a HotSpot of 8 or later, such as "
          "openjdk-17-jre-headless"};
}

void check_java_paths(const std::string& library, const std::string& classes) {
  if (library.find('=') != library.npos)
    throw Stop{ExitCode::kWrongUsage,
               library + ": a path without '=' is wanted (--library); Java ends it there"};
  if (classes.find(':') != classes.npos)
    throw Stop{ExitCode::kWrongUsage,
               classes + ": holdfast must be in a path without ':'; Java ends a class path there"};
}

ServiceReady service_ready(std::string_view output) {
  const std::size_t at = output.find(kReady);
  const std::size_t end = at == output.npos ? output.npos : output.find('\n', at);
  if (end == output.npos) return {};
  const std::string_view line = output.substr(at, end - at);
  return {number_after<std::uint16_t>(line, kReady), number_after<std::uint32_t>(line, " pid=")};
}

std::string reason_of_java(const std::string& output, const std::string& errors) {
  if (const std::size_t at = output.find(kNoVm); at != output.npos) {
    const std::string why = first_line(output.substr(at + kNoVm.size()));
    return std::string(kNoVm) + (why.empty() ? "" : ": ") + why;
  }
  const std::string line = first_line(errors);
  return line.empty() ? first_line(output) : line;
}

DemoService::DemoService(const Runtime& java, const std::string& classes,
                         const std::string& library, const std::string& directory,
                         platforms::Interrupts& interrupts)
    : java_(java.program) {
  const std::string agent = "-agentpath:" + library + "=dir=" + directory + ",on=off";
  const char* const words[] = {java_.c_str(),   kHeap,      agent.c_str(), "-cp",
                               classes.c_str(), kMainClass, "--watch",     nullptr};
  const std::vector<const char*> environment = environment_for_java();
  platforms::ProgramPlan plan;
  plan.words = words;
  plan.environment = environment.data();
  plan.directory = directory.c_str();
  plan.keeps_input = true;
  plan.keeps_errors = true;
  if (const int error = program_.start(plan); error != 0)
    throw Stop{ExitCode::kRefused, java_ + ": " + std::strerror(error)};
  await_ready(interrupts);
}

// A VM that ends in an orderly way takes its socket and its other files with it.
DemoService::~DemoService() { program_.end(kEndMs); }

// What it has printed since; false: it has closed its output.
bool DemoService::hear() {
  char buffer[256];
  for (;;) {
    const std::int64_t bytes = program_.read_output(buffer, sizeof buffer);
    if (bytes <= 0) return bytes != 0;
    if (output_.size() < kMostOutput) output_.append(buffer, static_cast<std::size_t>(bytes));
  }
}

void DemoService::await_ready(platforms::Interrupts& interrupts) {
  std::uint64_t end_ns = platforms::monotonic_ns() + kStartNs;
  for (std::uint64_t now = 0; (now = platforms::monotonic_ns()) < end_ns;) {
    interrupted_ = interrupts.end_wanted();
    if (interrupted_) return;
    end_ns += platforms::monotonic_ns() - now;  // a Ctrl-Z's time does not count
    if (platforms::wait_for_stream(program_.output(), platforms::StreamWait::kReadable, kStepMs,
                                   interrupts.descriptor()) != 0)
      continue;
    const bool open = hear();
    const ServiceReady ready = service_ready(output_);
    if (!open) failed("ended before it was ready");
    if (ready.port == 0) continue;
    port_ = ready.port;
    pid_ = ready.pid == 0 ? program_.pid() : ready.pid;
    if (!program_.includes(pid_))
      failed(
          "is none of the processes that were started; JAVA_HOME or PATH must lead to a Java "
          "itself");
    return;
  }
  failed("is not ready after a minute");
}

bool DemoService::visit(unsigned logins, unsigned articles, platforms::Interrupts& interrupts) {
  ShopVisitor visitor(interrupts);
  if (!visitor.open(port_)) failed("does not answer");
  for (unsigned i = 0; i < logins + articles; ++i) {
    if (interrupts.end_wanted()) return false;
    const std::string path =
        i < logins ? "/login/user-" + std::to_string(i) : "/article/" + std::to_string(i - logins);
    if (visitor.get(path)) continue;
    if (visitor.interrupted()) return false;
    failed("does not answer " + path + " (" + visitor.trouble() + ")");
  }
  return true;
}

void DemoService::failed(const std::string& what) {
  hear();
  std::string errors(kMostOutput, '\0');
  const std::int64_t bytes = program_.read_errors(errors.data(), errors.size(), 0);
  errors.resize(bytes < 0 ? 0 : static_cast<std::size_t>(bytes));
  program_.end(kEndMs);
  const std::string line = reason_of_java(output_, errors);
  throw Stop{ExitCode::kRefused,
             "the service on " + java_ + " " + what + (line.empty() ? std::string() : ": " + line)};
}

}  // namespace holdfast::cli
