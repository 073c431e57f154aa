#include "cli/talk/holder_watch.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/command_line.h"
#include "cli/report/sample_report_for_test.h"
#include "cli/talk/fake_agent.h"
#include "cli/text/golden_for_test.h"

using namespace holdfast;
using namespace holdfast::cli;

namespace {

using control::AnswerKind;
using control::Command;
using nlohmann::json;

constexpr std::uint64_t kBeganUtcMs = 1'795'249'412'004;

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

DumpProgress extended_dump(std::uint32_t number, const std::string& path, std::uint64_t bytes) {
  DumpProgress dump;
  dump.number = number;
  dump.stage = DumpStage::kReported;
  dump.extended = true;
  dump.asked_utc_ms = kBeganUtcMs - 120'000;
  dump.report_bytes = bytes;
  std::snprintf(dump.report_path, sizeof dump.report_path, "%s", path.c_str());
  return dump;
}

// Which dump the agent tells when it is asked for the n-th time; number 0: none.
using Dumps = std::vector<DumpProgress>;

void answer_status(FakePeer& peer, const DumpProgress& dump, bool old_agent) {
  control::Answer answer;
  answer.kind = AnswerKind::kStatus;
  answer.status.main_name = "shop.Main";
  if (dump.number != 0 && old_agent) answer.status.dumps = std::span(&dump, 1);
  if (dump.number != 0 && !old_agent) answer.status.last_extended = &dump;
  peer.answer(answer);
}

void answer_sample(FakePeer& peer, std::uint32_t sequence) {
  HistogramRow row;
  row.identity = 1;
  row.instances = 10;
  row.shallow_bytes = 240;
  std::strcpy(row.name, "shop.Session");
  control::Answer answer;
  answer.kind = AnswerKind::kHistogram;
  answer.last = false;
  answer.histogram.sequence = sequence;
  answer.histogram.taken_utc_ms = kBeganUtcMs + sequence * 1'000;
  answer.histogram.classes = 1;
  answer.histogram.rows = std::span(&row, 1);
  peer.answer(answer);
}

struct Telling {
  explicit Telling(Dumps told, bool old_agent = false)
      : agent([this, told = std::move(told), old_agent](const control::Request& request,
                                                        FakePeer& peer) {
          if (request.command == Command::kStatus) {
            // The first question is the watch's own: who are you?
            const std::size_t at = asked++;
            const std::size_t look = at == 0 ? 0 : at - 1;
            answer_status(peer, told[std::min(look, told.size() - 1)], old_agent);
            return;
          }
          for (std::uint32_t i = 1; i <= 4; ++i) answer_sample(peer, i);
          while (peer.client_there(1000)) {
          }
        }) {}
  std::atomic<std::size_t> asked{0};
  FakeAgent agent;
};

struct Report {
  explicit Report(const SampleReport& sample = {})
      : image(sample_file(sample)),
        file(image),
        dump(extended_dump(3, file.path(), image.size())) {}
  std::vector<std::byte> image;
  TemporaryFile file;
  DumpProgress dump;
};

std::string text_of(Dumps dumps, std::vector<std::string> arguments, bool old_agent = false) {
  Telling telling(std::move(dumps), old_agent);
  const Outcome outcome = run(telling.agent, std::move(arguments));
  CHECK_MESSAGE(outcome.code == ExitCode::kDone, outcome.err);
  return outcome.out;
}

std::vector<json> lines_of(Dumps dumps, const std::string& pattern) {
  std::istringstream text(
      text_of(std::move(dumps), {"--json", "--count", "3", "--holders", pattern}));
  std::vector<json> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(json::parse(line));
  REQUIRE(lines.size() == 3);
  return lines;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("watch --holders: golden, as text below the classes") {
  const Report report;
  const std::string pid = "pid " + std::to_string(::getpid());
  check_golden(
      "watch_holders_80",
      replaced(text_of({report.dump}, {"--once", "--holders", "shop.*"}), pid, "pid 4242"));
}

TEST_CASE("watch --holders: the classes of the pattern, how old that is, and how many more match") {
  const Report report;
  const std::string one = text_of({report.dump}, {"--count", "1", "--holders", "shop.Session"});
  CHECK_MESSAGE(has(one, "who holds shop.Session · dump 3, 2 min"), one);
  CHECK(has(one, "4,812 references of 4,812"));
  CHECK(has(one, "1 reference of static shop.SessionRegistry.last"));
  CHECK_FALSE(has(one, "more class"));
  const std::string all = text_of({report.dump}, {"--once", "--holders", "*"});
  CHECK(has(all, "byte[]"));
  const std::string older = text_of({report.dump}, {"--once", "--holders", "Session"}, true);
  CHECK(has(older, "dump 3"));  // of an agent that tells its last dumps alone
  CHECK_FALSE(has(text_of({report.dump}, {"--once"}), "who holds"));
}

TEST_CASE("watch --holders: as JSON once, and again when there is a newer report") {
  const Report first, second;
  DumpProgress newer = second.dump;
  newer.number = 5;
  const auto lines = lines_of({first.dump, first.dump, newer}, "shop.Session");
  REQUIRE(lines[0].contains("holders"));
  const json& holders = lines[0]["holders"];
  CHECK(holders["dump"] == 3);
  CHECK(holders["remark"].is_null());
  CHECK(holders["report_path"] == first.file.path());
  CHECK(holders["classes_matching"] == 1);
  CHECK(holders["classes"][0]["class"] == "shop.Session");
  CHECK(holders["classes"][0]["places"].size() == 4);
  CHECK_FALSE(lines[1].contains("holders"));
  REQUIRE(lines[2].contains("holders"));
  CHECK(lines[2]["holders"]["dump"] == 5);
}

TEST_CASE("watch --holders: what cannot be told is one line, and the watch goes on") {
  const std::string pid = std::to_string(::getpid());
  const std::string none = text_of({DumpProgress{}}, {"--once", "--holders", "shop.*"});
  CHECK(has(none, "no extended report yet: holdfast dump " + pid + " --extended makes one"));
  const Report report;
  const std::string nobody = text_of({report.dump}, {"--once", "--holders", "no.such.*"});
  CHECK(has(nobody, "no class of dump 3 matches 'no.such.*'"));
  const Report before({.before_1_4 = true});
  CHECK(has(text_of({before.dump}, {"--once", "--holders", "shop.*"}),
            "the report of dump 3 does not tell who holds instances"));
  const DumpProgress gone = extended_dump(3, "/no/such/directory/a.hfr", 1000);
  CHECK(has(text_of({gone}, {"--once", "--holders", "shop.*"}), "cannot be read: No such file"));
  const auto lines = lines_of({gone, gone, report.dump}, "shop.*");
  CHECK(lines[0]["holders"]["remark"].is_string());
  CHECK_FALSE(lines[1].contains("holders"));
  DumpProgress longer = report.dump;
  longer.report_bytes += 8;
  CHECK(has(text_of({longer}, {"--once", "--holders", "shop.*"}), "another length"));
}

TEST_CASE("watch --holders: a damaged report is said to be one") {
  Report report;
  std::vector<std::byte> damaged = report.image;
  damaged[damaged.size() / 2] ^= std::byte{0xFF};
  const TemporaryFile file(damaged);
  const DumpProgress dump = extended_dump(3, file.path(), damaged.size());
  const std::string text = text_of({dump}, {"--once", "--holders", "shop.*"});
  CHECK(has(text, "damaged"));
}
