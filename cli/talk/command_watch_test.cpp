#include "cli/talk/command_watch.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/command_line.h"
#include "cli/talk/fake_agent.h"
#include "cli/text/golden_for_test.h"

using namespace holdfast;
using namespace holdfast::cli;

namespace {

using control::AnswerKind;
using control::Command;

struct Outcome {
  ExitCode code;
  std::string out, err;
};

Outcome run(FakeAgent& agent, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"watch", "shop"});
  std::ostringstream out, err;
  Surroundings surroundings{out, err};
  const ExitCode code = run_command_line(arguments, surroundings, agent.door());
  return {code, out.str(), err.str()};
}

control::Answer status() {
  control::Answer answer;
  answer.kind = AnswerKind::kStatus;
  answer.status.main_name = "shop.Main";
  return answer;
}

void answer_sample(FakePeer& peer, std::uint32_t sequence, bool last = false) {
  HistogramRow rows[2];
  rows[0].identity = 1;
  rows[0].instances = 10 * sequence;
  rows[0].shallow_bytes = 240 * sequence;
  std::strcpy(rows[0].name, "shop.Session");
  rows[1].identity = 2;
  rows[1].instances = 5;
  rows[1].shallow_bytes = 900'000;
  std::strcpy(rows[1].name, "byte[]");
  control::Answer answer;
  answer.kind = AnswerKind::kHistogram;
  answer.last = last;
  answer.histogram.sequence = sequence;
  answer.histogram.taken_utc_ms = 1'795'249'412'004 + sequence * 1'000;
  answer.histogram.classes = 2;
  answer.histogram.total_instances = 5 + 10 * sequence;
  answer.histogram.total_bytes = 900'000 + 240 * sequence;
  answer.histogram.rows = rows;
  peer.answer(answer);
}

// Answers `samples` samples, then waits for the client to leave.
FakeAgent::Script sampling(std::uint32_t samples) {
  return [=](const control::Request& request, FakePeer& peer) {
    if (request.command == Command::kStatus) {
      peer.answer(status());
      return;
    }
    for (std::uint32_t i = 1; i <= samples; ++i) answer_sample(peer, i);
    while (peer.client_there(1000)) {
    }
  };
}

}  // namespace

TEST_CASE("watch: golden, as lines and as JSON") {
  FakeAgent agent(sampling(2));
  const std::string pid = std::to_string(::getpid());
  check_golden("watch_blocks_80",
               replaced(run(agent, {"--count", "2"}).out, "pid " + pid, "pid 4242"));
  check_golden("watch_json", replaced(run(agent, {"--count", "2", "--json"}).out, "\"pid\":" + pid,
                                      "\"pid\":4242"));
  check_golden("watch_once_json",
               replaced(run(agent, {"--once", "--json"}).out, "\"pid\": " + pid, "\"pid\": 4242"));
}

TEST_CASE("watch --once: one histogram by bytes, as text and as JSON") {
  FakeAgent agent(sampling(1));
  const Outcome text = run(agent, {"--once"});
  CHECK(text.code == ExitCode::kDone);
  CHECK(text.err.empty());
  CHECK(text.out.find("shop.Main · pid") != std::string::npos);
  CHECK(text.out.find("byte[]") < text.out.find("shop.Session"));
  CHECK(text.out.find("since start") == std::string::npos);
  const auto json = nlohmann::json::parse(run(agent, {"--once", "--json"}).out);
  CHECK(json["classes"][0]["class"] == "byte[]");
  CHECK(json["classes"][1]["shallow_bytes"] == 240);
  CHECK(json["classes_total"] == 2);
}

TEST_CASE("watch: plain blocks where stdout is no terminal, JSON lines with --json") {
  FakeAgent agent(sampling(3));
  const Outcome text = run(agent, {"--count", "3"});
  CHECK(text.code == ExitCode::kDone);
  CHECK(text.out.find('\x1b') == std::string::npos);
  CHECK(text.out.find("sample 3, every 1.0 s") != std::string::npos);
  CHECK(text.out.find("+480 B") != std::string::npos);
  CHECK(text.out.find("q quits") == std::string::npos);
  const Outcome lines = run(agent, {"--count", "2", "--json", "--filter", "shop.*"});
  CHECK(std::ranges::count(lines.out, '\n') == 2);
  const auto second = nlohmann::json::parse(lines.out.substr(lines.out.find('\n') + 1));
  CHECK(second["classes"].size() == 1);
  CHECK(second["classes"][0]["growth_bytes"] == 240);
}

TEST_CASE("watch: the interval reaches the agent; without one the agent chooses") {
  std::uint32_t asked = 77;
  FakeAgent agent([&](const control::Request& request, FakePeer& peer) {
    if (request.command == Command::kStatus) {
      peer.answer(status());
      return;
    }
    asked = request.interval_ms;
    answer_sample(peer, 1, true);
  });
  run(agent, {"--once"});
  CHECK(asked == 0);
  run(agent, {"--once", "--interval", "5s"});
  CHECK(asked == 5'000);
  CHECK(run(agent, {"--interval", "99ms"}).code == ExitCode::kWrongUsage);
  CHECK(run(agent, {"--sort", "names"}).code == ExitCode::kWrongUsage);
  CHECK(run(agent, {"--once", "--count", "2"}).code == ExitCode::kWrongUsage);
}

TEST_CASE("watch: ended by Ctrl-C it is done; ended by the process it is not") {
  FakeAgent interrupted([](const control::Request& request, FakePeer& peer) {
    if (request.command == Command::kStatus) {
      peer.answer(status());
      return;
    }
    answer_sample(peer, 1);
    ::raise(SIGINT);
    while (peer.client_there(1000)) {
    }
  });
  const Outcome ended = run(interrupted, {"--json"});
  CHECK(ended.code == ExitCode::kDone);
  CHECK(std::ranges::count(ended.out, '\n') == 1);
  FakeAgent dying([](const control::Request& request, FakePeer& peer) {
    if (request.command == Command::kStatus)
      peer.answer(status());
    else
      answer_sample(peer, 1);
  });
  const Outcome gone = run(dying, {"--json"});
  CHECK(gone.code == ExitCode::kRefused);
  CHECK(std::ranges::count(gone.err, '\n') == 1);
  FakeAgent refusing([](const control::Request& request, FakePeer& peer) {
    if (request.command == Command::kStatus)
      peer.answer(status());
    else
      peer.answer(
          refusal(control::RefusalKind::kRefused, "memory= leaves no room for a histogram"));
  });
  const Outcome refused = run(refusing, {});
  CHECK(refused.code == ExitCode::kRefused);
  CHECK(refused.err.find("memory= leaves no room") != std::string::npos);
}
