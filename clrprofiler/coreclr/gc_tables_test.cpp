#include "clrprofiler/coreclr/gc_tables.h"

#include <doctest/doctest.h>

#include <string>

#include "clrprofiler/coreclr/fake_collector.h"

using namespace holdfast::clr;

TEST_CASE("the collector's table is found among others, and its variables in it") {
  FakeCollector fake;
  GcTables tables;
  REQUIRE(read_gc_tables(&fake.entries, tables) == nullptr);
  CHECK_FALSE(tables.server());
  CHECK(tables.heaps() == 1);
  CHECK(tables.generation_bytes == 0x100);
  CHECK(tables.first_segment == FakeCollector::kFirstSegment);
  CHECK(tables.heap_variable(0, tables.alloc_allocated) == address_of(fake.alloc_allocated));
}

TEST_CASE("server GC: as many heaps as there are now, with things at offsets") {
  FakeCollector fake;
  fake.be_server();
  GcTables tables;
  REQUIRE(read_gc_tables(&fake.entries, tables) == nullptr);
  CHECK(tables.server());
  CHECK(tables.heaps() == 2);
  CHECK(tables.heap_variable(1, tables.finalize_queue) == address_of(fake.heap[1]) + 24);
  fake.heap_count = 1;  // it adapts itself
  CHECK(tables.heaps() == 1);
}

TEST_CASE("what is missing or implausible is named") {
  GcTables tables;
  CHECK(read_gc_tables(nullptr, tables) == std::string("g_dacTable"));
  const std::string none = "the collector's table for debuggers";
  {
    FakeCollector fake;
    fake.words[0] = 0x403;  // another major version
    CHECK(read_gc_tables(&fake.entries, tables) == none);
  }
  {
    FakeCollector fake;
    fake.words[1] = 0x10;
    CHECK(read_gc_tables(&fake.entries, tables) == none);
  }
  {
    FakeCollector fake;
    fake.words[31] = 16;  // nothing is there
    CHECK(read_gc_tables(&fake.entries, tables) == std::string("the segments of a generation"));
  }
  {
    FakeCollector fake;
    fake.words[18] = 0;
    CHECK(read_gc_tables(&fake.entries, tables) == std::string("the heap of workstation GC"));
  }
  for (const std::uint64_t heaps : {std::uint64_t{0}, std::uint64_t{kMostHeaps} + 1}) {
    FakeCollector fake;
    fake.be_server();
    fake.heap_count = heaps;
    CHECK(read_gc_tables(&fake.entries, tables) == std::string("the heaps of server GC"));
  }
  {
    FakeCollector fake;
    fake.be_server();
    fake.heap_offsets[18] = -1;
    CHECK(read_gc_tables(&fake.entries, tables) ==
          std::string("where things stand in a heap of server GC"));
  }
  {
    FakeCollector fake;
    fake.be_server();
    fake.heap_array[1] = 8;
    CHECK(read_gc_tables(&fake.entries, tables) == std::string("a heap of server GC"));
  }
}
