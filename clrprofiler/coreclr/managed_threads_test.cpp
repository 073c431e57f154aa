#include "clrprofiler/coreclr/managed_threads.h"

#include <doctest/doctest.h>

#include <vector>

#include "clrprofiler/coreclr/allocation_gaps.h"
#include "clrprofiler/coreclr/fake_collector.h"
#include "clrprofiler/coreclr/thread_statics.h"
#include "clrprofiler/heap/fake_recording.h"

using namespace holdfast;
using namespace holdfast::clr;

namespace {

// Four threads: the last one made is the first in the list.
struct Threads {
  struct Thread {
    std::uint64_t link = 0, locals = 0, statics = 0;
  };
  struct Room {
    std::uint64_t pointer = 0, limit = 0;
  };
  struct Statics {
    std::uint64_t counts = 0, array = 0, handles = 0, owner = 0;
  };
  Room rooms[3] = {{0x5000, 0x5100}, {0, 0}, {0x2000, 0x2000}};
  Statics statics[2] = {{0, 0x7000, 0, address_of(threads[0])}, {0, 0, 0, address_of(threads[2])}};
  Thread threads[4] = {{0, address_of(rooms[0]), address_of(statics[0])},
                       {address_of(threads[0]), 0, 0},
                       {address_of(threads[1]), address_of(rooms[1]), address_of(statics[1])},
                       {address_of(threads[2]), address_of(rooms[2]), 0}};
  std::uint64_t store = address_of(threads[3]);
  std::uint64_t variable = address_of(store);
  RuntimeLayout layout;
  FakeRecording recorded;

  Threads() {
    layout.thread_store = address_of(variable);
    layout.thread_locals = 8;
    layout.allocation_limit = 8;
    layout.thread_statics = 16;
    layout.statics_array = 8;
  }
  Result<std::span<const AddressRange>> gaps() {
    return read_allocation_gaps(layout, recorded.memory().work_arena());
  }
  Result<std::vector<Address>> arrays() {
    std::vector<Address> found;
    HF_CHECK_OK(
        for_each_thread_statics(layout, [&](Address, Address array) { found.push_back(array); }));
    return found;
  }
};

}  // namespace

TEST_CASE("allocation gaps: of each thread that has room, in order") {
  Threads t;
  const auto gaps = t.gaps();
  REQUIRE(gaps.ok());
  REQUIRE(gaps->size() == 2);
  CHECK((*gaps)[0].start == 0x2000);
  CHECK((*gaps)[0].end == 0x2018);  // at its limit: what is kept free behind it
  CHECK((*gaps)[1].end == 0x5118);
  t.rooms[0].limit = 0x4000;
  CHECK(t.gaps().error().code == ErrorCode::kInconsistent);
}

TEST_CASE("thread statics: the array of each thread that has one") {
  Threads t;
  const auto found = t.arrays();
  REQUIRE(found.ok());
  CHECK(*found == std::vector<Address>{0x7000});
  t.statics[0].owner = 0;
  CHECK(t.arrays().error().code == ErrorCode::kInconsistent);
}

TEST_CASE("a list of threads that does not end is told") {
  Threads t;
  t.threads[0].link = address_of(t.threads[3]);
  CHECK(t.gaps().error().code == ErrorCode::kTooMany);
  CHECK(t.arrays().error().code == ErrorCode::kTooMany);
}

TEST_CASE("a list that leads back into its own head is no list of threads") {
  Threads t;
  std::uint64_t head[2] = {t.store, address_of(head[0])};
  t.variable = address_of(head[0]);
  CHECK(t.gaps().ok());
  t.layout.first_thread = 8;
  CHECK(t.gaps().error().code == ErrorCode::kInconsistent);
}
