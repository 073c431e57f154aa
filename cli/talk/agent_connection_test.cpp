#include "cli/talk/agent_connection.h"

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <string>

#include "cli/talk/fake_agent.h"
#include "platforms/clock.h"
#include "platforms/process_for_tests.h"

using namespace holdfast;
using namespace holdfast::cli;

namespace {

using control::AnswerKind;
using control::Command;

// What a client hears of a peer that does this; no text: an answer.
struct Heard {
  ExitCode code = ExitCode::kDone;
  std::string text;
};

Heard hear(const FakeAgent::Script& script, std::uint32_t pid = 0) {
  FakeAgent agent(script, pid);
  const AgentDoor door = agent.door();
  try {
    AgentConnection connection(door.connect(0), door.find(""));
    connection.ask(request_for(Command::kPing), AnswerKind::kPong);
    return {};
  } catch (const Stop& stop) {
    return {stop.code, stop.text};
  }
}

control::Answer pong() {
  control::Answer answer;
  answer.kind = AnswerKind::kPong;
  answer.pong = {"0.1.0", 42};
  return answer;
}

std::string encoded(const control::Answer& answer) {
  alignas(std::max_align_t) static std::array<std::byte, control::kMaxAnswerBytes> room;
  const auto message = control::encode_answer(answer, room);
  REQUIRE(message.ok());
  return {reinterpret_cast<const char*>(message->data()), message->size()};
}

}  // namespace

TEST_CASE("agent connection: an answer, whole or in pieces") {
  CHECK(hear([](const control::Request&, FakePeer& peer) { peer.answer(pong()); }).text.empty());
  const std::string bytes = encoded(pong());
  CHECK(hear([&](const control::Request&, FakePeer& peer) {
          for (const char byte : bytes) peer.raw({&byte, 1});
        }).text.empty());
}

TEST_CASE("agent connection: several answers in one go come one by one") {
  std::string stream;
  for (int i = 0; i < 3; ++i) {
    control::Answer answer = pong();
    answer.pong.pid = static_cast<std::uint32_t>(i);
    answer.last = i == 2;
    stream += encoded(answer);
  }
  FakeAgent agent([&](const control::Request&, FakePeer& peer) { peer.raw(stream); });
  AgentConnection connection(agent.door().connect(0), 1);
  connection.send(request_for(Command::kPing));
  for (std::uint32_t i = 0; i < 3; ++i) {
    REQUIRE(connection.next(kForever) == AgentConnection::Heard::kAnswer);
    CHECK(connection.answer().pong.pid == i);
  }
  CHECK_THROWS_AS(connection.next(kForever), Stop);
}

TEST_CASE("agent connection: cut at every byte is a peer that hung up, never an answer") {
  const std::string bytes = encoded(pong());
  for (std::size_t cut = 0; cut < bytes.size(); ++cut) {
    const Heard heard =
        hear([&](const control::Request&, FakePeer& peer) { peer.raw(bytes.substr(0, cut)); });
    CHECK(heard.code == ExitCode::kRefused);
    CHECK(heard.text.find("hung up") != std::string::npos);
  }
}

TEST_CASE("agent connection: garbage, another program, a flood, a newer version") {
  const Heard garbage = hear([](const control::Request&, FakePeer& peer) {
    peer.raw(std::string("\x3c\0\0\0", 4) + std::string(60, '\x5a'));
  });
  CHECK(garbage.code == ExitCode::kBadInput);
  const Heard http = hear([](const control::Request&, FakePeer& peer) {
    peer.raw("HTTP/1.1 400 Bad Request\r\n\r\n");
  });
  CHECK(http.code == ExitCode::kBadInput);  // its first four letters are a size beyond the limit
  CHECK(http.text.find("damaged") != std::string::npos);
  std::string flipped = encoded(pong());
  flipped[flipped.size() / 2] = '\x7f';
  flipped[4] = '\x7f';
  CHECK(hear([&](const control::Request&, FakePeer& peer) { peer.raw(flipped); }).code ==
        ExitCode::kBadInput);
}

