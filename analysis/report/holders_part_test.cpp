// Who holds what, as a report tells it.
#include <doctest/doctest.h>

#include <string>

#include "analysis/report/index_check.h"
#include "analysis/report/reader.h"
#include "analysis/report/report_bound.h"
#include "analysis/report/report_fixture.h"
#include "analysis/report/report_generated.h"

using namespace holdfast;
using namespace holdfast::analysis;

namespace {

const report::Report& read(std::span<const std::byte> image) {
  const auto report = check_report(image);
  REQUIRE(report.ok());
  return **report;
}

std::string text(const report::Report& r, std::uint32_t id) { return r.strings()->Get(id)->str(); }

}  // namespace

TEST_CASE("who holds a class: its places with names, the rest summed") {
  ReportFixture f;
  f.methods.push_back({f.name("shop.Cache", 1), f.name("entries", 1)});
  f.capture.snapshot.catalog.methods = f.methods;
  f.places[0][4].field = MethodId{1};
  const report::Report& r = read(f.image());
  REQUIRE(r.holders() != nullptr);
  REQUIRE(r.holders()->classes()->size() == 3);
  const report::HolderClassRow& of = *r.holders()->classes()->Get(2);
  CHECK(text(r, of.class_name()).ends_with("shop.Class2"));
  CHECK(of.instances() == 3);
  CHECK(of.places_total() == 7);
  CHECK(of.rest_references() == 20);
  CHECK(of.rest_bytes() == 200);
  CHECK(of.unplaced_references() == 2);
  const auto& places = *r.holders()->classes()->Get(0)->places();
  REQUIRE(places.size() == 5);
  const report::HolderRow& field = *places[0];
  CHECK(field.kind() == report::StepKind::InstanceField);
  CHECK(text(r, field.class_name()).ends_with("shop.Class1"));
  CHECK(text(r, field.name()).ends_with("field1"));
  CHECK(field.references() == 900);
  CHECK(field.referrers() == 9);
  CHECK(field.bytes() == 5000);
  CHECK(places[1]->kind() == report::StepKind::StaticField);
  CHECK(text(r, places[1]->class_name()).ends_with("shop.Class1"));
  CHECK(places[2]->kind() == report::StepKind::Referent);
  CHECK(places[2]->strength() == report::Strength::Weak);
  CHECK(places[3]->kind() == report::StepKind::Root);
  CHECK(places[3]->root_kind() == report::RootKind::StackLocal);
  CHECK(places[4]->kind() == report::StepKind::StaticField);
  CHECK(places[4]->root_kind() == report::RootKind::StaticField);
  CHECK(text(r, places[4]->name()).ends_with("entries1"));
}

TEST_CASE("who holds what is absent where it was left out, and takes no more than its part") {
  ReportFixture none({.holders = 0});
  CHECK(read(none.image()).holders() == nullptr);
  // Names of 200 bytes, of which there is no room for all.
  ReportFixture full({.classes = 4000,
                      .objects = 20000,
                      .tree = 2000,
                      .accounts = 1000,
                      .holders = 620,
                      .name_bytes = 200});
  const report::Report& r = read(full.image());
  REQUIRE(r.holders() != nullptr);
  const std::size_t listed = r.holders()->classes()->size();
  CHECK(listed > 50);
  CHECK(listed * 5 <= kMaxReportHolderPlaces);
}
