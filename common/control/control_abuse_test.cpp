// What peers do that they should not: none of it may cost the application anything, nor anybody else the service.
#include <doctest/doctest.h>

#include <atomic>
#include <cstring>
#include <deque>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "common/control/served_fixture.h"
#include "platforms/fault_points.h"
#include "platforms/process_for_tests.h"
#include "platforms/thread.h"

using namespace holdfast;
using namespace holdfast::control;

namespace {

using Bytes = std::vector<std::byte>;

Bytes encoded(const Request& request) {
  alignas(kMessageAlignment) std::byte room[kMaxRequestBytes];
  const auto message = encode_request(request, room);
  REQUIRE(message.ok());
  return {message->begin(), message->end()};
}

Bytes ping_bytes() { return encoded(Request{}); }

bool answers_ping(const Served& served) {
  RudeClient client(served.path());
  Answer answer;
  return client.connected() && client.ask(Command::kPing) && client.next(answer) &&
         answer.kind == AnswerKind::kPong;
}

Status status_of(const Served& served, RudeClient& client) {
  Answer answer;
  REQUIRE(client.connected());
  REQUIRE(client.ask(Command::kStatus));
  REQUIRE(client.next(answer));
  (void)served;
  return answer.status;
}

std::uint32_t refused_so_far(const Served& served) {
  RudeClient client(served.path());
  return status_of(served, client).connections_refused;
}

bool rests(const Served& served) {
  return comes_true([&] { return served.engine.ledger().total_bytes() == served.resting_bytes; });
}

}  // namespace

TEST_CASE("a message that is no request ends the connection without an answer, and is counted") {
  const Served served;
  Bytes garbage(100, std::byte{0x5A});
  garbage[0] = std::byte{96};  // its own size, so that the rest is looked at
  garbage[1] = garbage[2] = garbage[3] = std::byte{0};
  Bytes over_long = ping_bytes();
  over_long[2] = std::byte{1};
  Bytes flipped = ping_bytes();
  flipped[5] ^= std::byte{0xFF};
  Bytes two = ping_bytes();
  const Bytes second = ping_bytes();
  two.insert(two.end(), second.begin(), second.end());
  alignas(kMessageAlignment) std::byte room[4096];
  const auto answer = encode_answer(AnswerSamples(0).of(AnswerKind::kPong), room);
  const Bytes foreign(answer->begin(), answer->end());
  std::uint32_t count = 0;
  for (const Bytes& bytes : {garbage, over_long, flipped, two, foreign}) {
    RudeClient client(served.path());
    REQUIRE(client.send(bytes));
    CHECK(client.ends());
    CHECK(refused_so_far(served) == ++count);
  }
  CHECK(answers_ping(served));
  CHECK(rests(served));
}

TEST_CASE("a newer major version is told so") {
  const Served served;
  Bytes newer = ping_bytes();
  std::size_t at = 12;  // the first field that is 1: the major version
  while (at + 1 < newer.size() && !(newer[at] == std::byte{1} && newer[at + 1] == std::byte{0}))
    ++at;
  REQUIRE(at + 1 < newer.size());
  newer[at] = std::byte{9};
  RudeClient client(served.path());
  REQUIRE(client.send(newer));
  Answer answer;
  REQUIRE(client.next(answer));
  CHECK(answer.refusal.kind == RefusalKind::kNotUnderstood);
  CHECK(client.ends());
}

TEST_CASE("the silent and the slow are cut off in time; a request in pieces is not") {
  const Served served;
  const std::uint64_t start = platforms::monotonic_ns();
  RudeClient silent(served.path()), slow(served.path()), pieces(served.path());
  const Bytes ping = ping_bytes();
  for (const std::byte& byte : ping) {
    REQUIRE(pieces.send({&byte, 1}));
    platforms::sleep_ns(kMsForTest);
  }
  Answer answer;
  CHECK(pieces.next(answer));
  bool cut = false;
  for (std::size_t i = 0; i + 1 < ping.size() && !cut; ++i) {
    cut = !slow.send({&ping[i], 1});
    platforms::sleep_ns(100 * kMsForTest);
  }
  CHECK(cut);
  CHECK(silent.ends());
  CHECK(platforms::monotonic_ns() - start >= kRequestTimeoutNs);
  CHECK(platforms::monotonic_ns() - start < 3 * kRequestTimeoutNs);
  CHECK(refused_so_far(served) == 2);
}

