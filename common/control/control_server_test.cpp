#include "common/control/control_server.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "common/control/served_fixture.h"
#include "common/log.h"
#include "common/version.h"
#include "platforms/process_for_tests.h"

using namespace holdfast;
using namespace holdfast::control;

namespace {

Request request_for(Command command) {
  Request request;
  request.command = command;
  return request;
}

Request set_request(std::string_view options) {
  Request request = request_for(Command::kSet);
  request.options = options;
  return request;
}

// Asks, and looks at the only answer.
struct Asked {
  RudeClient client;
  Answer answer;
  Asked(const Served& served, const Request& request) : client(served.path()) {
    REQUIRE(client.ask(request));
    REQUIRE(client.next(answer));
  }
  bool refused(RefusalKind kind, std::string_view part) const {
    return answer.kind == AnswerKind::kRefused && answer.last && answer.refusal.kind == kind &&
           answer.refusal.text.find(part) != std::string_view::npos;
  }
};

std::string_view option_of(const Status& status, std::string_view name) {
  for (const NamedText& option : status.options)
    if (option.name == name) return option.text;
  return "(missing)";
}

}  // namespace

TEST_CASE("ping: who answers, and the connection ends") {
  const Served served;
  Asked ping(served, request_for(Command::kPing));
  CHECK(ping.answer.kind == AnswerKind::kPong);
  CHECK(ping.answer.last);
  CHECK(ping.answer.pong.tool_version == kVersion);
  CHECK(ping.answer.pong.pid == platforms::process_id());
  CHECK(ping.client.ends());
}

