#include "cli/demo/demo_service.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>

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
constexpr const char* kHeap = "-Xmx256m";
constexpr std::uint64_t kStartNs = 60'000'000'000;  // a second, on a machine that is not busy
constexpr unsigned kStepMs = 20;

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

std::uint16_t port_in(std::string_view text) {
  const std::size_t at = text.find(kReady);
  if (at == text.npos || text.find('\n', at) == text.npos) return 0;
  std::uint16_t port = 0;
  text.remove_prefix(at + kReady.size());
  std::from_chars(text.data(), text.data() + text.size(), port);
  return port;
}

// "Error: ..." rather than the advice behind it.
std::string first_line(const std::string& path) {
  std::ifstream in(path);
  std::string line;
  while (std::getline(in, line))
    if (!line.empty()) return line;
  return {};
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

DemoService::DemoService(const Runtime& java, const std::string& classes,
                         const std::string& library, const std::string& directory,
                         platforms::Interrupts& interrupts)
    : java_(java.program), log_(directory + "/service.log") {
  const std::string agent = "-agentpath:" + library + "=dir=" + directory + ",on=off";
  const char* const words[] = {java_.c_str(),   kHeap,      agent.c_str(), "-cp",
                               classes.c_str(), kMainClass, nullptr};
  const std::vector<const char*> environment = environment_for_java();
  platforms::ProgramPlan plan;
  plan.words = words;
  plan.environment = environment.data();
  plan.directory = directory.c_str();
  plan.errors = log_.c_str();
  if (const int error = program_.start(plan); error != 0)
    throw Stop{ExitCode::kRefused, java_ + ": " + std::strerror(error)};
  await_ready(interrupts);
}

void DemoService::await_ready(platforms::Interrupts& interrupts) {
  std::string said;
  std::uint64_t end_ns = platforms::monotonic_ns() + kStartNs;
  for (std::uint64_t now = 0; (now = platforms::monotonic_ns()) < end_ns;) {
    interrupted_ = interrupts.end_wanted();
    if (interrupted_) return;
    end_ns += platforms::monotonic_ns() - now;  // a Ctrl-Z's time does not count
    if (platforms::wait_for_stream(program_.output(), platforms::StreamWait::kReadable, kStepMs,
                                   interrupts.descriptor()) != 0)
      continue;
    char buffer[256];
    const std::int64_t bytes = program_.read_output(buffer, sizeof buffer);
    if (bytes == 0) failed("ended before it was ready");
    if (bytes > 0) said.append(buffer, static_cast<std::size_t>(bytes));
    port_ = port_in(said);
    if (port_ != 0) return;
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
  const std::string line = first_line(log_);
  throw Stop{ExitCode::kRefused,
             "the service on " + java_ + " " + what + (line.empty() ? std::string() : ": " + line)};
}

}  // namespace holdfast::cli
