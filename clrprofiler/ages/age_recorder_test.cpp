#include "clrprofiler/ages/age_recorder.h"

#include <doctest/doctest.h>

#include <initializer_list>
#include <thread>

#include "clrprofiler/ages/fake_age_events.h"
#include "common/arena_for_test.h"

using namespace holdfast;
using namespace holdfast::clr;

namespace {

constexpr std::uint32_t kForCollection = 1, kForProfiler = 8;
constexpr std::uint64_t kYoung = 0x10000, kMiddle = 0x20000, kOld = 0x30000, kLarge = 0x40000;

struct Recorder {
  static constexpr std::size_t kRanges = 4096;
  TestArena memory{AgeRanges::bytes_for(kRanges)};
  AgeRecorder ages;

  Recorder() { REQUIRE(ages.open(memory.arena(), kRanges)); }
  void hear(const FakeEvent& event) {
    const std::uint32_t version = event.id == kGcStart ? 2 : event.id == kGcEnd ? 1 : 0;
    ages.on_event(event.id, version, event.payload());
  }
  void hear(std::initializer_list<FakeEvent> events) {
    for (const FakeEvent& event : events) hear(event);
  }
  void list() {
    hear({fake_region(kLargeObjects, kLarge), fake_region(kGen2, kOld), fake_region(kGen1, kMiddle),
          fake_region(kGen0, kYoung)});
  }
  // One object moves from gen0 to gen1, where nothing else is.
  void collect(std::uint32_t number, std::uint64_t to = kMiddle) {
    hear(fake_collection_start(number, 0));
    list();
    hear(fake_moved({{kYoung, to, 64}}));
    list();
    hear(fake_gc_end(number, 0));
  }
  AgeCode age(std::uint64_t address) { return ages.view().age_at(address); }
};

}  // namespace

TEST_CASE("from the first collection on all is followed; the number of the last start is now") {
  Recorder recorder;
  CHECK(recorder.age(kMiddle) == kUnknownAge);
  recorder.collect(1);
  CHECK(recorder.age(kMiddle) == 1);
  CHECK(recorder.age(kYoung) == 0);
  recorder.collect(2, kMiddle + 64);
  CHECK(recorder.age(kMiddle) == 2);
  CHECK(recorder.age(kMiddle + 64) == 1);
  recorder.hear(
      fake_collection_start(3, 2, 1));  // in the background: it has survived the begin of that
  CHECK(recorder.age(kMiddle) == 3);
}

TEST_CASE("whoever listens later knows no age of what was there") {
  Recorder recorder;
  recorder.collect(7);
  CHECK(recorder.age(kMiddle) == kTenured);
  CHECK(recorder.age(kYoung) == 0);
  recorder.collect(8, kMiddle + 0x2000);
  CHECK(recorder.age(kMiddle + 0x2000) == 1);
}

TEST_CASE("each event comes once for each session that hears it") {
  Recorder recorder;
  recorder.collect(1);
  recorder.hear({fake_collection_start(2, 0), fake_collection_start(2, 0)});
  recorder.list();
  recorder.hear(fake_moved({{kYoung, kMiddle + 64, 64}}));
  recorder.list();
  recorder.hear({fake_gc_end(2, 0), fake_gc_end(2, 0), fake_gc_end(1, 0)});
  CHECK(recorder.age(kMiddle) == 2);
  CHECK(recorder.age(kMiddle + 64) == 1);
  CHECK(recorder.ages.ranges().losses().restarts == 0);
}

TEST_CASE("a server's heaps are listed one after the other, each from its highest generation on") {
  Recorder recorder;
  recorder.hear(fake_collection_start(1, 0));
  recorder.hear(fake_moved({{kYoung, kMiddle, 64}}));
  recorder.list();
  recorder.hear({fake_region(kLargeObjects, 0x90000), fake_region(kGen1, 0x80000)});
  recorder.hear(fake_gc_end(1, 0));
  CHECK(recorder.age(kMiddle) == 1);
}

TEST_CASE(
    "what a collection in the background leaves of large objects is told before the application "
    "runs") {
  Recorder recorder;
  recorder.collect(1);
  recorder.hear(fake_collection_start(2, 2, 1));
  recorder.collect(3, kMiddle + 64);
  recorder.hear(fake_survived({{kLarge + 256, 128}, {kMiddle, 128}, {kYoung, 64}}));
  CHECK(recorder.age(kLarge + 256) == 0);
  recorder.hear(fake_restart());
  recorder.hear(fake_gc_end(2, 2));
  CHECK(recorder.age(kLarge + 256) == 1);
  CHECK(recorder.age(kLarge) == 0);
  CHECK(recorder.age(kMiddle) == 3);
  CHECK(recorder.age(kYoung) == 0);  // allocated since
}

TEST_CASE(
    "what one in the background finds young is forgotten: others may lie there while it sweeps") {
  Recorder recorder;
  recorder.collect(1);
  recorder.collect(2, kYoung + 256);  // it stays young
  recorder.hear({fake_suspend(kForProfiler), fake_restart()});
  CHECK(recorder.age(kYoung + 256) == 1);
  recorder.hear({fake_suspend(kForCollection), fake_collection_start(3, 2, 1)});
  recorder.list();
  recorder.hear(fake_restart());
  CHECK(recorder.age(kYoung + 256) == 2);  // it marks
  recorder.hear({fake_suspend(kForBackground), fake_restart()});
  CHECK(recorder.age(kYoung + 256) == 0);
  CHECK(recorder.age(kMiddle) == 3);
  recorder.hear({fake_suspend(kForBackground), fake_survived({{kYoung + 256, 64}, {kMiddle, 64}}),
                 fake_restart(), fake_gc_end(3, 2)});
  CHECK(recorder.age(kYoung + 256) == 0);
  CHECK(recorder.age(kMiddle) == 3);
  recorder.collect(4, kYoung + 256);
  recorder.hear(fake_restart());  // that one's own: nothing sweeps any more
  CHECK(recorder.age(kYoung + 256) == 1);
}

