#include "cli/talk/command_dump.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "analysis/report/file_header.h"
#include "cli/command_line.h"
#include "cli/report/sample_report_for_test.h"
#include "cli/talk/fake_agent.h"
#include "cli/text/golden_for_test.h"
#include "platforms/process_for_tests.h"
#include "platforms/scratch_for_test.h"

using namespace holdfast;
using namespace holdfast::cli;

namespace {

using control::Command;

struct Outcome {
  ExitCode code;
  std::string out, err;
};

Outcome run(FakeAgent& agent, std::vector<std::string> arguments, bool terminal = false) {
  arguments.insert(arguments.begin(), {"dump", "shop"});
  std::ostringstream out, err;
  Surroundings surroundings{out, err};
  surroundings.err_is_terminal = terminal;
  const ExitCode code = run_command_line(arguments, surroundings, agent.door());
  return {code, out.str(), err.str()};
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

// A dump that goes well, up to a stage.
DumpProgress dump_at(DumpStage stage, const std::string& path = "/nowhere/shop.hfr",
                     std::uint64_t bytes = 219'136) {
  DumpProgress dump;
  dump.number = 3;
  dump.trigger = Trigger::kCommand;
  dump.stage = stage;
  dump.asked_utc_ms = 1'795'249'412'004;
  if (stage == DumpStage::kWaiting) return dump;
  dump.rung = CaptureRung::kFrozen;
  dump.extended = true;
  dump.predicted_pause_ns = 24'000'000;
  dump.pause_limit_ns = 1'000'000'000;
  if (stage == DumpStage::kPlanned) return dump;
  dump.pause_ns = 22'100'000;
  if (stage == DumpStage::kAnalysing) return dump;
  dump.elapsed_ns = 1'300'000'000;
  std::strcpy(dump.report_path, path.c_str());
  dump.report_bytes = bytes;
  return dump;
}

void answer_all_stages(FakePeer& peer, const DumpProgress& end) {
  for (const DumpStage stage : {DumpStage::kWaiting, DumpStage::kPlanned, DumpStage::kAnalysing})
    peer.answer(progress(dump_at(stage)));
  peer.answer(progress(end));
}

FakeAgent::Script reporting(const std::string& path, std::uint64_t bytes) {
  return [=](const control::Request&, FakePeer& peer) {
    answer_all_stages(peer, dump_at(DumpStage::kReported, path, bytes));
  };
}

std::string said_lines(const std::string& err) {
  return replaced(err, "process " + std::to_string(::getpid()), "process PID");
}

}  // namespace

TEST_CASE("dump: the prediction, the pause, the end on stderr; the path alone on stdout") {
  FakeAgent agent(reporting("/nowhere/shop.hfr", 219'136));
  const Outcome outcome = run(agent, {});
  CHECK(outcome.code == ExitCode::kDone);
  CHECK(outcome.out == "/nowhere/shop.hfr\n");
  CHECK(said_lines(outcome.err) ==
        "process PID: will stop the application for about 24.0 ms (limit 1.0 s): an object graph "
        "from a frozen copy of the heap\n"
        "process PID: stopped for 22.1 ms; the application runs again\n"
        "process PID: report of 214.0 KB after 1.3 s\n");
}

TEST_CASE("dump: how long the analysis takes, again where that changes, and the basic report") {
  FakeAgent agent([](const control::Request&, FakePeer& peer) {
    DumpProgress dump = dump_at(DumpStage::kAnalysing);
    peer.answer(progress(dump));
    dump.objects = 3'300'000;
    dump.references = 6'600'000;
    for (const std::uint64_t expected_ns : {1'100'000'000u, 1'500'000'000u, 4'000'000'000u}) {
      dump.expected = {400'000'000, expected_ns};
      peer.answer(progress(dump));
    }
    std::strcpy(dump.report_path, "/nowhere/shop.hfr");
    peer.answer(progress(dump));
    peer.answer(progress(dump));
    DumpProgress end = dump_at(DumpStage::kReported);
    end.analysis_began_utc_ms = end.asked_utc_ms + 100;
    end.objects = dump.objects;
    end.expected = dump.expected;
    peer.answer(progress(end));
  });
  CHECK(said_lines(run(agent, {}).err) ==
        "process PID: will stop the application for about 24.0 ms (limit 1.0 s): an object graph "
        "from a frozen copy of the heap\n"
        "process PID: stopped for 22.1 ms; the application runs again\n"
        "process PID: 3,300,000 objects; the analysis takes about 1.1 s on a free core, 24.2 s "
        "beside busy ones\n"
        "process PID: instead about 4.0 s on a free core, 88.0 s beside busy ones\n"
        "process PID: the basic report is there; the optional parts go on\n"
        "process PID: report of 214.0 KB after 1.3 s\n");
  const auto json = nlohmann::json::parse(run(agent, {"--json"}).out);
  CHECK(json["objects"] == 3'300'000);
  CHECK(json["expected_basic_ms"] == 400.0);
  CHECK(json["expected_analysis_ms"] == 4000.0);
  CHECK(json["analysis_ms"] == 1200);
}

TEST_CASE("dump: golden, what is said and what is printed") {
  FakeAgent agent(reporting("/var/dumps/shop.hfr", 219'136));
  const Outcome said = run(agent, {});
  check_golden("dump", said_lines(said.err) + said.out);
  const std::string own = "\"pid\": " + std::to_string(::getpid());
  check_golden("dump_json", replaced(run(agent, {"--json"}).out, own, "\"pid\": 4242"));
}

TEST_CASE("dump: what is asked reaches the agent") {
  control::Request asked;
  std::string file;
  FakeAgent agent([&](const control::Request& request, FakePeer& peer) {
    asked = request;
    file = request.file;
    answer_all_stages(peer, dump_at(DumpStage::kReported));
  });
  run(agent, {"--extended", "--capture", "walk", "--pause", "500ms", "--snapshot", "--analyses",
              "suspects+tree", "--file", "a-%n.hfr"});
  CHECK(asked.command == Command::kDump);
  CHECK(asked.kind == DumpKind::kExtended);
  CHECK(asked.capture == CaptureChoice::kWalk);
  CHECK(asked.pause_limit_ns == 500'000'000);
  CHECK(asked.snapshot);
  CHECK(asked.analyses == "suspects+tree");
  CHECK(file == "a-%n.hfr");
  run(agent, {"--simple"});
  CHECK(asked.kind == DumpKind::kSimple);
  CHECK(asked.pause_limit_ns == 0);
}

TEST_CASE("dump: --quiet says nothing, a terminal sees one line rewritten") {
  FakeAgent agent(reporting("/nowhere/shop.hfr", 1));
  CHECK(run(agent, {"--quiet"}).err.empty());
  const Outcome seen = run(agent, {}, true);
  CHECK(has(seen.err, "\r\x1b[Kprocess"));
  CHECK(has(seen.err, "waiting for its turn"));
  CHECK(seen.err.ends_with("after 1.3 s\n"));
}

TEST_CASE("dump: a step down is a warning, also with --quiet, and stands in the JSON") {
  FakeAgent agent([](const control::Request&, FakePeer& peer) {
    DumpProgress end = dump_at(DumpStage::kReported);
    end.extended = false;
    end.rung = CaptureRung::kHistogram;
    std::strcpy(end.note.text, "no object graph: it would stop the application for 9 s");
    answer_all_stages(peer, end);
  });
  CHECK(has(run(agent, {}).err, "stopped for"));
  CHECK(has(run(agent, {"--quiet"}).err, "warning: no object graph"));
  const Outcome outcome = run(agent, {"--json"});
  const auto json = nlohmann::json::parse(outcome.out);
  CHECK(json["schema_version"] == 1);
  CHECK(json["note"] == "no object graph: it would stop the application for 9 s");
  CHECK(json["kind"] == "simple");
  CHECK(json["rung"] == "histogram");
  CHECK(json["pause_ms"] == 22.1);
  CHECK(json["predicted_pause_ms"] == 24.0);
  CHECK(json["pause_limit_ms"] == 1000.0);
  CHECK(json["report_path"] == "/nowhere/shop.hfr");
  CHECK(json["error"].is_null());
}

TEST_CASE("dump: a changed plan is told once more") {
  FakeAgent agent([](const control::Request&, FakePeer& peer) {
    peer.answer(progress(dump_at(DumpStage::kPlanned)));
    DumpProgress lower = dump_at(DumpStage::kPlanned);
    lower.rung = CaptureRung::kHistogram;
    lower.extended = false;
    lower.predicted_pause_ns = 400'000;
    peer.answer(progress(lower));
    peer.answer(progress(lower));
    lower.stage = DumpStage::kReported;
    lower.pause_ns = 300'000;
    peer.answer(progress(lower));
  });
  const std::string err = run(agent, {}).err;
  CHECK(has(err, "instead will stop the application for less than 1 ms"));
  CHECK(std::ranges::count(err, '\n') == 4);
}

TEST_CASE("dump: no report is exit code 4 and says why") {
  FakeAgent agent([](const control::Request&, FakePeer& peer) {
    DumpProgress end = dump_at(DumpStage::kAnalysing);
    end.stage = DumpStage::kFailed;
    end.error = make_error(ErrorCode::kIo, ENOSPC);
    peer.answer(progress(end));
  });
  const Outcome outcome = run(agent, {"--quiet"});
  CHECK(outcome.code == ExitCode::kRefused);
  CHECK(outcome.out.empty());
  CHECK(has(outcome.err, "leaves no report: No space left on device"));
  CHECK(std::ranges::count(outcome.err, '\n') == 1);
}

TEST_CASE("dump: a newer agent's stages, methods and triggers have their numbers") {
  const auto newer = [](bool reported) {
    return [reported](const control::Request&, FakePeer& peer) {
      DumpProgress dump = dump_at(DumpStage::kPlanned);
      dump.trigger = static_cast<Trigger>(17);
      dump.rung = static_cast<CaptureRung>(18);
      dump.stage = static_cast<DumpStage>(19);
      control::Answer answer = progress(dump);
      answer.last = !reported;
      peer.answer(answer);
      if (!reported) return;
      std::strcpy(dump.report_path, "/nowhere/shop.hfr");
      dump.stage = DumpStage::kReported;
      peer.answer(progress(dump));
    };
  };
  FakeAgent agent(newer(true));
  const Outcome done = run(agent, {"--json"});
  CHECK(done.code == ExitCode::kDone);
  CHECK(has(done.out, "\"trigger\": \"unknown (17)\""));
  CHECK(has(done.out, "\"rung\": \"unknown (18)\""));
  CHECK(has(done.err, "capture method unknown (18) of a newer agent"));
  FakeAgent other(newer(false));
  const Outcome ended = run(other, {"--quiet"});
  CHECK(ended.code == ExitCode::kRefused);
  CHECK(has(ended.err, "its dump ended as 'unknown (19)', which only a newer holdfast knows"));
  CHECK(std::ranges::count(ended.err, '\n') == 1);
}

TEST_CASE("dump: the process dies, the agent says nothing, answers nonsense, takes too long") {
  FakeAgent dying([](const control::Request&,
                     FakePeer& peer) { peer.answer(progress(dump_at(DumpStage::kPlanned))); },
                  platforms::dead_pid_for_test());
  const Outcome died = run(dying, {"--quiet"});
  CHECK(died.code == ExitCode::kRefused);
  CHECK(has(died.err, "has ended"));

  const auto hold = [](const control::Request&, FakePeer& peer) {
    while (peer.client_there(1000)) {
    }
  };
  FakeAgent silent(hold);
  const Outcome unheard = run(silent, {"--quiet", "--timeout", "100ms"});
  CHECK(unheard.code == ExitCode::kRefused);
  CHECK(has(unheard.err, "does not answer within 100.0 ms"));

  FakeAgent slow([&](const control::Request& request, FakePeer& peer) {
    peer.answer(progress(dump_at(DumpStage::kPlanned)));
    hold(request, peer);
  });
  const Outcome late = run(slow, {"--quiet", "--timeout", "100ms"});
  CHECK(late.code == ExitCode::kRefused);
  CHECK(has(late.err, "the dump goes on"));

  FakeAgent mad([](const control::Request&, FakePeer& peer) { peer.answer(done("what?")); });
  CHECK(run(mad, {}).code == ExitCode::kBadInput);
}

TEST_CASE("dump: Ctrl-C cancels it in the agent and ends with 4 and one line") {
  FakeAgent agent([](const control::Request& request, FakePeer& peer) {
    if (request.command == Command::kCancel) {
      peer.answer(done("cancelled"));
      return;
    }
    peer.answer(progress(dump_at(DumpStage::kPlanned)));
    ::raise(SIGINT);
    while (peer.client_there(1000)) {
    }
  });
  const Outcome outcome = run(agent, {"--quiet"});
  CHECK(outcome.code == ExitCode::kRefused);
  CHECK(has(outcome.err, "cancelled; no report is left"));
  CHECK(std::ranges::count(outcome.err, '\n') == 1);
  CHECK(agent.heard() == std::vector<Command>{Command::kDump, Command::kCancel});
}

TEST_CASE("dump: Ctrl-C before the first answer never cancels what others asked for") {
  FakeAgent silent([](const control::Request&, FakePeer& peer) {
    ::raise(SIGINT);
    while (peer.client_there(1000)) {
    }
  });
  const Outcome unheard = run(silent, {"--quiet"});
  CHECK(unheard.code == ExitCode::kRefused);
  CHECK(has(unheard.err, "nothing is cancelled"));
  CHECK(silent.heard() == std::vector<Command>{Command::kDump});

  std::uint32_t cancelled = 0;
  FakeAgent late([&](const control::Request& request, FakePeer& peer) {
    if (request.command == Command::kCancel) {
      cancelled = request.number;
      peer.answer(done("cancelled"));
      return;
    }
    ::raise(SIGINT);
    peer.client_there(300);
    peer.answer(progress(dump_at(DumpStage::kWaiting)));
    while (peer.client_there(1000)) {
    }
  });
  const Outcome heard = run(late, {"--quiet"});
  CHECK(heard.code == ExitCode::kRefused);
  CHECK(has(heard.err, "cancelled; no report is left"));
  CHECK(cancelled == 3);
}

TEST_CASE("dump: Ctrl-C, and the agent knows of others that wait") {
  FakeAgent agent([](const control::Request& request, FakePeer& peer) {
    if (request.command == Command::kCancel) {
      peer.answer(refusal(control::RefusalKind::kRefused, "others wait for this dump too"));
      return;
    }
    peer.answer(progress(dump_at(DumpStage::kPlanned)));
    ::raise(SIGINT);
    while (peer.client_there(1000)) {
    }
  });
  const Outcome outcome = run(agent, {"--quiet"});
  CHECK(outcome.code == ExitCode::kRefused);
  CHECK(has(outcome.err, "others wait for this dump too; it is not cancelled and goes on"));
  CHECK(std::ranges::count(outcome.err, '\n') == 1);
}

TEST_CASE("dump: Ctrl-C leaves a dump alone that others wait for too") {
  FakeAgent agent([](const control::Request&, FakePeer& peer) {
    DumpProgress shared = dump_at(DumpStage::kPlanned);
    shared.merged = 1;
    peer.answer(progress(shared));
    ::raise(SIGINT);
    while (peer.client_there(1000)) {
    }
  });
  const Outcome outcome = run(agent, {"--quiet"});
  CHECK(outcome.code == ExitCode::kRefused);
  CHECK(has(outcome.err, "others wait for it too"));
  CHECK(agent.heard() == std::vector<Command>{Command::kDump});
}

TEST_CASE("dump: -o copies the report, complete or not at all; --report shows it") {
  const TemporaryFile report(sample_file({}));
  const auto bytes = std::filesystem::file_size(report.path());
  const platforms::ScratchDirectory scratch;
  const std::string target = scratch.file("copy of it.hfr");
  FakeAgent agent(reporting(report.path(), bytes));
  const Outcome copied = run(agent, {"--quiet", "-o", target});
  CHECK(copied.code == ExitCode::kDone);
  CHECK(copied.out == target + "\n");
  CHECK(scratch.read("copy of it.hfr").size() == bytes);
  CHECK(run(agent, {"--quiet", "-o", target}).code == ExitCode::kDone);  // a report is replaced
  CHECK(scratch.count() == 1);
  CHECK(has(run(agent, {"--quiet", "--report"}).out, "4,812 shop.Session retain"));

  scratch.write("letter.txt", "dear all");
  const std::size_t asked = agent.heard().size();
  CHECK(run(agent, {"-o", scratch.file("letter.txt")}).code == ExitCode::kRefused);
  CHECK(agent.heard().size() == asked);  // nobody was stopped for a file that cannot be written
  CHECK(scratch.read("letter.txt") == "dear all");

  FakeAgent other(reporting(report.path(), bytes + 1));
  CHECK(run(other, {"--quiet", "-o", scratch.file("b.hfr")}).code == ExitCode::kBadInput);
  FakeAgent gone(reporting(scratch.file("gone.hfr"), 5));
  CHECK(run(gone, {"--quiet", "-o", scratch.file("b.hfr")}).code == ExitCode::kRefused);
  CHECK(scratch.count() == 2);
}

TEST_CASE("dump: where -o fails in the end, the line says where the report is") {
  const TemporaryFile report(sample_file({}));
  const auto bytes = std::filesystem::file_size(report.path());
  FakeAgent agent(reporting(report.path(), bytes));
  const Outcome full = run(agent, {"--quiet", "-o", "/dev/full"});
  CHECK(full.code == ExitCode::kRefused);
  CHECK(full.out.empty());
  CHECK(has(full.err, "-o /dev/full: No space left on device; the report is at " + report.path()));
  CHECK(std::ranges::count(full.err, '\n') == 1);
  CHECK(run(agent, {"--quiet", "-o", "/dev/null"}).code == ExitCode::kDone);

  const platforms::ScratchDirectory scratch;
  for (const std::string& appearing :
       {std::string("dear all"),
        std::string(analysis::kReportMagic.begin(), analysis::kReportMagic.end())}) {
    FakeAgent slow([&](const control::Request&, FakePeer& peer) {
      scratch.write("a.hfr", appearing);
      answer_all_stages(peer, dump_at(DumpStage::kReported, report.path(), bytes));
    });
    std::filesystem::remove(scratch.file("a.hfr"));
    const Outcome outcome = run(slow, {"--quiet", "-o", scratch.file("a.hfr")});
    CHECK(outcome.code == ExitCode::kRefused);
    CHECK(has(outcome.err, "; the report is at " + report.path()));
    CHECK(scratch.read("a.hfr") == appearing);
    CHECK(scratch.count() == 1);
  }
}

TEST_CASE("dump: a path with control characters is not printed") {
  for (const char* path :
       {"/tmp/a\x1b[2J.hfr", "/tmp/a\n/etc/passwd", "/tmp/a\x7f", "/tmp/a\xc2\x9b", "/tmp/a\x9b"}) {
    FakeAgent agent(reporting(path, 1));
    for (const std::vector<std::string>& how : {std::vector<std::string>{}, {"--json"}}) {
      const Outcome outcome = run(agent, how);
      CHECK(outcome.code == ExitCode::kBadInput);
      CHECK(outcome.out.empty());
      CHECK_FALSE(has(outcome.err, path));
    }
  }
  FakeAgent agent(reporting("/tmp/caf\xc3\xa9/a b.hfr", 1));
  CHECK(run(agent, {}).out == "/tmp/caf\xc3\xa9/a b.hfr\n");
}

TEST_CASE(
    "dump: a process without an agent gets one that is idle; what it has is not started anew") {
  FakeAgent agent(reporting("/nowhere/shop.hfr", 1));
  agent.present = false;
  const Outcome first =
      run(agent, {"--dir", "/var/dumps", "--library", "/opt/lib.so", "--options", "retain=strong"});
  CHECK(first.code == ExitCode::kDone);
  CHECK(has(first.err, "had no agent"));
  CHECK(agent.wishes.options == "on=off,dir=/var/dumps,retain=strong");
  CHECK(agent.wishes.library == "/opt/lib.so");
  const Outcome second = run(agent, {"--dir", "/elsewhere"});
  CHECK(second.code == ExitCode::kWrongUsage);
  CHECK(has(second.err, "--dir"));
}

TEST_CASE("dump: wrong usage") {
  FakeAgent agent(reporting("/nowhere/shop.hfr", 1));
  for (const std::vector<std::string>& wrong : {std::vector<std::string>{"--pause", "soon"},
                                                {"--pause", "0"},
                                                {"--simple", "--extended"},
                                                {"--capture", "magic"},
                                                {"--json", "--report"},
                                                {"--timeout", "25h"},
                                                {"another"}}) {
    const Outcome outcome = run(agent, wrong);
    CHECK_MESSAGE(outcome.code == ExitCode::kWrongUsage, wrong.front());
    CHECK(std::ranges::count(outcome.err, '\n') == 1);
  }
  agent.present = false;
  CHECK(run(agent, {"--options", "colour=red"}).code == ExitCode::kWrongUsage);
  CHECK(run(agent, {"--options", "dir=/a", "--dir", "/b"}).code == ExitCode::kWrongUsage);
  CHECK(run(agent, {"--dir", "/a,b"}).code == ExitCode::kWrongUsage);
  CHECK_FALSE(agent.present);
}
