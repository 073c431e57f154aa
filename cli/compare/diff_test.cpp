#include "cli/compare/diff.h"

#include <doctest/doctest.h>

#include "cli/report/verdict.h"

using namespace holdfast;
using namespace holdfast::cli;

namespace {

ClassView row(std::string_view name, bool platform, std::uint64_t shallow_bytes) {
  ClassView view;
  view.name = name;
  view.loader = platform ? "boot" : "app";
  view.platform = platform;
  view.instances = 1 + shallow_bytes / 1000;
  view.shallow_bytes = shallow_bytes;
  return view;
}

ReportView make_report(std::uint64_t arrays, std::uint64_t own) {
  ReportView view;
  view.classes = {row("byte[]", true, arrays), row("shop.Session", false, own)};
  view.classes_total = 2;
  view.origin.sequence = static_cast<std::uint32_t>(arrays / 1000);  // of each dump its own
  return view;
}

std::string verdict(const ReportView& before, const ReportView& after) {
  return diff_verdict(make_diff(before, after, "a.hfr", "b.hfr", std::nullopt, {}), kFullNames);
}

}  // namespace

TEST_CASE("diff: an own class is named beside what grew most, unless it is next to nothing") {
  const std::string some = verdict(make_report(1'000'000, 1000), make_report(101'000'000, 101'000));
  INFO(some);
  CHECK(some.starts_with("byte[] grew most: shallow size +95.4 MB"));
  CHECK(some.find("; of the program's own classes shop.Session: shallow size +97.7 KB") !=
        std::string::npos);
  const std::string none = verdict(make_report(1'000'000, 1000), make_report(101'000'000, 1016));
  CHECK(none.starts_with("byte[] grew most: shallow size +95.4 MB"));
  CHECK(none.find("shop.Session") == std::string::npos);
}

TEST_CASE("diff: of two processes there is no trend to be tested") {
  ReportView before = make_report(1'000'000, 1000);
  ReportView after = make_report(2'000'000, 1000);
  before.origin.main_name = after.origin.main_name = "shop.Main";
  before.origin.pid = after.origin.pid = 7;
  const auto meaning = [&] {
    return std::string(diff_meaning(make_diff(before, after, "a.hfr", "b.hfr", std::nullopt, {})));
  };
  CHECK(meaning().starts_with("Two reports are two points"));
  after.origin.pid = 8;
  CHECK(meaning().starts_with("Two processes, a moment of each"));
}