TEST_CASE("a collection that was to be one in the background, and is not") {
  Recorder recorder;
  recorder.collect(1);
  recorder.hear(fake_collection_start(2, 2, 1));
  recorder.list();
  recorder.hear(fake_moved({{kMiddle, kOld, 64}}));
  recorder.list();
  recorder.hear({fake_gc_end(2, 2), fake_restart()});
  CHECK(recorder.age(kOld) == 2);
  CHECK(recorder.age(kMiddle) == 0);
}

TEST_CASE("one in the background that begins without another") {
  Recorder recorder;
  recorder.collect(1);
  recorder.hear(fake_collection_start(2, 2, 1));
  recorder.list();
  recorder.hear(fake_restart());
  recorder.hear({fake_survived({{kMiddle, 64}}), fake_restart(), fake_gc_end(2, 2)});
  CHECK(recorder.age(kMiddle) == 2);
  recorder.collect(3, kMiddle + 64);
  CHECK(recorder.age(kMiddle) == 3);
  CHECK(recorder.ages.ranges().losses().restarts == 0);
}

TEST_CASE(
    "a payload that is cut, of another version or out of order ends the table, and the next "
    "collection makes one") {
  for (const int trouble : {0, 1, 2, 3}) {
    CAPTURE(trouble);
    Recorder recorder;
    recorder.collect(1);
    recorder.hear(fake_collection_start(2, 0));
    FakeEvent told = fake_moved({{kYoung, kMiddle + 64, 64}});
    if (trouble == 0) told.bytes.pop_back();
    if (trouble == 1)
      recorder.ages.on_event(told.id, 1, told.payload());
    else
      recorder.hear(told);
    if (trouble == 2) recorder.hear(fake_collection_start(3, 0));  // without an end
    if (trouble == 3) recorder.ages.restart();                     // events may be missed
    recorder.list();
    recorder.hear(fake_gc_end(2, 0));
    CHECK(recorder.ages.view().known() == false);
    recorder.collect(4);
    recorder.collect(5, kMiddle + 0x2000);
    CHECK(recorder.age(kMiddle + 0x2000) == 1);
  }
}

TEST_CASE("every cut of every event is survived") {
  const FakeEvent events[] = {fake_collection_start(2, 0),
                              fake_region(kGen1, kMiddle),
                              fake_moved({{kYoung, kMiddle, 64}, {kYoung + 64, kMiddle + 64, 64}}),
                              fake_survived({{kYoung, 64}}),
                              fake_gc_end(2, 0),
                              fake_suspend(kForCollection)};
  for (const FakeEvent& cut : events)
    for (std::size_t bytes = 0; bytes < cut.bytes.size(); ++bytes) {
      Recorder recorder;
      recorder.collect(1);
      for (const FakeEvent& event : events) {
        FakeEvent told = event;
        if (event.id == cut.id) told.bytes.resize(bytes);
        recorder.hear(told);
      }
      recorder.collect(3);
      recorder.collect(4);
      CHECK(recorder.ages.view().known());
    }
}

TEST_CASE("a server's threads tell at once") {
  constexpr std::uint64_t kEach = 2'000;
  Recorder recorder;
  recorder.hear(fake_collection_start(1, 0));
  const auto tell = [&recorder](std::uint64_t first) {
    for (std::uint64_t i = 0; i < kEach; i += 100) {
      std::vector<MovedRecord> moved;
      for (std::uint64_t k = i; k < i + 100; ++k) moved.push_back({kYoung + k, first + 64 * k, 64});
      recorder.hear(fake_moved(moved));
    }
  };
  std::thread other(tell, std::uint64_t{0x1000000});
  tell(0x2000000);
  other.join();
  recorder.hear(
      {fake_region(kGen1, 0x1000000, 64 * kEach), fake_region(kGen1, 0x2000000, 64 * kEach)});
  recorder.hear(fake_gc_end(1, 0));
  CHECK(recorder.ages.ranges().size() == 2);
  CHECK(recorder.age(0x1000000 + 64 * (kEach - 1)) == 1);
  CHECK(recorder.age(0x2000000) == 1);
}

TEST_CASE("the table of one whole collection is kept aside, and no other") {
  Recorder recorder;
  AgeRange room[16];
  recorder.collect(1);
  recorder.ages.hold_next(room);
  recorder.collect(2, kMiddle + 64);  // not of the whole heap
  recorder.hear(fake_collection_start(3, 2));
  recorder.hear(fake_survived({{kMiddle, 128}}));
  recorder.list();
  recorder.hear(fake_gc_end(3, 2));
  recorder.collect(4, kMiddle + 128);
  AgeView held = recorder.ages.release_held(3);
  CHECK(held.age_at(kMiddle) == 3);
  CHECK(held.age_at(kMiddle + 128) == 0);
  CHECK_FALSE(recorder.ages.release_held(2).known());
}
