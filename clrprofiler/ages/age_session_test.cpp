#include "clrprofiler/ages/age_session.h"

#include <doctest/doctest.h>

#include "clrprofiler/ages/age_options.h"
#include "clrprofiler/ages/fake_age_events.h"
#include "clrprofiler/fake_clr.h"

using namespace holdfast;
using namespace holdfast::clr;

namespace {

constexpr std::uint64_t kMiddle = 0x20000;

struct Session {
  FakeClr runtime;
  Ledger ledger{std::uint64_t{64} << 20};
  ProfilerInfo info;
  AgeSession ages;

  explicit Session(int newest = 15) {
    runtime.newest = newest;
    runtime.heap.add(runtime.heap.add_class("shop.Note"));
    runtime.high_mask = COR_PRF_HIGH_MONITOR_EVENT_PIPE;
    REQUIRE(info.open(runtime.unknown()));
  }
  void collect(std::uint32_t number, EVENTPIPE_PROVIDER provider = FakeEventPipe::kRuntime) {
    for (const FakeEvent& event :
         {fake_collection_start(number, 0), fake_moved({{0x10000, kMiddle, 64}}),
          fake_region(kGen1, kMiddle), fake_gc_end(number, 0)})
      runtime.pipe.deliver(event, provider);
  }
};

}  // namespace

TEST_CASE("from begin() to end() collections are heard, the runtime's own alone") {
  Session session;
  REQUIRE(session.ages.reserve(session.ledger));
  CHECK(session.ledger.total_bytes() <= session.ledger.limit_bytes() / 8);
  REQUIRE(session.ages.begin(session.info));
  CHECK(session.ages.running());
  session.collect(1, FakeEventPipe::kStranger);
  CHECK_FALSE(session.ages.recorder().view().known());
  session.collect(1);
  CHECK(session.ages.recorder().view().age_at(kMiddle) == 1);
  session.ages.end();
  CHECK_FALSE(session.ages.running());
  CHECK(session.runtime.pipe.open_sessions == 0);
  CHECK(session.runtime.pipe.misuses() == 0);
}

TEST_CASE("a session that the runtime refuses, and one that does not exist") {
  Session refused;
  REQUIRE(refused.ages.reserve(refused.ledger));
  refused.runtime.pipe.start_answer = E_FAIL;
  const Result<void> begun = refused.ages.begin(refused.info);
  REQUIRE_FALSE(begun);
  CHECK(begun.error().code == ErrorCode::kVm);
  CHECK_FALSE(refused.ages.running());
  Session old(11);
  CHECK(old.ages.begin(old.info).error().code == ErrorCode::kUnsupported);
}

TEST_CASE("an eighth of memory= is not enough: nothing is taken") {
  Session session;
  session.ledger.set_limit(std::uint64_t{8} << 20);
  const Result<void> reserved = session.ages.reserve(session.ledger);
  REQUIRE_FALSE(reserved);
  CHECK(reserved.error().code == ErrorCode::kOutOfBudget);
  CHECK(session.ledger.total_bytes() == 0);
}

TEST_CASE("ages= is taken back where the runtime tells nothing") {
  Session old(11), current;
  Options options;
  options.ages = AgesChoice::kOn;
  fit_ages(old.info, options);
  CHECK(options.ages == AgesChoice::kOff);
  options.ages = AgesChoice::kOn;
  fit_ages(current.info, options);
  CHECK(options.ages == AgesChoice::kOn);
  options.ages = AgesChoice::kOff;
  fit_ages(current.info, options);
  CHECK(options.ages == AgesChoice::kOff);
}