TEST_CASE("a peer that only stops sending gets its answers; one that says more is cut off") {
  Served served;
  served.vm.hold = true;
  RudeClient half(served.path()), talker(served.path());
  REQUIRE(half.ask(Command::kDump));
  platforms::stop_sending_for_test(half.descriptor());
  REQUIRE(talker.ask(Command::kDump));
  Answer news;
  REQUIRE(talker.next(news));
  REQUIRE(talker.send(ping_bytes()));
  while (talker.next(news)) {
  }
  CHECK(talker.ended());
  served.vm.hold = false;
  Answer answer;
  while (half.next(answer) && !answer.last) {
  }
  CHECK(answer.progress.stage == DumpStage::kReported);
  RudeClient nothing(served.path());
  platforms::stop_sending_for_test(nothing.descriptor());
  CHECK(nothing.ends());
}

TEST_CASE("the seventeenth connection is closed at once; when one leaves there is room again") {
  const Served served;
  std::deque<RudeClient> clients;
  for (std::size_t i = 0; i < kMaxConnections; ++i) {
    clients.emplace_back(served.path());
    REQUIRE(clients.back().connected());
  }
  RudeClient late(served.path());
  CHECK(late.ends(kRequestTimeoutNs / 2));
  clients.pop_front();
  CHECK(comes_true([&] { return answers_ping(served); }, kRequestTimeoutNs / 2));
  CHECK(clients.back().ask(Command::kPing));
  Answer answer;
  CHECK(clients.back().next(answer));
}

TEST_CASE("those who hung up before the agent looked take nobody's place") {
  Served served;
  struct Gate {
    std::atomic<bool> reached{false};
    std::atomic<bool> open{false};
  } gate;
  REQUIRE(served.engine.loop().post(
      [](void* raw) noexcept {
        auto& g = *static_cast<Gate*>(raw);
        g.reached = true;
        while (!g.open) platforms::sleep_ns(kMsForTest);
      },
      &gate));
  REQUIRE(comes_true([&] { return gate.reached.load(); }));
  for (std::size_t i = 0; i < kMaxConnections; ++i) REQUIRE(RudeClient(served.path()).connected());
  RudeClient client(served.path());
  const bool asked = client.connected() && client.ask(Command::kPing);
  gate.open = true;
  CHECK(asked);
  Answer answer;
  CHECK(client.next(answer));
}

TEST_CASE("200 garbage connections a second: no byte, no descriptor, hardly any time") {
  const Served served;
  std::mt19937_64 random(5);
  REQUIRE(answers_ping(served));
  const std::uint64_t descriptors = platforms::open_descriptors_for_test();
  const std::uint64_t cpu = platforms::own_threads_cpu_ns();
  constexpr int kConnections = 600;
  for (int i = 0; i < kConnections; ++i) {
    RudeClient client(served.path());
    Bytes bytes(static_cast<std::size_t>(random() % 400));
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
    if (client.connected() && !bytes.empty()) (void)client.send(bytes);
    platforms::sleep_ns(5 * kMsForTest);
  }
  const std::uint64_t spent_ns = platforms::own_threads_cpu_ns() - cpu;
  CHECK(answers_ping(served));
  CHECK(rests(served));
  CHECK(comes_true([&] { return platforms::open_descriptors_for_test() == descriptors; }));
  MESSAGE("CPU time of the agent for each garbage connection: ", spent_ns / kConnections / 1000,
          " us");
  CHECK(spent_ns / kConnections < 2 * kMsForTest);
}

TEST_CASE("another user is not served, though he could reach the socket") {
  const Served served;
  namespace fs = std::filesystem;
  for (const std::string& path :
       {std::string(served.scratch.path()), served.scratch.file("run"), served.path()})
    fs::permissions(path, fs::perms::all);
  const std::string path = served.path();
  const int result = platforms::run_in_child([&] {
    if (!platforms::become_other_user_for_test()) return 77;
    RudeClient client(path);
    if (!client.connected()) return 1;
    Answer answer;
    const bool asked = client.ask(Command::kPing);
    return client.next(answer) ? 2 : asked && !client.ended() ? 3 : 0;
  });
  if (result == 77) return;  // only root can try
  CHECK(result == 0);
  CHECK(refused_so_far(served) == 1);
}

