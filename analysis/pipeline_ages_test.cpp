#include <doctest/doctest.h>

#include <vector>

#include "analysis/pipeline_for_test.h"
#include "analysis/report/reader.h"
#include "analysis/report/report_generated.h"

using namespace holdfast;
using namespace holdfast::analysis;

TEST_CASE("pipeline: ages of a graph are summed by class") {
  Folder folder;
  Dump dump(folder);
  lab::TestHeap heap;
  fill(heap, 100);
  dump.capture.has_graph = true;
  Snapshot& snapshot = dump.capture.snapshot;
  snapshot = heap.snapshot();
  const std::vector<AgeCode> ages(snapshot.object_count(), age_code(5));
  snapshot.ages = ages;
  snapshot.age_source = AgeSource::kRanges;
  lab::TestArena memory(std::uint64_t{64} << 20);
  auto outcome = dump.run(memory);
  REQUIRE(outcome.ok());
  ReportFile file;
  const auto opened = file.open(outcome->report_path);
  REQUIRE(opened.ok());
  const report::AgeFacts* told = (*opened)->ages();
  REQUIRE(told != nullptr);
  CHECK(told->source() == report::AgeSource::Ranges);
  REQUIRE(told->ranges()->size() == 1);
  CHECK(told->ranges()->Get(0) == 4);
  CHECK(told->total()->objects()->Get(0) == (*opened)->graph()->objects());
  CHECK(told->total()->bytes()->Get(0) == (*opened)->graph()->shallow_bytes());
}

TEST_CASE("pipeline: a simple dump's ages are those of the capture, and none without") {
  for (const bool aged : {true, false}) {
    Folder folder;
    Dump dump(folder);
    lab::TestArena memory(std::uint64_t{64} << 20), names(std::uint64_t{1} << 20);
    Catalog& catalog = dump.capture.snapshot.catalog;
    catalog.strings = *StringTable::make(names.arena(), 16, 1000);
    ClassRow classes[1];
    classes[0].name = catalog.strings.intern("byte[]");
    catalog.classes = classes;
    ClassCount counts[2] = {{1, 500}, {}};
    dump.capture.histogram = counts;
    ClassAges ages[2];
    ages[0].add(kTenured, 500);
    if (aged) {
      dump.capture.class_ages = ages;
      dump.capture.age_source = AgeSource::kHeader;
    }
    auto outcome = dump.run(memory);
    REQUIRE(outcome.ok());
    ReportFile file;
    const auto opened = file.open(outcome->report_path);
    REQUIRE(opened.ok());
    const report::AgeFacts* told = (*opened)->ages();
    REQUIRE((told != nullptr) == aged);
    if (aged) CHECK(told->classes()->Get(0)->bytes()->Get(0) == 500);
  }
}
