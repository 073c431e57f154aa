#include "jvmti/hotspot/heap_sweep.h"

#include <doctest/doctest.h>

#include "jvmti/hotspot/fake_picture.h"
#include "jvmti/hotspot/frozen_picture.h"

using namespace holdfast;
using namespace holdfast::jvmti;

namespace {

constexpr std::uint64_t kRegionBytes = std::uint64_t{1} << 20;
constexpr std::uint64_t kRegions = 4;
constexpr std::uint32_t kThreadBytes = 256;

// A heap of regions, as far as objects were made in it. Everything is known; what is no root is unreachable.
struct SweptHeap {
  FakeHeap heap;
  std::uint32_t row_type;
  AgeLayout regions;
  SweepLayout sweep;
  RootLayout threads;
  Address region[kRegions] = {};
  Address buffer_owner = 0;
  std::vector<Address> roots;

  explicit SweptHeap(bool compact)
      : heap({.compact_headers = compact,
              .mirror_by_handle = true,
              .heap_bytes = kRegions * kRegionBytes}),
        row_type(heap.add_type({.name = "shop.Row", .bytes = 24})) {
    regions.why_not = "";
    regions.young = YoungPlace::kRegions;
    regions.region_table = heap.metadata(64);
    regions.table_length = 8;
    regions.table_shift = 16;
    regions.region_bottom = 8;
    regions.region_top = 16;
    regions.region_tag = 24;
    regions.young_mask = 2;
    const Address base = heap.metadata(kRegions * 8);
    FakeHeap::put<Address>(regions.region_table, base);
    FakeHeap::put<std::uint64_t>(regions.region_table + 8, kRegions);
    FakeHeap::put<std::uint32_t>(regions.region_table + 16, 20);
    for (std::uint64_t i = 0; i < kRegions; ++i) {
      region[i] = heap.metadata(32);
      FakeHeap::put<Address>(base + i * 8, region[i]);
      FakeHeap::put<Address>(region[i] + 8, start_of(i));
      fill(i, 0);
    }
    add_thread();
    for (std::uint32_t t = 0; t < heap.type_count(); ++t)
      if (heap.mirror(t) != 0) roots.push_back(heap.mirror(t));
  }
  Address start_of(std::uint64_t i) const { return heap.heap_start() + i * kRegionBytes; }
  // Zero bytes: the region is free.
  void fill(std::uint64_t i, std::uint64_t bytes) {
    FakeHeap::put<Address>(region[i] + 16, start_of(i) + bytes);
    FakeHeap::put<std::uint8_t>(region[i] + 24, bytes == 0 ? 0 : 4);
  }
  // Up to the last object that was made, over as many regions as it takes.
  std::uint64_t fill_up() {
    const auto last = std::prev(heap.objects().end());
    const std::uint64_t used = last->first + last->second.bytes - heap.heap_start();
    for (std::uint64_t i = 0; i < kRegions && i * kRegionBytes < used; ++i)
      fill(i, std::min(kRegionBytes, used - i * kRegionBytes));
    return used;
  }
  // One thread, whose buffer is `bytes` from `start` on.
  void add_thread() {
    const Address list = heap.metadata(16), array = heap.metadata(8), cell = heap.metadata(8);
    buffer_owner = heap.metadata(kThreadBytes);
    FakeHeap::put<Address>(cell, list);
    FakeHeap::put<std::uint32_t>(list, 1);
    FakeHeap::put<Address>(list + 8, array);
    FakeHeap::put<Address>(array, buffer_owner);
    threads.threads = true;
    threads.list_cell = cell;
    threads.array = 8;
    threads.thread_object = 16;
    sweep.buffer = 64;
    sweep.top = 8;
    sweep.end = 24;
  }
  void set_buffer(Address start, std::uint64_t bytes) {
    FakeHeap::put<Address>(buffer_owner + 64 + 8, start);
    FakeHeap::put<Address>(buffer_owner + 64 + 24, start + bytes);
  }

  struct Answer {
    UnreachedObjects found;
    ClassCount rows, bytes;
    std::uint64_t reached = 0;
  };
  Answer run(std::uint64_t until_ns = ~std::uint64_t{0}) {
    FakePicture fake(heap);
    for (const Address root : roots) fake.add_root(root);
    fake.picture.places = &regions;
    fake.picture.sweep = &sweep;
    fake.picture.root_layout = &threads;
    fake.picture.heap_before.used_bytes = std::uint64_t{64} << 20;
    PictureReader reader(fake.picture, fake.memory);
    REQUIRE(reader.trace(CancelToken{}));
    Capture capture;
    reader.sweep(until_ns, capture);
    Answer answer{capture.unreached, {}, {}, reader.counts().shallow_bytes};
    REQUIRE(answer.found.told);
    answer.rows = answer.found.classes[fake.class_id(row_type).value];
    answer.bytes = answer.found.classes[fake.class_id(FakeHeap::kBytes).value];
    answer.found.classes = {};
    return answer;
  }
};

std::uint64_t sum(const SweptHeap::Answer& answer) {
  const UnreachedObjects& found = answer.found;
  return answer.reached + found.shallow_bytes + found.buffer_bytes + found.unread_bytes;
}

}  // namespace

TEST_CASE("heap sweep: what nothing reaches is counted by class, and adds up") {
  for (const bool compact : {false, true}) {
    SweptHeap swept(compact);
    for (int i = 0; i < 1000; ++i) {
      const Address row = swept.heap.new_instance(swept.row_type);
      if (i % 10 == 0) swept.roots.push_back(row);
      swept.heap.new_array(FakeHeap::kBytes, 100);
    }
    const std::uint64_t used = swept.fill_up();
    const auto answer = swept.run();
    CHECK(answer.rows.instances == 900);
    CHECK(answer.rows.shallow_bytes == 900 * 24);
    CHECK(answer.bytes.instances == 1000);
    CHECK(answer.found.objects == 1900);
    CHECK(answer.found.unread_bytes == 0);
    CHECK(sum(answer) == used);
  }
}

