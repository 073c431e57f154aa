// Inside a VM the writer may take nothing from the heap: neither we nor flatbuffers may reach malloc or operator new.
#include <doctest/doctest.h>

#include <cstdlib>
#include <memory>

#include "analysis/lab/allocation_meter.h"
#include "analysis/report/reader.h"
#include "analysis/report/report_fixture.h"

#if HF_COUNTS_MALLOC
using namespace holdfast::analysis;
using holdfast::analysis::lab::allocations;

TEST_CASE("the meter counts") {
  const std::uint64_t before = allocations;
  auto object = std::make_unique<int>(1);
  void* volatile block = std::malloc(10);
  std::free(block);
  CHECK(allocations == before + 2);
}

TEST_CASE("writing and checking a report allocates nothing") {
  ReportFixture small;
  ReportFixture simple({.graph = false});
  ReportFixture large({.classes = 4000,
                       .loaders = 600,
                       .packages = 600,
                       .threads = 600,
                       .objects = 20000,
                       .tree = 2000,
                       .tops = 50,
                       .suspects = 20,
                       .hidden = 20,
                       .cuts = 20,
                       .accounts = 1000,
                       .age_ranges = 8,
                       .aging = 300,
                       .holders = 620,
                       .path_steps = 64,
                       .name_bytes = 600,
                       .graph = true});
  for (ReportFixture* fixture : {&small, &simple, &large}) {
    const std::uint64_t before = allocations;
    const bool written = fixture->write().ok();
    const std::uint64_t after = allocations;
    CHECK(written);
    CHECK(after == before);
  }
}
#endif
