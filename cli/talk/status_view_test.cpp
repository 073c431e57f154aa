#include "cli/talk/status_view.h"

#include <doctest/doctest.h>

#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/command_line.h"
#include "cli/talk/fake_agent.h"
#include "cli/text/display_text.h"
#include "cli/text/golden_for_test.h"

using namespace holdfast;
using namespace holdfast::cli;

namespace {

using control::NamedBytes;
using control::NamedText;
using control::Status;
using control::TriggerState;

constexpr std::uint64_t kNow = 1'795'249'412'004;

DumpProgress dump(std::uint32_t number, Trigger trigger, DumpStage stage) {
  DumpProgress dump;
  dump.number = number;
  dump.trigger = trigger;
  dump.stage = stage;
  dump.asked_utc_ms = kNow - number * 1'000;
  if (stage == DumpStage::kWaiting) return dump;
  dump.rung = CaptureRung::kFrozen;
  dump.extended = true;
  dump.predicted_pause_ns = 24'000'000;
  dump.pause_limit_ns = 1'000'000'000;
  dump.pause_ns = 22'100'000;
  return dump;
}

struct Sample {
  std::vector<NamedBytes> memory = {
      {"capture", 0, 40u << 20}, {"worker", 1u << 20, 2u << 20}, {"snapshot", 0, 0}};
  std::vector<NamedText> options = {{"dir", "/var/dumps"}, {"on", "signal+oom"}, {"every", "5m"}};
  std::vector<TriggerState> triggers = {{"oom", "on", "waits", 0, 0},
                                        {"every", "5m", "next in 3 min 12 s", 11, 0},
                                        {"heap-above", "85%", "armed again below 80 %", 1, 4}};
  std::vector<DumpProgress> dumps;
  Status status;

  Sample() {
    dumps = {dump(4, Trigger::kCommand, DumpStage::kWaiting),
             dump(3, Trigger::kHeapAbove, DumpStage::kReported),
             dump(2, Trigger::kPeriodic, DumpStage::kFailed)};
    std::strcpy(dumps[1].report_path, "/var/dumps/shop.Main-web1-4242-20261121T082332Z-3.hfr");
    dumps[1].report_bytes = 219'136;
    dumps[2].error = make_error(ErrorCode::kIo, ENOSPC);
    dumps[2].pause_ns = 0;
    status.tool_version = "0.1.0";
    status.build_description = "c5bc4dc0f3a1";
    status.vm_name = "OpenJDK 64-Bit Server VM";
    status.vm_version = "17.0.17+10-Debian-1deb12u1";
    status.vm_vendor = "Debian";
    status.main_name = "shop.Main";
    status.collector = "G1";
    status.host = "web1";
    status.pid = 4242;
    status.utc_ms = kNow;
    status.vm_uptime_ms = 3'725'000;
    status.agent_uptime_ms = 3'600'000;
    status.agent_cpu_ns = 420'000'000;
    status.dir = "/var/dumps";
    status.memory_limit_bytes = 512u << 20;
    status.memory_used_bytes = 1u << 20;
    status.memory_peak_bytes = 84u << 20;
    status.heap = {96u << 20, 128u << 20, 256u << 20};
    status.collections = {41, 2, 312'000'000, 80u << 20, 256u << 20};
    status.requests = {14, 1, 4, 0};
    status.reports = 12;
    status.failed = 1;
    status.connections = 2;
    status.connections_refused = 1;
    status.watchers = 1;
    point();
  }
  void point() {
    status.memory = memory;
    status.options = options;
    status.triggers = triggers;
    status.dumps = dumps;
  }
};

std::size_t widest(const std::string& text) {
  std::size_t width = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) width = std::max(width, display_width(line));
  return width;
}

}  // namespace

TEST_CASE("status text: golden, and never wider than asked") {
  const Sample sample;
  check_golden("status_80", status_text(sample.status, 80, false));
  for (const std::size_t columns :
       {std::size_t{40}, std::size_t{60}, std::size_t{80}, std::size_t{132}})
    CHECK(widest(status_text(sample.status, columns, false)) <= columns);
}

