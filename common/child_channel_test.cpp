#include "common/child_channel.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <new>
#include <thread>
#include <vector>

#include "common/child_watcher.h"
#include "platforms/child.h"
#include "platforms/clock.h"
#include "platforms/pages.h"

using namespace holdfast;

namespace {

using Bytes = std::vector<std::byte>;
using Side = ChildChannel::Side;

constexpr std::uint64_t kMs = 1'000'000;
constexpr std::uint64_t kPatienceNs = 20'000 * kMs;
constexpr std::uint64_t kShortNs = 20 * kMs;
constexpr std::size_t kPiece = ChildMailbox::kTextBytes;

// No two pieces are alike.
Bytes message_of(std::size_t bytes, std::uint32_t seed = 1) {
  Bytes message(bytes);
  std::uint32_t state = seed;
  for (std::byte& byte : message) {
    state = state * 1664525u + 1013904223u;
    byte = static_cast<std::byte>(state >> 24);
  }
  return message;
}

Bytes received(ChildChannel& channel, std::size_t bytes) {
  Bytes message(bytes);
  CHECK(channel.receive(message).ok());
  return message;
}

template <class Answer>
ErrorCode code_of(const Answer& answer) {
  REQUIRE_FALSE(answer.ok());
  return answer.error().code;
}

// Both ends in one process.
struct Pair {
  std::unique_ptr<ChildMailbox> mailbox{new ChildMailbox};
  ChildChannel child;
  ChildChannel parent;
  explicit Pair(std::uint64_t patience_ns = kPatienceNs)
      : child(*mailbox, Side::kChild, patience_ns), parent(*mailbox, Side::kParent, patience_ns) {}
};

int ask_and_turn_round(void* raw) noexcept {
  ChildChannel channel(*static_cast<ChildMailbox*>(raw), Side::kChild, kPatienceNs);
  static std::byte answer[2 * kPiece + 9];
  const std::byte question[] = {std::byte{7}};
  if (!channel.send(question) || !channel.receive(answer)) return 1;
  std::reverse(std::begin(answer), std::end(answer));
  return channel.send(answer) ? 0 : 2;
}

int say_one_thing(void* raw) noexcept {
  ChildChannel channel(*static_cast<ChildMailbox*>(raw), Side::kChild, kPatienceNs);
  const std::byte word[] = {std::byte{42}};
  return channel.send(word) ? 0 : 1;
}

alignas(64) std::byte child_stack[64 * 1024];

struct Watched {
  ChildMailbox* mailbox = new (platforms::shared_pages(sizeof(ChildMailbox))) ChildMailbox;
  CancelToken cancel;
  ChildWatcher watcher{*mailbox, cancel, 60};

  explicit Watched(int (*body)(void*) noexcept) {
    platforms::ChildPlan plan;
    plan.name = "hf talks";
    plan.stack = child_stack;
    plan.stack_bytes = sizeof child_stack;
    plan.watchdog_seconds = 60;
    plan.body = body;
    plan.argument = mailbox;
    watcher.start();
    const std::int64_t process = platforms::spawn_child(plan);
    REQUIRE(process > 0);
    mailbox->child.store(process);
  }
  ~Watched() {
    cancel.cancel();
    watcher.await();
    platforms::release_pages(reinterpret_cast<std::byte*>(mailbox), sizeof(ChildMailbox));
  }
  Watched(const Watched&) = delete;
  Watched& operator=(const Watched&) = delete;
};

}  // namespace

TEST_CASE("messages of every length around a piece's arrive as they were sent") {
  Pair pair;
  const std::size_t lengths[] = {1, 5, kPiece - 1, kPiece, kPiece + 1, 3 * kPiece, 3 * kPiece + 7};
  std::thread child([&] {
    for (const std::size_t bytes : lengths) CHECK(pair.child.send(message_of(bytes)).ok());
  });
  for (const std::size_t bytes : lengths)
    CHECK((received(pair.parent, bytes) == message_of(bytes)));
  child.join();
}

TEST_CASE("both speak by turns, and several times in a row") {
  Pair pair;
  constexpr std::uint32_t kRounds = 20;
  std::thread child([&] {
    for (std::uint32_t round = 0; round < kRounds; ++round) {
      CHECK((received(pair.child, round) == message_of(round, round)));
      CHECK((received(pair.child, kPiece + round) == message_of(kPiece + round, round)));
      CHECK(pair.child.send(message_of(2 * round, round)).ok());
    }
  });
  for (std::uint32_t round = 0; round < kRounds; ++round) {
    CHECK(pair.parent.send(message_of(round, round)).ok());
    CHECK(pair.parent.send(message_of(kPiece + round, round)).ok());
    CHECK((received(pair.parent, 2 * round) == message_of(2 * round, round)));
  }
  child.join();
}

TEST_CASE("a message of no bytes is waited for, too") {
  Pair pair(kShortNs);
  CHECK(pair.child.send({}).ok());
  CHECK(pair.parent.receive({}).ok());
  const Result<void> none = pair.parent.receive({});
  CHECK(code_of(none) == ErrorCode::kDeadline);
}

