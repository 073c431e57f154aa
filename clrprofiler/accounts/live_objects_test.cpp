#include "clrprofiler/accounts/live_objects.h"

#include <doctest/doctest.h>

#include <vector>

#include "clrprofiler/accounts/accounts_fixture.h"

using namespace holdfast;
using namespace holdfast::clr;

namespace {

struct LiveBench : AccountsBench {
  static constexpr std::uint32_t kRoom = 64;
  WeakHandles handles;
  LiveObjects live;
  std::vector<ObjectID> objects;

  LiveBench() : AccountsBench("shop.Cart") {
    handles.open(info, kRoom);
    REQUIRE(live.open(handles, book, kRoom, own_memory.arena()));
    book.set_live_known(true);
  }
  bool add() {
    AllocationKey key;
    key.class_name = book.name("shop.Order");
    objects.push_back(0x1000 + 8 * objects.size());
    const ObjectHandleID handle = handles.make(objects.back());
    return handle != nullptr && live.follow(handle, book.sampled(key, 1u << 30));
  }
  std::uint64_t alive() { return AccountSum(read(), kUnaccountedName).live.objects; }
};

}  // namespace

TEST_CASE("whoever has died is out of the book, and its handle is given back") {
  LiveBench b;
  for (int i = 0; i < 10; ++i) REQUIRE(b.add());
  CHECK(b.alive() == 10);
  for (int i = 0; i < 10; i += 2) b.runtime.collect(b.objects[static_cast<std::size_t>(i)]);
  CHECK(b.alive() == 10);
  b.live.look_at_all();
  CHECK(b.alive() == 5);
  CHECK(b.live.count() == 5);
  CHECK(b.runtime.open_handle_count() == 5);
  b.live.close();
  CHECK(b.runtime.open_handle_count() == 0);
}

TEST_CASE("a few at a time, all are asked in turn") {
  LiveBench b;
  for (int i = 0; i < 30; ++i) REQUIRE(b.add());
  for (const ObjectID object : b.objects) b.runtime.collect(object);
  for (int i = 0; i < 30; ++i) b.live.look(1);
  CHECK(b.live.count() == 0);
  b.live.look(5);
}

TEST_CASE("without room for a handle nobody is followed, until somebody has died") {
  LiveBench b;
  for (std::uint32_t i = 0; i < LiveBench::kRoom; ++i) REQUIRE(b.add());
  CHECK_FALSE(b.add());
  b.runtime.collect(b.objects[7]);
  b.live.look_at_all();
  CHECK(b.add());
}

TEST_CASE("a runtime without handles does not tell who lives") {
  LiveBench b;
  b.runtime.version = 12;
  ProfilerInfo older;
  REQUIRE(older.open(b.runtime.unknown()));
  WeakHandles handles;
  handles.open(older, 100);
  CHECK_FALSE(handles.available());
  CHECK(handles.make(8) == nullptr);
}
