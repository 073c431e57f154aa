#include "cli/attach/dotnet_attach.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "cli/attach/diagnostics_name.h"
#include "cli/attach/diagnostics_protocol.h"
#include "cli/attach/fake_runtime.h"
#include "cli/attach/own_process_fixture.h"
#include "platforms/process.h"
#include "platforms/scratch_for_test.h"

using namespace holdfast;
using namespace holdfast::cli;

namespace {

using After = RuntimeAnswer::After;
using namespace std::string_literals;

constexpr std::uint64_t kMillisecond = OwnProcess::kMillisecond;
constexpr std::uint64_t kAmple = OwnProcess::kAmple;

constexpr const char* kLibrary = "/opt/libholdfast.so";

struct Case : OwnProcess {
  AttachOutcome load(std::uint64_t patience_ns = kAmple, const std::string& options = "on=off") {
    const Patience patience(patience_ns);
    const DiagnosticsEndpoint endpoint = find_diagnostics(target, files, patience);
    return endpoint.refusal.good() ? load_into_dotnet(target, endpoint, kLibrary, options, patience)
                                   : endpoint.refusal;
  }
};

void check_refused(const AttachOutcome& outcome, const std::string& said) {
  CHECK(outcome.code == ExitCode::kRefused);
  CHECK_MESSAGE(outcome.text.find(said) != std::string::npos, outcome.text);
  CHECK(std::ranges::count(outcome.text, '\n') == 0);
}

// Everything but how long the runtime may wait.
std::string without_patience(std::string request) {
  return request.size() < 24 ? request : request.replace(20, 4, "");
}

}  // namespace

TEST_CASE("loaded: the runtime is asked once, with the path and the options") {
  Case here;
  const FakeRuntime runtime(here.socket(), {{runtime_reply(0)}});
  const AttachOutcome outcome = here.load();
  CHECK_MESSAGE(outcome.good(), outcome.text);
  REQUIRE(runtime.requests().size() == 1);
  CHECK(without_patience(runtime.requests().front()) ==
        without_patience(encode_attach(kLibrary, "on=off", 0)));
}

TEST_CASE("an answer that comes byte by byte, or just before the runtime closes") {
  Case here;
  {
    const FakeRuntime runtime(here.socket(), {{runtime_reply(0), After::kStayOpen, true}});
    CHECK(here.load().good());
  }
  platforms::remove_in(here.files.root.get(), here.socket().c_str() + 1);
  const FakeRuntime runtime(here.socket(), {{runtime_reply(0), After::kClose}});
  CHECK(here.load().good());
}

TEST_CASE("a runtime that starts is asked again, and not for ever") {
  Case here;
  const FakeRuntime runtime(
      here.socket(),
      {{runtime_reply(0x8013135B)}, {runtime_reply(0x80131371)}, {runtime_reply(0)}});
  CHECK(here.load().good());
  CHECK(runtime.requests().size() == 3);
}

TEST_CASE("a runtime that never has started far enough") {
  Case here;
  const FakeRuntime runtime(here.socket(), {{runtime_reply(0x8013135B)}});
  check_refused(here.load(100 * kMillisecond), "not started far enough");
  CHECK(runtime.requests().size() > 1);
}

TEST_CASE("a runtime that falls silent: what it said before is told") {
  Case here;
  const FakeRuntime runtime(here.socket(), {{runtime_reply(0x8013135B)}, {"", After::kStayOpen}});
  check_refused(here.load(100 * kMillisecond), "not started far enough");
}

TEST_CASE("what the runtime or the agent refuses is one line, and keeps its number") {
  Case here;
  const FakeRuntime runtime(here.socket(), {{runtime_reply(0x80131375)}});
  const AttachOutcome outcome = here.load();
  check_refused(outcome, "standard error of the process");
  CHECK(static_cast<std::uint32_t>(outcome.agent_code) == 0x80131375);
  CHECK(runtime.requests().size() == 1);
}

TEST_CASE("another profiler: named where its name is known") {
  Case here;
  const FakeRuntime runtime(here.socket(), {{runtime_reply(0x8013136A)}});
  const AttachOutcome unknown = here.load();
  check_refused(unknown, "another CLR profiler already, and");
  CHECK(unknown.agent_code == 1);  // or our own agent, brought in by somebody else just now
  here.target.dotnet.profiler = "/opt/apm/Tracer.so";
  const AttachOutcome known = here.load();
  check_refused(known, "(/opt/apm/Tracer.so)");
  check_refused(known, "CORECLR_ENABLE_NOTIFICATION_PROFILERS=1");
  CHECK(known.agent_code <= 0);
}

TEST_CASE(
    "an agent that is leaving is waited for; one that stays silent is told apart from others") {
  Case here;
  here.target.agent_path = kLibrary;
  {
    const FakeRuntime leaves(here.socket(), {{runtime_reply(0x8013136A)}, {runtime_reply(0)}});
    CHECK(here.load().good());
  }
  platforms::remove_in(here.files.root.get(), here.socket().c_str() + 1);
  const FakeRuntime stays(here.socket(), {{runtime_reply(0x8013136A)}});
  const AttachOutcome outcome = here.load(100 * kMillisecond);
  check_refused(outcome, "the agent is in process");
  check_refused(outcome, "control=off");
  CHECK(outcome.agent_code == 1);
}

TEST_CASE("whatever is no answer ends in a refusal, and in time") {
  const std::string whole = runtime_reply(0);
  const RuntimeAnswer closes[] = {{"", After::kClose},
                                  {whole.substr(0, 10), After::kClose},
                                  {whole.substr(0, 20), After::kClose},
                                  {"HTTP/1.1 400 Bad Request\r\n\r\n", After::kClose},
                                  {"DOTNET_IPC_V1\0\x05\0\xff\0\0\0"s, After::kClose},
                                  {"no", After::kStayOpen}};
  for (const RuntimeAnswer& answer : closes) {
    Case here;
    const FakeRuntime runtime(here.socket(), {answer});
    check_refused(here.load(), "without an answer");
  }
}

TEST_CASE(
    "a runtime that says nothing, or half of it, is waited for no longer than patience lasts") {
  const std::string whole = runtime_reply(0);
  const RuntimeAnswer silent[] = {{"", After::kStayOpen},
                                  {"", After::kNeverRead},
                                  {whole.substr(0, 7), After::kStayOpen},
                                  {whole.substr(0, 22), After::kStayOpen},
                                  {"DOTNET_IPC_V1\0\xff\xff\xff\0\0\0"s, After::kStayOpen}};
  for (const RuntimeAnswer& answer : silent) {
    Case here;
    const FakeRuntime runtime(here.socket(), {answer});
    const std::uint64_t start_ns = platforms::monotonic_ns();
    check_refused(here.load(150 * kMillisecond), "did not answer in time");
    CHECK(platforms::monotonic_ns() - start_ns < 5000 * kMillisecond);
  }
}

TEST_CASE("a request that fits no message is not sent") {
  Case here;
  const FakeRuntime runtime(here.socket(), {{runtime_reply(0)}});
  check_refused(here.load(kAmple, std::string(70'000, 'x')), "too long for the runtime");
  CHECK(runtime.requests().empty());
}
