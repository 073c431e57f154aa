#include "clrprofiler/coreclr/background_collection.h"

#include <doctest/doctest.h>

#include <atomic>
#include <thread>

#include "platforms/clock.h"

using namespace holdfast;
using namespace holdfast::clr;

namespace {

constexpr std::uint64_t kShortNs = 3'000'000;
constexpr std::uint64_t kLongNs = 20'000'000'000;

struct Word {
  std::uint32_t value = 2;
  BackgroundCollection collection() const {
    return BackgroundCollection(reinterpret_cast<Address>(&value));
  }
};

}  // namespace

TEST_CASE("the word says what the collector does; one that nobody knows says nothing") {
  Word word;
  for (std::uint32_t value : {0u, 1u, 2u, 3u, 0xFFFF'FFFFu}) {
    word.value = value;
    const auto wanted = value < 2 ? static_cast<BackgroundPhase>(value) : BackgroundPhase::kNone;
    CHECK(word.collection().phase() == wanted);
  }
  CHECK(BackgroundCollection().phase() == BackgroundPhase::kNone);
  CHECK(BackgroundCollection(0).ended_within(0));
}

TEST_CASE("its end is waited for, and not for ever") {
  Word word;
  CHECK(word.collection().ended_within(0));
  word.value = 0;
  CHECK_FALSE(word.collection().ended_within(0));
  const std::uint64_t began = platforms::monotonic_ns();
  CHECK_FALSE(word.collection().ended_within(kShortNs));
  CHECK(platforms::monotonic_ns() - began >= kShortNs);
  std::thread collector([&] {
    std::atomic_ref<std::uint32_t> value(word.value);
    value.store(1);
    platforms::sleep_ns(kShortNs);
    value.store(2);
  });
  CHECK(word.collection().ended_within(kLongNs));
  collector.join();
}
