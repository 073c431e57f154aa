#include "clrprofiler/accounts/sample_ring.h"

#include <doctest/doctest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "common/arena_for_test.h"

using namespace holdfast;
using namespace holdfast::clr;

TEST_CASE("samples are read in the order of their claims, and not before they are there") {
  TestArena memory;
  SampleRing ring;
  REQUIRE(ring.open(memory.arena()));
  CHECK(ring.front() == nullptr);
  const SampleRing::Claim first = ring.claim();
  const SampleRing::Claim second = ring.claim();
  second.sample->bytes = 2;
  ring.publish(second);
  CHECK(ring.front() == nullptr);
  CHECK(ring.claimed() == 2);
  first.sample->bytes = 1;
  ring.publish(first);
  for (const std::uint64_t bytes : {1u, 2u}) {
    REQUIRE(ring.front() != nullptr);
    CHECK(ring.front()->bytes == bytes);
    ring.pop();
  }
  CHECK(ring.front() == nullptr);
}

TEST_CASE("a full ring has no slot, and has one again when one was read") {
  TestArena memory;
  SampleRing ring;
  REQUIRE(ring.open(memory.arena()));
  for (int lap = 0; lap < 3; ++lap) {
    for (std::uint32_t i = 0; i < SampleRing::kSlots; ++i) {
      const SampleRing::Claim claim = ring.claim();
      REQUIRE(claim.sample != nullptr);
      ring.publish(claim);
    }
    CHECK(ring.claim().sample == nullptr);
    while (ring.front() != nullptr) ring.pop();
  }
}

TEST_CASE("of many threads' samples none is lost, torn or read twice") {
  TestArena memory;
  SampleRing ring;
  REQUIRE(ring.open(memory.arena()));
  constexpr std::uint64_t kThreads = 4, kEach = 20'000;
  std::vector<std::thread> threads;
  for (std::uint64_t t = 0; t < kThreads; ++t)
    threads.emplace_back([&ring, t] {
      for (std::uint64_t i = 1; i <= kEach;) {
        const SampleRing::Claim claim = ring.claim();
        if (claim.sample == nullptr) {
          std::this_thread::yield();
          continue;
        }
        claim.sample->type = t;
        claim.sample->bytes = claim.sample->frames[0] = i++;
        ring.publish(claim);
      }
    });
  std::uint64_t last[kThreads] = {};
  for (std::uint64_t read = 0; read < kThreads * kEach;) {
    const AllocationSample* const sample = ring.front();
    if (sample == nullptr) {
      std::this_thread::yield();
      continue;
    }
    REQUIRE(sample->bytes == last[sample->type] + 1);
    REQUIRE(sample->frames[0] == sample->bytes);
    last[sample->type] = sample->bytes;
    ring.pop();
    ++read;
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(ring.front() == nullptr);
}
