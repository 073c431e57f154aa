#include "cli/export/pprof.h"

#include <doctest/doctest.h>
#include <zlib.h>

#include <algorithm>
#include <map>
#include <protozero/pbf_reader.hpp>
#include <string>
#include <vector>

#include "analysis/report/reader.h"
#include "cli/report/sample_report_for_test.h"

using namespace holdfast;
using namespace holdfast::cli;

namespace {

struct SampleRow {
  std::vector<std::uint64_t> locations;
  std::vector<std::int64_t> values;
  bool labelled = false;
};

// What a reader sees.
struct Decoded {
  std::vector<std::string> texts;
  std::vector<SampleRow> samples;
  std::map<std::uint64_t, std::int64_t> function_names, line_functions;
  std::int64_t time_nanos = 0;
  std::vector<std::int64_t> comments;
};

std::string unpacked(const std::string& file) {
  z_stream stream{};
  REQUIRE(inflateInit2(&stream, 15 + 16) == Z_OK);
  std::string out(std::size_t{1} << 22, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(file.data()));
  stream.avail_in = static_cast<uInt>(file.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  CHECK(inflate(&stream, Z_FINISH) == Z_STREAM_END);
  out.resize(stream.total_out);
  inflateEnd(&stream);
  return out;
}

SampleRow sample_row(protozero::pbf_reader message) {
  SampleRow row;
  while (message.next()) {
    if (message.tag() == 1) {
      for (const auto id : message.get_packed_uint64()) row.locations.push_back(id);
    } else if (message.tag() == 2) {
      for (const auto value : message.get_packed_int64()) row.values.push_back(value);
    } else {
      row.labelled = true;
      message.skip();
    }
  }
  return row;
}

std::pair<std::uint64_t, std::int64_t> function_row(protozero::pbf_reader message) {
  std::pair<std::uint64_t, std::int64_t> row;
  while (message.next()) {
    if (message.tag() == 1)
      row.first = message.get_uint64();
    else
      row.second = message.get_int64();
  }
  return row;
}

std::pair<std::uint64_t, std::int64_t> location_row(protozero::pbf_reader message) {
  std::pair<std::uint64_t, std::int64_t> row;
  while (message.next()) {
    if (message.tag() == 1) {
      row.first = message.get_uint64();
    } else {
      protozero::pbf_reader line = message.get_message();
      while (line.next()) row.second = line.get_int64();
    }
  }
  return row;
}

Decoded decoded(const std::string& bytes) {
  Decoded profile;
  protozero::pbf_reader message(bytes);
  while (message.next()) {
    switch (message.tag()) {
      case 2:
        profile.samples.push_back(sample_row(message.get_message()));
        break;
      case 4:
        profile.line_functions.insert(location_row(message.get_message()));
        break;
      case 5:
        profile.function_names.insert(function_row(message.get_message()));
        break;
      case 6:
        profile.texts.push_back(message.get_string());
        break;
      case 9:
        profile.time_nanos = message.get_int64();
        break;
      case 13:
        for (const auto id : message.get_packed_int64()) profile.comments.push_back(id);
        break;
      default:
        message.skip();
    }
  }
  return profile;
}

Decoded profile_of(const SampleReport& sample, ReportView* view_out = nullptr,
                   StackKind kind = StackKind::kTree) {
  const std::vector<std::byte> file = sample_file(sample);
  const auto report = analysis::check_report(file);
  REQUIRE(report.ok());
  const ReportView view = make_report_view(**report, file.size());
  if (view_out != nullptr) {
    view_out->graph.emplace();
    view_out->graph->held_bytes = view.whole_bytes();
    view_out->graph->held_objects = view.whole_objects();
  }
  std::string out;
  write_pprof(view, kind, [&](std::string_view bytes) { out += bytes; });
  return decoded(unpacked(out));
}

std::string leaf(const Decoded& profile, const SampleRow& row) {
  const std::int64_t function = profile.line_functions.at(row.locations.front());
  const std::int64_t name = profile.function_names.at(static_cast<std::uint64_t>(function));
  return profile.texts.at(static_cast<std::size_t>(name));
}

}  // namespace

TEST_CASE("pprof: totals, names, time and who it was") {
  ReportView whole;
  const Decoded profile = profile_of({}, &whole);
  std::int64_t bytes = 0, objects = 0;
  for (const SampleRow& row : profile.samples) {
    REQUIRE(row.values.size() == 2);
    bytes += row.values[0];
    objects += row.values[1];
  }
  CHECK(bytes == static_cast<std::int64_t>(whole.whole_bytes()));
  CHECK(objects == static_cast<std::int64_t>(whole.whole_objects()));
  CHECK(profile.texts.front().empty());
  CHECK(profile.time_nanos == 1'795'249'412'004'000'000);
  REQUIRE(profile.comments.size() == 4);
  CHECK(profile.texts.at(static_cast<std::size_t>(profile.comments[0])) == "main: shop.Main");
  CHECK(profile.texts.at(static_cast<std::size_t>(profile.comments[1])) == "pid: 4242");
}

TEST_CASE("pprof: what accounts allocated, and what of that lives, by the field's sample types") {
  const auto has = [](const Decoded& profile, const char* text) {
    return std::ranges::find(profile.texts, text) != profile.texts.end();
  };
  const Decoded allocated = profile_of({.accounts = true}, nullptr, StackKind::kAllocated);
  CHECK(has(allocated, "alloc_space"));
  CHECK(has(allocated, "alloc_objects"));
  CHECK(has(allocated, "shop.search.*"));
  CHECK_FALSE(has(allocated, "inuse_space"));
  const Decoded live = profile_of({.accounts = true}, nullptr, StackKind::kLive);
  CHECK(has(live, "inuse_space"));
  std::int64_t bytes = 0;
  for (const SampleRow& row : live.samples) bytes += row.values[0];
  CHECK(bytes == 72 * 1024 * 1024 + 700'000 + 2048);
}

TEST_CASE("pprof: the leaf comes first, and the root is the heap") {
  const Decoded profile = profile_of({});
  const auto deepest = std::ranges::max(profile.samples, {},
                                        [](const SampleRow& row) { return row.locations.size(); });
  CHECK(leaf(profile, deepest) == "shop.Session");
  CHECK(deepest.locations.size() == 5);
  for (const SampleRow& row : profile.samples) CHECK(row.locations.back() == 1);
  CHECK(leaf(profile, {{1}, {}, false}) == "heap");
}

TEST_CASE("pprof: every name arrives as it is, however it looks") {
  for (const std::string& name :
       {std::string("a;b \"c\"\n\x1b[2J\u202e<T>"), std::string(10'000, 'x')}) {
    const Decoded profile = profile_of({.session_class = name});
    CHECK(std::ranges::count(profile.texts, name) == 1);
  }
}