TEST_CASE("status text: how long an analysis takes, and the basic report that is there") {
  Sample sample;
  DumpProgress& running = sample.dumps[0];
  running = dump(4, Trigger::kCommand, DumpStage::kAnalysing);
  const auto text = [&] { return status_text(sample.status, 200, false); };
  const auto has = [&](std::string_view part) { return text().find(part) != std::string::npos; };
  CHECK(has("#4        analysing …\n"));
  running.objects = 3'300'000;
  running.expected = {400'000'000, 4'000'000'000};
  running.analysis_began_utc_ms = kNow - 2'500;
  CHECK(
      has("#4        analysing … for 2.5 s, 3,300,000 objects: takes about 4.0 s on a free core, "
          "88.0 s beside busy ones\n"));
  CHECK_FALSE(has("basic report"));
  running.expected.all_ns = 40'000'000;
  CHECK(has("takes less than 0.1 s on a free core\n"));
  std::strcpy(running.report_path, "/var/dumps/shop-4.hfr");
  CHECK(has("/var/dumps/shop-4.hfr\n"));
  CHECK(
      has("basic report: classes, retained sizes, suspects, paths and threads; the optional parts "
          "go on"));
  const auto json = nlohmann::json::parse(status_json(sample.status));
  CHECK(json["dumps"][0]["stage"] == "analysing");
  CHECK(json["dumps"][0]["report_path"] == "/var/dumps/shop-4.hfr");
  CHECK(json["dumps"][0]["analysis_ms"].is_null());
  CHECK(json["dumps"][0]["expected_analysis_ms"] == 40.0);
}

TEST_CASE("status text: an agent that has done nothing yet, of a VM that tells little") {
  Sample sample;
  sample.memory.clear();
  sample.triggers.clear();
  sample.dumps.clear();
  sample.point();
  sample.status.heap = {};
  sample.status.collections = {};
  sample.status.frozen_refusal = "the heap is one of ZGC";
  sample.status.container = "0123456789ab";
  check_golden("status_new_80", status_text(sample.status, 80, false));
}

TEST_CASE("status text: what the last collection found and left, where somebody listened") {
  Sample sample;
  sample.status.collections.last_pause_ns = 7'200'000;
  sample.status.collections.heard = {38, kNow, 12'000'000, 1234u << 20, 80u << 20, 30u << 20};
  const std::string text = status_text(sample.status, 240, false);
  for (const char* said : {"last collection: 80.0 MB became 30.0 MB, 50.0 MB reclaimed",
                           "last 7.2 ms", "longest 12.0 ms", "1.2 GB reclaimed in 38 collections"})
    CHECK_MESSAGE(text.find(said) != std::string::npos, text);
  const auto json = nlohmann::json::parse(status_json(sample.status));
  CHECK(json["collections"]["last_pause_ms"] == 7.2);
  CHECK(json["collections"]["heard"]["last_before_bytes"] == 80u << 20);
  CHECK(nlohmann::json::parse(status_json(Sample().status))["collections"]["heard"].is_null());
}

TEST_CASE("status text: names of the application cannot speak to the terminal") {
  Sample sample;
  sample.status.main_name = "evil\x1b]0;owned\x07";
  sample.options[0].text = "/tmp/\x1b[2J";
  sample.triggers[0].state = "\x1b[31m";
  std::strcpy(sample.dumps[1].report_path, "/tmp/\x1b[2J.hfr");
  sample.point();
  CHECK(status_text(sample.status, 80, false).find('\x1b') == std::string::npos);
}

TEST_CASE("status JSON: golden") { check_golden("status_json", status_json(Sample().status)); }

TEST_CASE("status JSON: everything, with null for what is not known") {
  Sample sample;
  sample.status.collections.pause_ns = kUnknownCount;
  const auto json = nlohmann::json::parse(status_json(sample.status));
  CHECK(json["schema_version"] == 1);
  CHECK(json["process"]["main_name"] == "shop.Main");
  CHECK(json["process"]["container"].is_null());
  CHECK(json["agent"]["cpu_share"].get<double>() == doctest::Approx(0.42 / 3600));
  CHECK(json["collections"]["young"] == 41);
  CHECK(json["collections"]["pause_ms"].is_null());
  CHECK(json["triggers"][2]["refused"] == 4);
  CHECK(json["dumps"][0]["stage"] == "waiting");
  CHECK(json["dumps"][0]["rung"].is_null());
  CHECK(json["dumps"][1]["report_bytes"] == 219'136);
  CHECK(json["dumps"][2]["error"] == "No space left on device");
  CHECK(json["options"]["every"] == "5m");
  CHECK(json["requests"]["refused_cooldown"] == 4);
  CHECK(json["memory"]["categories"][0]["peak_bytes"] == 40u << 20);
}

TEST_CASE("status: the command asks, and shows text or JSON") {
  const Sample sample;
  FakeAgent agent([&](const control::Request& request, FakePeer& peer) {
    REQUIRE(request.command == control::Command::kStatus);
    control::Answer answer;
    answer.kind = control::AnswerKind::kStatus;
    answer.status = sample.status;
    peer.answer(answer);
  });
  std::ostringstream out, err;
  Surroundings surroundings{out, err};
  CHECK(run_command_line({"status", "shop"}, surroundings, agent.door()) == ExitCode::kDone);
  CHECK(out.str() == status_text(sample.status, 80, false));
  out.str("");
  CHECK(run_command_line({"status", "shop", "--json"}, surroundings, agent.door()) ==
        ExitCode::kDone);
  CHECK(out.str() == status_json(sample.status));
  CHECK(err.str().empty());
  agent.present = false;
  CHECK(run_command_line({"status", "shop"}, surroundings, agent.door()) == ExitCode::kRefused);
  CHECK(err.str().find("has no agent") != std::string::npos);
}
