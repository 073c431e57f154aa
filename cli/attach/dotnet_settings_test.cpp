#include "cli/attach/dotnet_settings.h"

#include <doctest/doctest.h>

using namespace holdfast;
using namespace holdfast::cli;

namespace {

std::string not_listening(const std::vector<std::string>& environment) {
  return parse_dotnet_settings(environment).not_listening;
}

}  // namespace

TEST_CASE("nothing set: it listens in /tmp, loads profilers at its start, and has none") {
  const DotnetSettings found = parse_dotnet_settings({"PATH=/bin", "NOT_EVEN_A_SETTING", ""});
  CHECK(found.not_listening.empty());
  CHECK(found.starts_profilers);
  CHECK(found.profiler.empty());
  CHECK(found.temporary == "/tmp");
}

TEST_CASE("what keeps a runtime from listening, word for word") {
  CHECK(not_listening({"DOTNET_EnableDiagnostics=0"}) == "DOTNET_EnableDiagnostics=0");
  CHECK(not_listening({"COMPlus_EnableDiagnostics=0x0"}) == "COMPlus_EnableDiagnostics=0x0");
  CHECK(not_listening({"DOTNET_EnableDiagnostics_IPC=0"}) == "DOTNET_EnableDiagnostics_IPC=0");
  CHECK(not_listening({"DOTNET_EnableDiagnostics=off"}) == "DOTNET_EnableDiagnostics=off");
  CHECK(not_listening({"DOTNET_EnableDiagnostics=1"}).empty());
  CHECK(not_listening({"DOTNET_EnableDiagnostics="}).empty());
  CHECK(not_listening({"dotnet_enablediagnostics=0"}).empty());
  CHECK(not_listening({"DOTNET_EnableDiagnostics_Profiler=0"}).empty());
  CHECK(not_listening({"DOTNET_EnableDiagnosticsX=0"}).empty());
}

TEST_CASE("DOTNET_ goes before COMPlus_, and the first of a name counts") {
  CHECK(not_listening({"COMPlus_EnableDiagnostics=0", "DOTNET_EnableDiagnostics=1"}).empty());
  CHECK(not_listening({"COMPlus_EnableDiagnostics=1", "DOTNET_EnableDiagnostics=0"}) ==
        "DOTNET_EnableDiagnostics=0");
  CHECK(not_listening({"COMPlus_EnableDiagnostics=0", "DOTNET_EnableDiagnostics="}) ==
        "COMPlus_EnableDiagnostics=0");
  CHECK(not_listening({"DOTNET_EnableDiagnostics=1", "DOTNET_EnableDiagnostics=0"}).empty());
}

TEST_CASE("only without the socket can a profiler still be loaded at the start") {
  CHECK_FALSE(parse_dotnet_settings({"DOTNET_EnableDiagnostics=0"}).starts_profilers);
  CHECK_FALSE(parse_dotnet_settings({"DOTNET_EnableDiagnostics_Profiler=0"}).starts_profilers);
  CHECK(parse_dotnet_settings({"DOTNET_EnableDiagnostics_IPC=0"}).starts_profilers);
}

TEST_CASE(
    "the profiler of its start: the path for this kind of process first, and only if it was "
    "wanted") {
  const auto profiler = [](const std::vector<std::string>& more) {
    std::vector<std::string> all{"CORECLR_ENABLE_PROFILING=1"};
    all.insert(all.end(), more.begin(), more.end());
    return parse_dotnet_settings(all).profiler;
  };
  CHECK(profiler({"CORECLR_PROFILER_PATH=/opt/a.so"}) == "/opt/a.so");
  CHECK(profiler({"CORECLR_PROFILER_PATH=/opt/a.so", "CORECLR_PROFILER_PATH_64=/opt/b.so"}) ==
        "/opt/b.so");
  CHECK(profiler({"DOTNET_PROFILER_PATH=/opt/c.so"}) == "/opt/c.so");
  CHECK(profiler({}).empty());
  CHECK(parse_dotnet_settings({"CORECLR_PROFILER_PATH=/opt/a.so"}).profiler.empty());
  CHECK(parse_dotnet_settings({"CORECLR_ENABLE_PROFILING=0", "CORECLR_PROFILER_PATH=/opt/a.so"})
            .profiler.empty());
}

TEST_CASE("another place for its sockets") {
  CHECK(parse_dotnet_settings({"TMPDIR=/run/app"}).temporary == "/run/app");
  CHECK(parse_dotnet_settings({"TMPDIR="}).temporary == "/tmp");
}