TEST_CASE(
    "heap sweep: an object of a class that is gone hides what is behind it, up to the next one "
    "that is held") {
  SweptHeap swept(false);
  swept.heap.new_instance(swept.row_type);
  const Address stale = swept.heap.new_instance(swept.row_type);
  swept.heap.new_instance(swept.row_type);
  const Address held = swept.heap.new_instance(swept.row_type);
  swept.heap.new_instance(swept.row_type);
  swept.roots.push_back(held);
  swept.heap.set_class(stale, swept.heap.metadata(64));
  const std::uint64_t used = swept.fill_up();
  const auto answer = swept.run();
  CHECK(answer.rows.instances == 2);
  CHECK(answer.found.unread_bytes == 48);
  CHECK(sum(answer) == used);
}

TEST_CASE("heap sweep: an object that would end behind the next held one, or the heap, is none") {
  SweptHeap swept(false);
  const Address long_one = swept.heap.new_array(FakeHeap::kBytes, 8);
  const Address held = swept.heap.new_instance(swept.row_type);
  const Address last = swept.heap.new_array(FakeHeap::kBytes, 8);
  const Address moved = swept.heap.new_instance(swept.row_type);
  swept.roots.push_back(held);
  FakeHeap::put<std::uint32_t>(long_one + swept.heap.layout.array_length, 9);
  FakeHeap::put<std::uint32_t>(last + swept.heap.layout.array_length, 0x7FFFFFFF);
  FakeHeap::put<std::uint64_t>(moved, 3);
  const std::uint64_t used = swept.fill_up();
  const auto answer = swept.run();
  CHECK(answer.found.objects == 0);
  CHECK(answer.found.unread_bytes == 24 + 24 + 24);
  CHECK(sum(answer) == used);
}

TEST_CASE(
    "heap sweep: room in a thread's allocation buffer is counted apart, whatever stands there") {
  SweptHeap swept(false);
  swept.heap.new_instance(swept.row_type);
  const Address left_over = swept.heap.new_array(FakeHeap::kBytes, 4000);
  swept.heap.new_instance(swept.row_type);
  swept.set_buffer(left_over, 4016);
  const std::uint64_t used = swept.fill_up();
  auto answer = swept.run();
  CHECK(answer.rows.instances == 2);
  CHECK(answer.bytes.instances == 0);
  CHECK(answer.found.buffer_bytes == 4016);
  CHECK(sum(answer) == used);

  swept.roots.push_back(left_over);  // then it is no buffer
  answer = swept.run();
  CHECK(answer.found.buffer_bytes == 0);
  CHECK(answer.rows.instances == 2);
  CHECK(sum(answer) == used);
}

TEST_CASE("heap sweep: an object may fill several regions; free regions hold nothing") {
  SweptHeap swept(false);
  const auto last = std::prev(swept.heap.objects().end());
  const std::uint64_t first = last->first + last->second.bytes - swept.heap.heap_start();
  swept.heap.new_array(FakeHeap::kBytes, static_cast<std::uint32_t>(kRegionBytes - first - 16));
  swept.heap.new_array(FakeHeap::kBytes, static_cast<std::uint32_t>(kRegionBytes + 5000 - 16));
  const std::uint64_t used = swept.fill_up();
  const auto answer = swept.run();
  CHECK(answer.bytes.instances == 2);
  CHECK(answer.found.unread_bytes == 0);
  CHECK(sum(answer) == used);
}

TEST_CASE("heap sweep: behind its deadline nothing is read") {
  SweptHeap swept(false);
  for (int i = 0; i < 100; ++i) swept.heap.new_instance(swept.row_type);
  const std::uint64_t used = swept.fill_up();
  const auto answer = swept.run(0);
  CHECK(answer.found.objects == 0);
  CHECK(answer.found.unread_bytes == used);
}

TEST_CASE("no object is behind what is filled, or in what is left of a buffer") {
  SweptHeap of(false);
  of.fill(0, kRegionBytes);
  of.fill(1, 64);
  const Address buffer = of.start_of(0) + 4096;
  of.set_buffer(buffer, 512);
  FakePicture fake(of.heap);
  const HeapView view(*fake.picture.layout);
  RootReader threads(view, of.threads);
  FilledParts parts(view, &of.regions);
  REQUIRE(parts.open(&of.sweep, threads, fake.memory.work_arena()));
  CHECK_FALSE(parts.holds_nothing(of.start_of(0)));
  CHECK_FALSE(parts.holds_nothing(buffer - 8));
  CHECK(parts.holds_nothing(buffer));
  CHECK(parts.holds_nothing(buffer + 504));
  CHECK_FALSE(parts.holds_nothing(buffer + 512));
  CHECK_FALSE(parts.holds_nothing(of.start_of(1) + 56));
  CHECK(parts.holds_nothing(of.start_of(1) + 64));
  CHECK(parts.holds_nothing(of.start_of(2)));  // free

  // Where neither regions nor spaces are known, buffers still are.
  FilledParts less(view, nullptr);
  REQUIRE(less.open(&of.sweep, threads, fake.memory.work_arena()));
  CHECK(less.holds_nothing(buffer));
  CHECK_FALSE(less.holds_nothing(of.start_of(2)));
}