TEST_CASE("a message of another length is refused, however alike its first piece is") {
  struct Lengths {
    std::size_t sent, wanted;
  };
  for (const Lengths lengths : {Lengths{10, 11}, Lengths{11, 10}, Lengths{0, 1}, Lengths{1, 0},
                                Lengths{kPiece + 1, kPiece}, Lengths{kPiece, kPiece + 1}}) {
    CAPTURE(lengths.sent);
    CAPTURE(lengths.wanted);
    Pair pair(kShortNs);
    const Result<void> sent = pair.child.send(message_of(lengths.sent));
    // Of a longer one the second piece finds no room.
    CHECK(sent.ok() == (lengths.sent <= kPiece));
    Bytes into(lengths.wanted);
    const Result<void> answer = pair.parent.receive(into);
    CHECK(code_of(answer) == ErrorCode::kInconsistent);
    CHECK(answer.error().detail == static_cast<std::int64_t>(lengths.sent));
    CHECK((into == Bytes(lengths.wanted)));  // nothing was taken
    // From then on nothing else is believed.
    Bytes right(lengths.sent);
    CHECK(code_of(pair.parent.receive(right)) == ErrorCode::kInconsistent);
    CHECK(code_of(pair.parent.send({})) == ErrorCode::kInconsistent);
  }
}

TEST_CASE("what runs wild on the other side is not followed") {
  Pair pair(kShortNs);
  // Numbers that are not the next, and a length that is none.
  for (const std::uint32_t number : {2u, 77u, ~0u}) {
    Pair wild(kShortNs);
    wild.mailbox->pieces_sent = number;
    Bytes into(3);
    CHECK(code_of(wild.parent.receive(into)) == ErrorCode::kDeadline);
  }
  pair.mailbox->message_bytes = std::uint64_t{1} << 60;
  pair.mailbox->pieces_sent = 1;
  Bytes into(3);
  CHECK(code_of(pair.parent.receive(into)) == ErrorCode::kInconsistent);
}

TEST_CASE("who is silent for too long is not waited for, on either side") {
  for (const Side side : {Side::kChild, Side::kParent}) {
    Pair pair(kShortNs);
    ChildChannel& one = side == Side::kChild ? pair.child : pair.parent;
    const std::uint64_t began = platforms::monotonic_ns();
    // The first piece lies there, and nobody takes it.
    const Result<void> sent = one.send(message_of(kPiece + 1));
    CHECK(code_of(sent) == ErrorCode::kDeadline);
    CHECK(sent.error().detail == static_cast<std::int64_t>(kShortNs));
    CHECK(platforms::monotonic_ns() - began >= kShortNs);
    ChildChannel& other = side == Side::kChild ? pair.parent : pair.child;
    Bytes into(kPiece + 1);
    CHECK(code_of(other.receive(into)) == ErrorCode::kDeadline);
    into.back() = message_of(kPiece + 1).back();
    CHECK((into == message_of(kPiece + 1)));  // all but what was never sent
  }
}

TEST_CASE("each piece has the whole patience") {
  constexpr std::uint32_t kSlowPieces = 3;
  Pair pair(1000 * kMs);
  std::thread child([&] {
    for (std::uint32_t piece = 1; piece <= kSlowPieces; ++piece) {
      platforms::sleep_ns(400 * kMs);
      pair.mailbox->pieces_taken = piece;
    }
  });
  CHECK(pair.parent.send(message_of((kSlowPieces + 1) * kPiece)).ok());
  child.join();
}

TEST_CASE("when the child is gone the parent waits no longer, but hears what was told before") {
  Pair pair;
  CHECK(pair.child.send(message_of(9)).ok());
  pair.mailbox->gone = true;
  CHECK((received(pair.parent, 9) == message_of(9)));
  const std::uint64_t began = platforms::monotonic_ns();
  Bytes into(1);
  CHECK(code_of(pair.parent.receive(into)) == ErrorCode::kCancelled);
  Pair other;
  other.mailbox->gone = true;
  CHECK(code_of(other.parent.send(message_of(kPiece + 1))) == ErrorCode::kCancelled);
  CHECK(platforms::monotonic_ns() - began < kPatienceNs);
}

TEST_CASE("a child asks, hears and answers") {
  Watched watched(&ask_and_turn_round);
  ChildChannel channel(*watched.mailbox, Side::kParent, kPatienceNs);
  CHECK((received(channel, 1) == Bytes{std::byte{7}}));
  Bytes message = message_of(2 * kPiece + 9);
  CHECK(channel.send(message).ok());
  std::reverse(message.begin(), message.end());
  CHECK((received(channel, message.size()) == message));
}

TEST_CASE("a child that ends while it is waited for is noticed by its watcher") {
  Watched watched(&say_one_thing);
  ChildChannel channel(*watched.mailbox, Side::kParent, 2 * kPatienceNs);
  CHECK((received(channel, 1) == Bytes{std::byte{42}}));
  const std::uint64_t began = platforms::monotonic_ns();
  Bytes into(1);
  CHECK(code_of(channel.receive(into)) == ErrorCode::kCancelled);
  CHECK(platforms::monotonic_ns() - began < kPatienceNs);
}
