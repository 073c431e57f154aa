#include "common/collection_log.h"

#include <doctest/doctest.h>

#include <atomic>
#include <thread>

using namespace holdfast;

TEST_CASE("nothing is known before a collection has ended; then what it found and left") {
  CollectionLog log;
  log.begin(7);
  CHECK(log.read().count == 0);
  CHECK(log.read().reclaimed_bytes == kUnknownCount);
  CHECK(log.last_pause_ns() == kUnknownCount);
  log.began(100);
  CHECK(log.read().count == 0);
  log.ended(30);
  log.paused(5);
  log.began(90);
  log.ended(40);
  log.paused(3);
  const HeardCollections heard = log.read();
  CHECK(heard.count == 2);
  CHECK(heard.since_utc_ms == 7);
  CHECK(heard.before_bytes == 90);
  CHECK(heard.after_bytes == 40);
  CHECK(heard.reclaimed_bytes == 120);
  CHECK(heard.longest_pause_ns == 5);
  CHECK(log.last_pause_ns() == 3);
}

TEST_CASE("what is not told stays unknown, and a heap that grew has reclaimed nothing") {
  CollectionLog log;
  log.begin(1);
  log.began(kUnknownCount);
  log.ended(30);
  CHECK(log.read().before_bytes == kUnknownCount);
  CHECK(log.read().reclaimed_bytes == kUnknownCount);
  CHECK(log.read().longest_pause_ns == kUnknownCount);
  log.began(30);
  log.ended(31);
  CHECK(log.read().reclaimed_bytes == 0);
}

TEST_CASE("an end without a begin is none; one inside of another is told with its own begin") {
  CollectionLog log;
  log.begin(1);
  log.ended(10);
  CHECK(log.read().count == 0);
  log.began(100);
  log.began(80);
  log.ended(50);
  log.ended(40);
  CHECK(log.read().count == 1);
  CHECK(log.read().reclaimed_bytes == 30);
}

TEST_CASE("who listens anew forgets what came before: there may have been others meanwhile") {
  CollectionLog log;
  log.begin(1);
  log.began(100);
  log.ended(10);
  log.paused(9);
  log.begin(2);
  CHECK(log.read().count == 0);
  CHECK(log.last_pause_ns() == kUnknownCount);
  log.began(20);
  log.ended(15);
  log.paused(4);
  CHECK(log.read().since_utc_ms == 2);
  CHECK(log.read().count == 1);
  CHECK(log.read().reclaimed_bytes == 5);
  CHECK(log.read().longest_pause_ns == 4);
}

TEST_CASE("a reader never sees half of a change") {
  CollectionLog log;
  log.begin(1);
  std::atomic<bool> over{false};
  std::thread writer([&] {
    for (std::uint64_t i = 1; i <= 200'000; ++i) {
      log.began(2 * i);
      log.ended(i);
    }
    over = true;
  });
  std::uint64_t seen = 0;
  while (!over) {
    const HeardCollections heard = log.read();
    if (heard.count == 0) continue;
    ++seen;
    REQUIRE(heard.before_bytes == 2 * heard.after_bytes);
    REQUIRE(heard.count == heard.after_bytes);
    REQUIRE(heard.reclaimed_bytes == heard.count * (heard.count + 1) / 2);
  }
  writer.join();
  CHECK(log.read().count == 200'000);
}
