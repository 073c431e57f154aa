#include "clrprofiler/heap_census_stopped.h"

#include <doctest/doctest.h>

#include <vector>

#include "clrprofiler/fake_clr.h"
#include "clrprofiler/suspension.h"
#include "common/capture_memory.h"

using namespace holdfast;
using namespace holdfast::clr;

namespace {

constexpr std::uint32_t kClasses = 64;

struct Census {
  Ledger ledger{std::uint64_t{16} << 20};
  Reservation reservation;
  CaptureMemory memory;
  FakeClr runtime;
  ProfilerInfo info;
  ClassTable classes;
  std::vector<SizeRule> rules = std::vector<SizeRule>(kClasses + 1);
  HeapCensus census;

  Census() {
    REQUIRE(reservation.open(CaptureMemory::address_space_bytes(ledger.limit_bytes())).ok());
    REQUIRE(memory.open(reservation, ledger).ok());
    REQUIRE(memory.begin_dump().ok());
    auto table = ClassTable::make(memory.work_arena(), kClasses);
    REQUIRE(table.ok());
    classes = *table;
    REQUIRE(info.open(runtime.unknown()).ok());
    rules[ClassTable::kUnknown].examined = true;
    census = HeapCensus{&*info, &classes, rules};
  }
  ~Census() { memory.end_dump(); }

  void take() {
    Suspension suspension(info);
    REQUIRE(suspension.begin().ok());
    REQUIRE(info->EnumerateGCHeapObjects(&count_object_stopped, &census) == S_OK);
  }
  const CountedType& of(const FakeTable& type) {
    bool fresh = false;
    return classes.row(classes.index_of(type.id(), fresh));
  }
};

}  // namespace

TEST_CASE("objects of fixed and of varying size, by their headers") {
  Census run;
  FakeTable& plain = run.runtime.add_class(40);
  FakeTable& small = run.runtime.add_class(16);
  FakeTable& chars = run.runtime.add_class(22, 2);
  for (int i = 0; i < 3; ++i) run.runtime.add_object(plain);
  run.runtime.add_object(small);
  run.runtime.add_object(chars, 0);
  run.runtime.add_object(chars, 100);
  run.take();
  CHECK(run.census.words_hold);
  CHECK(run.of(plain).instances == 3);
  CHECK(run.of(plain).shallow_bytes == 3 * 40);
  CHECK(run.of(small).shallow_bytes == 24);        // the least that there is
  CHECK(run.of(chars).shallow_bytes == 24 + 224);  // 222, rounded up
}

TEST_CASE(
    "a class whose header says something else than the runtime has it asked for each object") {
  Census run;
  FakeTable& plain = run.runtime.add_class(40);
  FakeTable& liar = run.runtime.add_class(40);
  liar.words_lie = true;
  run.runtime.add_object(plain);
  run.runtime.add_object(liar);
  FakeTable& later = run.runtime.add_class(48);
  run.runtime.add_object(later);
  run.runtime.add_object(liar);
  run.take();
  CHECK_FALSE(run.census.words_hold);
  CHECK(run.of(plain).shallow_bytes == 40);
  CHECK(run.of(liar).shallow_bytes == 2 * 48);
  CHECK(run.of(later).shallow_bytes == 48);
}

TEST_CASE("objects whose class is not told, and more classes than there is room for") {
  Census run;
  std::vector<FakeTable*> classes;
  for (std::uint32_t i = 0; i < kClasses + 5; ++i) {
    classes.push_back(&run.runtime.add_class(32));
    run.runtime.add_object(*classes.back());
  }
  run.take();
  CHECK(run.classes.row(ClassTable::kUnknown).instances == 5);
  CHECK(run.classes.row(ClassTable::kUnknown).shallow_bytes == 5 * 32);
  Census mute;
  mute.runtime.answers["GetClassFromObject"] = E_FAIL;
  mute.runtime.add_object(mute.runtime.add_class(32));
  mute.take();
  CHECK(mute.classes.row(ClassTable::kUnknown).instances == 1);
}

TEST_CASE("a suspension is tried again while a collection runs, and given up on anything else") {
  Census run;
  run.runtime.suspensions_refused = 5;
  {
    Suspension suspension(run.info);
    REQUIRE(suspension.begin().ok());
    CHECK(run.runtime.suspended == 1);
    suspension.end();
    CHECK(run.runtime.suspended == 0);
    CHECK(suspension.suspended_ns() > 0);
  }
  run.runtime.answers["SuspendRuntime"] = E_NOTIMPL;
  Suspension refused(run.info);
  CHECK(refused.begin().error().detail == 0x80004001);
  CHECK(run.runtime.suspended == 0);
}
