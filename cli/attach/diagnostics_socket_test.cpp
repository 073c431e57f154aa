#include "cli/attach/diagnostics_socket.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <memory>
#include <thread>

#include "cli/attach/diagnostics_name.h"
#include "cli/attach/fake_runtime.h"
#include "cli/attach/own_process_fixture.h"
#include "platforms/process.h"
#include "platforms/process_for_tests.h"
#include "platforms/scratch_for_test.h"

using namespace holdfast;
using namespace holdfast::cli;

namespace {

constexpr std::uint64_t kMillisecond = OwnProcess::kMillisecond;
constexpr std::uint64_t kAmple = OwnProcess::kAmple;

struct Case : OwnProcess {
  void make_young() {
    constexpr std::uint64_t kMsPerTick = 10;  // USER_HZ is 100 wherever Linux runs
    target.process.started_ticks += platforms::process_age_ms(target.process) / kMsPerTick;
  }
  DiagnosticsEndpoint find(std::uint64_t patience_ns = 50 * kMillisecond) {
    return find_diagnostics(target, files, Patience(patience_ns));
  }
  void check_none(const std::string& said) {
    const DiagnosticsEndpoint none = find();
    CHECK(none.places.empty());
    CHECK(none.refusal.code == ExitCode::kRefused);
    CHECK_MESSAGE(none.refusal.text.find(said) != std::string::npos, none.refusal.text);
    CHECK(none.refusal.text.find('\n') == std::string::npos);
  }
  std::string check_unreachable() {
    const DiagnosticsStream none = connect_to_diagnostics(target, find(), Patience(0));
    CHECK_FALSE(none.stream.valid());
    CHECK(none.refusal.code == ExitCode::kRefused);
    return none.refusal.text;
  }
};

}  // namespace

TEST_CASE("the name: the number and the start of the process, and nothing else") {
  platforms::OtherProcess process;
  process.pid = 4242;
  process.inner_pid = 7;
  process.started_ticks = 7652942;
  CHECK(diagnostics_name(process) == "dotnet-diagnostic-7-7652942-socket");
  CHECK(is_diagnostics_name("dotnet-diagnostic-7-7652942-socket", 7));
  CHECK(is_diagnostics_name("dotnet-diagnostic-7-1-socket", 7));
  for (const char* name :
       {"dotnet-diagnostic-70-1-socket", "dotnet-diagnostic-7--socket",
        "dotnet-diagnostic-7-socket", "dotnet-diagnostic-7-1-socket.old",
        "dotnet-diagnostic-7-1x-socket", "xdotnet-diagnostic-7-1-socket", "clr-debug-pipe-7-1-in",
        "dotnet-diagnostic-7-123456789", "dotnet-diagnostic-7-", ""})
    CHECK_MESSAGE(!is_diagnostics_name(name, 7), name);
}

TEST_CASE("found where the process listens, not where others left a file") {
  Case here;
  here.scratch.write("dotnet-diagnostic-" + std::to_string(platforms::process_id()) + "-1-socket",
                     "an earlier process'");
  const FakeRuntime runtime(here.socket(), {{runtime_reply(0)}});
  const DiagnosticsEndpoint found = here.find();
  REQUIRE(found.places.size() == 1);
  CHECK(found.places.front().path == here.socket());
  CHECK(connect_to_diagnostics(here.target, found, Patience(0)).stream.valid());
}

TEST_CASE("found though TMPDIR says something else by now") {
  Case here;
  const FakeRuntime runtime(here.socket(), {{runtime_reply(0)}});
  here.target.dotnet.temporary = "/nowhere";
  CHECK(here.find().places.size() == 1);
}

TEST_CASE("a runtime that begins to listen a moment later; an old process is not waited for") {
  Case here;
  CHECK(here.find(0).places.empty());
  here.make_young();
  std::unique_ptr<FakeRuntime> runtime;
  std::thread later([&] {
    platforms::sleep_ns(50 * kMillisecond);
    runtime = std::make_unique<FakeRuntime>(here.socket(),
                                            std::vector<RuntimeAnswer>{{runtime_reply(0)}});
  });
  const DiagnosticsEndpoint found = here.find(kAmple);
  later.join();
  CHECK(found.places.size() == 1);
  here.target.process.started_ticks = 1;
  runtime.reset();
  const std::uint64_t start_ns = platforms::monotonic_ns();
  CHECK(here.find(kAmple).places.empty());
  CHECK(platforms::monotonic_ns() - start_ns < 2000 * kMillisecond);
}

TEST_CASE("a young process whose settings forbid it is not waited for") {
  Case here;
  here.make_young();
  here.target.dotnet.not_listening = "DOTNET_EnableDiagnostics=0";
  const std::uint64_t start_ns = platforms::monotonic_ns();
  CHECK(here.find(kAmple).refusal.code == ExitCode::kRefused);
  CHECK(platforms::monotonic_ns() - start_ns < 2000 * kMillisecond);
}

TEST_CASE("nobody listens: why, as far as that can be known") {
  Case here;
  here.check_none("diagnostics are off in a way that is not seen here");
  here.target.dotnet.temporary = "/nowhere";
  here.check_none("temporary directory /nowhere is not there; start it with CORECLR_ENABLE_PROF");
  here.target.dotnet.temporary = here.scratch.file(std::string(80, 'd'));
  std::filesystem::create_directory(here.target.dotnet.temporary);
  here.check_none("too long");
  here.target.dotnet.not_listening = "DOTNET_EnableDiagnostics_IPC=0";
  here.check_none(
      "started with DOTNET_EnableDiagnostics_IPC=0, so nothing can be loaded into it; "
      "start it without, or with CORECLR_ENABLE_PROFILING=1");
  here.target.dotnet.not_listening = "DOTNET_EnableDiagnostics=0";
  here.target.dotnet.starts_profilers = false;
  const DiagnosticsEndpoint none = here.find();
  CHECK(none.refusal.text.ends_with("=0, so nothing can be loaded into it; start it without"));
}

TEST_CASE("a socket file that somebody removed, or put in its place") {
  Case here;
  const FakeRuntime runtime(here.socket(), {{runtime_reply(0)}});
  std::filesystem::rename(here.socket(), here.scratch.file("aside"));
  CHECK(here.check_unreachable().find("has been removed") != std::string::npos);
  std::filesystem::create_symlink(here.scratch.file("aside"), here.socket());
  CHECK(here.check_unreachable().find("cannot be reached") != std::string::npos);
  std::filesystem::remove(here.socket());
  std::filesystem::rename(here.scratch.file("aside"), here.socket());
  if (!platforms::give_away_for_test(here.socket().c_str())) return;
  CHECK(here.check_unreachable().find("another process or user") != std::string::npos);
}

TEST_CASE("another process at the name of ours is left alone") {
  Case here;
  const FakeRuntime ours(here.socket(), {{runtime_reply(0)}});
  std::filesystem::remove(here.socket());
  const std::string path = here.socket();
  platforms::ChildForTest other(
      [](void* raw) -> int {
        listen_for_test(*static_cast<std::string*>(raw));
        platforms::sleep_ns(60'000 * kMillisecond);
        return 0;
      },
      const_cast<std::string*>(&path));
  std::string text;
  for (int i = 0; i < 2000 && text.find("another process") == std::string::npos; ++i) {
    text = here.check_unreachable();
    platforms::sleep_ns(kMillisecond);
  }
  CHECK(text.find("is answered by another process or user; it is left alone") != std::string::npos);
}