TEST_CASE("agent connection: what the agent refuses has its own line and exit code") {
  const auto refused = [](control::RefusalKind kind) {
    return hear([kind](const control::Request&, FakePeer& peer) {
      peer.answer(refusal(kind, "colour=red: there is no such option"));
    });
  };
  CHECK(refused(control::RefusalKind::kWrongUsage).code == ExitCode::kWrongUsage);
  CHECK(refused(control::RefusalKind::kRefused).code == ExitCode::kRefused);
  CHECK(refused(control::RefusalKind::kNotUnderstood).code == ExitCode::kRefused);
  CHECK(refused(control::RefusalKind::kFailed).code == ExitCode::kOurFault);
  CHECK(refused(control::RefusalKind::kRefused).text.find("colour=red") != std::string::npos);
}

TEST_CASE("agent connection: another kind of answer than asked for is damage") {
  CHECK(hear([](const control::Request&, FakePeer& peer) { peer.answer(done("x")); }).code ==
        ExitCode::kBadInput);
}

TEST_CASE("agent connection: a newer agent's answers and refusals of unknown kinds") {
  control::Answer unknown;
  unknown.kind = static_cast<AnswerKind>(17);
  const Heard last = hear([&](const control::Request&, FakePeer& peer) { peer.answer(unknown); });
  CHECK(last.code == ExitCode::kRefused);
  CHECK(last.text.find("its agent is newer and answers in a way (17)") != std::string::npos);
  unknown.last = false;  // beside what was asked for
  const Heard beside = hear([&](const control::Request&, FakePeer& peer) {
    peer.raw(encoded(unknown) + encoded(unknown) + encoded(pong()));
  });
  CHECK(beside.text.empty());
  const Heard refused = hear([](const control::Request&, FakePeer& peer) {
    peer.answer(refusal(static_cast<control::RefusalKind>(17), "because"));
  });
  CHECK(refused.code == ExitCode::kRefused);
  CHECK(refused.text.ends_with(": because"));
}

TEST_CASE("agent connection: many answers of unknown kinds take no stack") {
  control::Answer unknown;
  unknown.kind = static_cast<AnswerKind>(17);
  unknown.last = false;
  const std::string one = encoded(unknown);
  constexpr std::size_t kMany = 12'000;
  std::string stream;
  for (std::size_t i = 0; i < kMany; ++i) stream += one;
  stream += encoded(pong());
  CHECK(hear([&](const control::Request&, FakePeer& peer) { peer.raw(stream); }).text.empty());
}

TEST_CASE("agent connection: rows without room are said in one line") {
  control::Answer answer;
  CHECK(left_out_line(42, answer).empty());
  answer.left_out = 3;
  CHECK(left_out_line(42, answer) ==
        "process 42: 3 rows are left out, for which this holdfast has no room; its agent is "
        "newer\n");
}

TEST_CASE("agent connection: a process that is gone is said to be gone") {
  const Heard heard =
      hear([](const control::Request&, FakePeer&) {}, platforms::dead_pid_for_test());
  CHECK(heard.code == ExitCode::kRefused);
  CHECK(heard.text.find("has ended") != std::string::npos);
}

TEST_CASE("agent connection: silence ends at the deadline") {
  std::atomic<bool> over{false};
  FakeAgent agent([&](const control::Request&, FakePeer& peer) {
    while (!over && peer.client_there(10)) {
    }
  });
  {
    AgentConnection connection(agent.door().connect(0), 1);
    connection.send(request_for(Command::kPing));
    const std::uint64_t began = platforms::monotonic_ns();
    CHECK(connection.next(began + 50'000'000) == AgentConnection::Heard::kTimeout);
    CHECK(platforms::monotonic_ns() - began >= 50'000'000);
  }
  over = true;
}