TEST_CASE("without descriptors who knocks waits, the loop sleeps, and later he is served") {
  const platforms::ScratchDirectory shared;
  const auto serve_without_descriptors = [&shared] {
    const Served served;
    platforms::limit_descriptors_for_test(128);
    int spare = -1, next = -1;
    while ((next = platforms::open_own_directory(shared.path())) >= 0) spare = next;
    std::filesystem::create_symlink(served.path(), shared.file("socket"));
    if (!comes_true([&] { return shared.has("knocked"); })) return 1;
    platforms::sleep_ns(50 * kMsForTest);
    const std::uint64_t cpu = platforms::own_threads_cpu_ns();
    platforms::sleep_ns(700 * kMsForTest);
    if (platforms::own_threads_cpu_ns() - cpu > 10 * kMsForTest) return 2;
    platforms::close_socket(spare);
    return comes_true([&] { return shared.has("answered"); }) ? 0 : 3;
  };
  auto body = serve_without_descriptors;
  platforms::ChildForTest child([](void* raw) { return (*static_cast<decltype(body)*>(raw))(); },
                                &body);
  REQUIRE(comes_true([&] { return std::filesystem::is_symlink(shared.file("socket")); }));
  RudeClient client(std::filesystem::read_symlink(shared.file("socket")));
  REQUIRE(client.connected());
  REQUIRE(client.ask(Command::kPing));
  Answer answer;
  CHECK_FALSE(client.next(answer, 300 * kMsForTest));
  std::filesystem::create_directory(shared.file("knocked"));
  CHECK(client.next(answer));
  std::filesystem::create_directory(shared.file("answered"));
  CHECK(child.wait() == 0);
}

#if defined(HF_FAULT_POINTS)
TEST_CASE("what the system refuses while we serve costs that connection, not the service") {
  const Served served;
  {
    const platforms::FaultScope fault(platforms::FaultPoint::kAccept, {.error = 24});
    RudeClient client(served.path());
    Answer answer;
    REQUIRE(client.ask(Command::kPing));
    const std::uint64_t start = platforms::monotonic_ns();
    CHECK(client.next(answer));  // after the pause
    CHECK(platforms::monotonic_ns() - start >= kAcceptPauseNs / 2);
  }
  {
    const platforms::FaultScope fault(platforms::FaultPoint::kReadySet, {.error = 28});
    RudeClient client(served.path());
    CHECK(client.ends());
  }
  CHECK(answers_ping(served));
  CHECK(rests(served));
}

TEST_CASE("what the system refuses at the start: no socket, no trace, the agent lives") {
  for (const auto point : {platforms::FaultPoint::kSocket, platforms::FaultPoint::kBind,
                           platforms::FaultPoint::kReadySet}) {
    for (std::uint32_t after = 0; after < 2; ++after) {
      platforms::ScratchDirectory scratch;
      ScriptedVm vm;
      DumpEngine engine;
      ControlServer server;
      SocketPlaces places;
      places.add(scratch.path(), "/run", true);
      REQUIRE(engine.open(Options{}, std::uint64_t{64} << 20, vm, {&count_analysis}).ok());
      REQUIRE(server.open(engine, places, {}).ok());
      REQUIRE(engine.vm_ready().ok());
      const std::uint64_t descriptors = platforms::open_descriptors_for_test();
      {
        const platforms::FaultScope fault(point, {.after = after, .error = 12});
        server.start();
        static std::atomic<int> turned;
        turned = 0;
        REQUIRE(engine.loop().post([](void*) noexcept { ++turned; }, nullptr));
        REQUIRE(comes_true([] { return turned == 1; }));
        const std::string run = scratch.file("run");
        CHECK(server.serving() == !fault.spent());
        if (fault.spent()) {
          CHECK(platforms::open_descriptors_for_test() == descriptors);
          CHECK((!std::filesystem::exists(run) || std::filesystem::is_empty(run)));
        }
      }
      server.close();
      engine.close(platforms::monotonic_ns() + kPatienceNs);
    }
  }
}
#endif
