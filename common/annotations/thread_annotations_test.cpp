#include "common/annotations/thread_annotations.h"

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "common/arena_for_test.h"

using namespace holdfast;

namespace {

using namespace std::string_literals;

struct Opened {
  TestArena memory{std::uint64_t{32} << 20};
  ThreadAnnotations annotations;
  explicit Opened(std::uint32_t kinds, const std::string& only = "") {
    PatternError error;
    auto filter = SampleFilter::make(only, memory.arena(), error);
    REQUIRE(filter);
    REQUIRE(annotations.open(memory.arena(), kinds, *filter).ok());
  }
  ThreadAnnotations::Mark say(const std::string& block) {
    return annotations.mark_of({block.data(), block.size()});
  }
};

constexpr std::uint32_t kUser = 1u << 0, kRequest = 1u << 2;

}  // namespace

TEST_CASE("a line has the wanted kinds alone, and equal ones are one") {
  Opened of(kUser);
  const auto a = of.say("alice\0shop\0/cart"s), b = of.say("alice\0shop\0/till"s);
  CHECK(a == b);
  CHECK(of.annotations.line_of(a) == "user=alice");
  CHECK(of.annotations.passes(a));
  CHECK(of.say("\0shop"s) == 0);
  CHECK(of.annotations.line_of(0).empty());
  CHECK(of.annotations.passes(0));
  CHECK(of.annotations.figures().said == 3);
}

TEST_CASE("where nobody asks nothing is kept") {
  Opened of(0);
  CHECK_FALSE(of.annotations.wanted());
  CHECK(of.say("alice") == 0);
  CHECK(of.annotations.figures().said == 0);
}

TEST_CASE("with a filter those that do not match do not pass, those that say nothing neither") {
  Opened of(kRequest, "user:alice");
  const auto alice = of.say("alice\0\0/cart"s), bob = of.say("bob\0\0/till"s);
  CHECK(of.annotations.passes(alice));
  CHECK(of.annotations.line_of(alice) == "request=/cart");
  CHECK_FALSE(of.annotations.passes(bob));
  CHECK_FALSE(of.annotations.passes(0));
  const auto no_line = of.say("alice");
  CHECK(of.annotations.passes(no_line));
  CHECK(of.annotations.line_of(no_line).empty());
}

TEST_CASE("what has no room is one of the others, and what is too long is cut and counted") {
  Opened of(kRequest);
  std::string last;
  for (std::uint32_t i = 0; i <= ThreadAnnotations::kMostLines; ++i)
    last = of.annotations.line_of(of.say("\0\0"s + std::to_string(i)));
  CHECK(last == "(other)");
  CHECK(of.annotations.figures().other >= 1);
  CHECK(of.annotations.line_of(of.say("\0\0"s + "7")) == "request=7");
  of.say("\0\0"s + std::string(10'000, 'x'));
  CHECK(of.annotations.figures().cut == 1);
}

TEST_CASE("threads say what they will, all at a time") {
  Opened of(kUser);
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&of, &wrong, t] {
      for (int i = 0; i < 2000; ++i) {
        const std::string name = "u" + std::to_string(t * 100 + i % 100);
        const auto mark = of.say(name);
        wrong += of.annotations.line_of(mark) == "user=" + name ? 0 : 1;
      }
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
  CHECK(of.annotations.figures().said == 16'000);
}
