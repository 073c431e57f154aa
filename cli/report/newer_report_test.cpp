// A report of a newer minor version: what has no name here has its number, or is left out with a note.
#include <doctest/doctest.h>
#include <flatbuffers/flatbuffers.h>

#include <cstring>
#include <nlohmann/json.hpp>

#include "analysis/report/file_header.h"
#include "analysis/report/reader.h"
#include "analysis/report/report_generated.h"
#include "cli/report/report_json.h"
#include "cli/report/report_text.h"
#include "cli/report/sample_report_for_test.h"

using namespace holdfast;
using namespace holdfast::cli;

namespace {

using Json = nlohmann::json;
constexpr std::uint8_t kLater = 99;

template <class Row>
bool set(const Row& row, flatbuffers::voffset_t field) {
  auto& table = const_cast<flatbuffers::Table&>(reinterpret_cast<const flatbuffers::Table&>(row));
  return table.SetField<std::uint8_t>(field, kLater, 0);
}

// A sample report in which `change` has set values, sealed as of the next minor version.
template <class Change>
std::vector<std::byte> newer_file(Change change) {
  SampleReport sample;
  sample.accounts = true;
  std::vector<std::byte> file = sample_file(sample);
  auto* const report =
      flatbuffers::GetMutableRoot<report::Report>(file.data() + analysis::kReportHeaderBytes);
  REQUIRE(change(*report));
  const std::uint16_t minor = analysis::kReportMinor + 1;
  std::memcpy(file.data() + 10, &minor, sizeof minor);
  const std::uint64_t sum = analysis::header_checksum(file);
  std::memcpy(file.data() + analysis::kReportChecksumOffset, &sum, sizeof sum);
  return file;
}

template <class Change>
Json json_of(Change change) {
  const std::vector<std::byte> file = newer_file(change);
  const auto report = analysis::check_report(file);
  REQUIRE(report.ok());
  const ReportView view = make_report_view(**report, file.size());
  CHECK_FALSE(report_text(view, {}).empty());
  return Json::parse(report_json(view, {}));
}

bool has_note(const Json& json, const char* said) {
  for (const Json& note : json["notes"])
    if (note.get<std::string>().find(said) != std::string::npos) return true;
  return false;
}

}  // namespace

TEST_CASE("newer report: kinds of roots and references have their numbers") {
  const Json json = json_of([](const report::Report& r) {
    const report::RootPath& path = *r.suspects()->Get(0)->path();
    const auto last = path.steps()->size() - 1;
    return set(*path.steps()->Get(last), report::PathStep::VT_KIND) &&
           set(*r.graph()->root_kinds()->Get(1), report::RootKindRow::VT_KIND);
  });
  CHECK(json["suspects"][0]["path"]["steps"].back()["via"] == "unknown (99)");
  CHECK(json["graph"]["root_kinds"][1]["root_kind"] == "unknown (99)");
}

TEST_CASE("newer report: accounts counted in an unknown way are left out, and a note says so") {
  const Json json = json_of([](const report::Report& r) {
    return r.accounts() != nullptr && set(*r.accounts(), report::AccountFacts::VT_MODE);
  });
  CHECK(json["accounts"].is_null());
  CHECK(has_note(json, "memory accounts are left out"));
}

TEST_CASE("newer report: a suspect of an unknown kind is left out, and a note says so") {
  const std::size_t all = json_of([](const report::Report&) { return true; })["suspects"].size();
  const Json json = json_of(
      [](const report::Report& r) { return set(*r.suspects()->Get(0), report::Suspect::VT_KIND); });
  CHECK(json["suspects"].size() == all - 1);
  CHECK(has_note(json, "only a newer holdfast knows"));
}