TEST_CASE("status: what the agent is, has and does") {
  Served served;
  Asked(served, request_for(Command::kPing)).client.ends();
  Asked asked(served, request_for(Command::kStatus));
  REQUIRE(asked.answer.kind == AnswerKind::kStatus);
  const Status& s = asked.answer.status;
  CHECK(s.tool_version == kVersion);
  CHECK(s.vm_name == "Scripted VM");
  CHECK(s.main_name == "com.acme.Main");
  CHECK(s.collector == "G1");
  CHECK(!s.host.empty());
  CHECK(s.pid == platforms::process_id());
  CHECK(s.agent_cpu_ns > 0);
  CHECK(s.agent_uptime_ms < 60'000);
  CHECK(s.dir == ".");
  CHECK(s.frozen_refusal == "this VM's heap cannot be read as memory");
  CHECK(s.memory_limit_bytes == std::uint64_t{64} << 20);
  CHECK(s.memory_used_bytes == served.engine.ledger().total_bytes());
  REQUIRE(s.memory.size() == kMemoryCategoryCount);
  std::uint64_t sum = 0;
  for (const NamedBytes& row : s.memory) sum += row.bytes;
  CHECK(sum == s.memory_used_bytes);
  CHECK(s.collections.full == 3);
  CHECK(s.connections == 2);
  CHECK(s.connections_refused == 0);
  CHECK(option_of(s, "control") == "on");
  CHECK(option_of(s, "dump") == "auto");
  CHECK(option_of(s, "file") == "%e-%h-%p-%t-%n.hfr");
  REQUIRE(s.triggers.size() == 2);
  CHECK(s.triggers[0].name == "signal");
  CHECK(s.triggers[1].name == "oom");
  CHECK(s.dumps.empty());
  CHECK(s.heap.used_bytes == 0);
}

TEST_CASE("status: the owner's triggers, and what happened so far") {
  ControlCalls calls;
  calls.triggers = [](void*, std::span<TriggerState> out) noexcept -> std::size_t {
    out[0] = {"heap-above", "85%", "waits", 7, 8};
    return 1;
  };
  Served served(calls);
  RudeClient dumper(served.path());
  REQUIRE(dumper.ask(Command::kDump));
  REQUIRE(comes_true([&] { return served.engine.totals().reports == 1; }));
  Asked asked(served, request_for(Command::kStatus));
  const Status& s = asked.answer.status;
  REQUIRE(s.triggers.size() == 1);
  CHECK(s.triggers[0].setting == "85%");
  CHECK(s.triggers[0].fired == 7);
  REQUIRE(s.dumps.size() == 1);
  CHECK(s.dumps[0].trigger == Trigger::kCommand);
  CHECK(s.dumps[0].stage == DumpStage::kReported);
  CHECK(s.requests.accepted == 1);
  CHECK(s.reports == 1);
  CHECK(s.heap.used_bytes == 1u << 20);
}

TEST_CASE("dump: each stage is told once, in order, until the report is there") {
  Served served;
  served.vm.hold = true;
  RudeClient client(served.path());
  REQUIRE(client.ask(Command::kDump));
  Answer answer;
  std::vector<DumpStage> stages;
  hold_analysis = true;
  while (client.next(answer)) {
    REQUIRE(answer.kind == AnswerKind::kProgress);
    CHECK(answer.progress.number == 1);
    stages.push_back(answer.progress.stage);
    CHECK(answer.last == ended(answer.progress));
    if (answer.progress.stage == DumpStage::kPlanned) served.vm.hold = false;
    if (answer.progress.stage == DumpStage::kAnalysing) hold_analysis = false;
    if (answer.last) break;
  }
  CHECK(client.ends());
  REQUIRE(stages.size() >= 3);
  CHECK(std::is_sorted(stages.begin(), stages.end()));
  CHECK(std::adjacent_find(stages.begin(), stages.end()) == stages.end());
  CHECK(stages.back() == DumpStage::kReported);
  CHECK(std::find(stages.begin(), stages.end(), DumpStage::kPlanned) != stages.end());
}

TEST_CASE("dump: a failed one says why") {
  Served served;
  served.vm.fail = true;
  RudeClient client(served.path());
  REQUIRE(client.ask(Command::kDump));
  Answer answer;
  while (client.next(answer) && !answer.last) {
  }
  CHECK(answer.progress.stage == DumpStage::kFailed);
  CHECK(answer.progress.error.code == ErrorCode::kVm);
  CHECK(answer.progress.error.detail == 112);
}

TEST_CASE("dump: the file stays inside dir=") {
  Served served;
  for (const char* const file :
       {"../x.hfr", "/tmp/x.hfr", "a/b.hfr", "x.txt", "%q.hfr", "a,on=off.hfr"}) {
    Request request = request_for(Command::kDump);
    request.file = file;
    const Asked asked(served, request);
    CHECK_MESSAGE(asked.refused(RefusalKind::kWrongUsage, "file"), file);
  }
  Request request = request_for(Command::kDump);
  const std::string longest(kMaxFileName - 3, 'x');
  const std::string too_long = longest + ".hfr";
  request.file = too_long;
  CHECK(Asked(served, request).refused(RefusalKind::kWrongUsage, "240"));
  request.file = "mine-%n.hfr";
  Asked taken(served, request);
  CHECK(taken.answer.kind == AnswerKind::kProgress);
  CHECK(served.engine.wait_idle(platforms::monotonic_ns() + kPatienceNs));
  CHECK(served.engine.gate_counts().accepted == 1);
}

TEST_CASE("dump: it goes on without the one who asked; two at once share the one that waits") {
  Served served;
  served.vm.hold = true;
  {
    RudeClient gone(served.path());
    REQUIRE(gone.ask(Command::kDump));
  }
  // Until it is taken, others would share it.
  REQUIRE(comes_true([&] { return served.vm.captures_begun.load(); }));
  RudeClient first(served.path()), second(served.path());
  REQUIRE(first.ask(Command::kDump));
  Answer answer;
  REQUIRE(first.next(answer));
  REQUIRE(second.ask(Command::kDump));
  Answer other;
  REQUIRE(second.next(other));
  CHECK(answer.progress.number == other.progress.number);
  served.vm.hold = false;
  while (!answer.last && first.next(answer)) {
  }
  while (!other.last && second.next(other)) {
  }
  CHECK(answer.progress.stage == DumpStage::kReported);
  CHECK(other.progress.stage == DumpStage::kReported);
  CHECK(other.progress.merged == 1);
  CHECK(served.engine.totals().reports == 2);
}

TEST_CASE("cancel: ends the dump, tells both") {
  Served served;
  CHECK(Asked(served, request_for(Command::kCancel)).refused(RefusalKind::kRefused, "no dump"));
  hold_analysis = true;
  RudeClient dumper(served.path());
  REQUIRE(dumper.ask(Command::kDump));
  Answer news;
  while (dumper.next(news) && news.progress.stage != DumpStage::kAnalysing) {
  }
  Asked cancel(served, request_for(Command::kCancel));
  CHECK(cancel.answer.kind == AnswerKind::kDone);
  while (!news.last && dumper.next(news)) {
  }
  CHECK(news.progress.stage == DumpStage::kFailed);
  CHECK(news.progress.error.code == ErrorCode::kCancelled);
}

TEST_CASE("set: changes what it names, tells the owner, and answers what is in force") {
  struct Owner {
    int calls = 0;
    Options seen;
  } owner;
  ControlCalls calls;
  calls.context = &owner;
  calls.changed = [](void* raw, const Options& options) noexcept {
    auto& told = *static_cast<Owner*>(raw);
    ++told.calls;
    told.seen = options;
  };
  Served served(calls);
  const Asked asked(served, set_request("cooldown=5m,on=oom+signal,dump=simple"));
  CHECK(asked.answer.kind == AnswerKind::kDone);
  CHECK(asked.answer.text == "on=signal+oom,cooldown=300s,dump=simple");
  CHECK(owner.calls == 1);
  CHECK(owner.seen.dump == DumpKind::kSimple);
  CHECK(served.engine.options().cooldown_ns == 300'000 * kMsForTest);
  CHECK(served.engine.options().max_dumps == 20);
  CHECK(Asked(served, set_request("log=info")).answer.kind == AnswerKind::kDone);
  CHECK(log_enabled(LogLevel::kInfo));
  CHECK(Asked(served, set_request("log=error")).answer.kind == AnswerKind::kDone);
  CHECK_FALSE(log_enabled(LogLevel::kInfo));
}

TEST_CASE("set: what is refused changes nothing") {
  Served served;
  for (const char* const text :
       {"", "help", "dir=/tmp", "memory=64m", "control=off", "sample=off", "log=info:/tmp/x.log",
        "pause=soon", "dump=simple,dir=/tmp", "nonsense=1", "file=../x.hfr"}) {
    const Asked asked(served, set_request(text));
    CHECK_MESSAGE(asked.refused(RefusalKind::kWrongUsage, ""), text);
    CHECK(!asked.answer.refusal.text.empty());
  }
  CHECK(Asked(served, set_request("dir=/tmp")).refused(RefusalKind::kWrongUsage, "dir: is chosen"));
  CHECK(served.engine.options().dump == DumpKind::kAuto);
}

TEST_CASE("detach: answered first, then the owner ends everything from a thread of its own") {
  {
    const Served served;
    CHECK(Asked(served, request_for(Command::kDetach)).refused(RefusalKind::kRefused, "cannot"));
  }
  static std::atomic<int> wanted;
  wanted = 0;
  ControlCalls calls;
  calls.detach_requested = [](void*) noexcept { ++wanted; };
  Served served(calls);
  Asked asked(served, request_for(Command::kDetach));
  CHECK(asked.answer.kind == AnswerKind::kDone);
  REQUIRE(comes_true([] { return wanted == 1; }));
  served.server.close();
  CHECK_FALSE(served.scratch.has("run/" + served.name()));
  RudeClient leaver(served.path());
  CHECK_FALSE(leaver.connected());
  CHECK(wanted == 1);
}

TEST_CASE("control=off and a ledger without room: no socket, and nothing is held") {
  Served served;
  ControlServer off;
  Options options;
  options.control = false;
  const std::uint64_t before = served.engine.ledger().total_bytes();
  CHECK(off.open(served.engine, options, {}).ok());
  off.start();
  off.close();
  CHECK(served.engine.ledger().total_bytes() == before);
  const std::uint64_t left = served.engine.ledger().left_bytes();
  REQUIRE(served.engine.ledger().charge(MemoryCategory::kWorker, left - kRestingBytes + 1));
  ControlServer poor;
  CHECK(poor.open(served.engine, served.places(), {}).error().code == ErrorCode::kOutOfBudget);
  served.engine.ledger().refund(MemoryCategory::kWorker, left - kRestingBytes + 1);
  CHECK(served.engine.ledger().total_bytes() == before);
}

TEST_CASE("started and closed again and again: no descriptor, byte or file stays") {
  std::uint64_t descriptors = 0;
  for (int round = 0; round < 12; ++round) {
    {
      Served served;
      Asked(served, request_for(Command::kStatus));
      RudeClient left_open(served.path());
      REQUIRE(left_open.connected());
      served.server.close();
      CHECK(served.engine.ledger().total_bytes() == served.resting_bytes - kRestingBytes);
      CHECK(served.scratch.count() == 1);
      CHECK_FALSE(served.scratch.has("run/" + served.name()));
      served.server.close();
    }
    if (round == 1) descriptors = platforms::open_descriptors_for_test();
  }
  CHECK(platforms::open_descriptors_for_test() == descriptors);
}

TEST_CASE("a process that the application forks takes nothing away from us") {
  Served served;
  const std::string file = "run/" + served.name();
  const int result = platforms::run_in_child([&] {
    served.server.close();
    return served.scratch.has(file) ? 0 : 1;
  });
  CHECK(result == 0);
  CHECK(Asked(served, request_for(Command::kPing)).answer.kind == AnswerKind::kPong);
}
