#include "cli/html/report_page.h"

#include <doctest/doctest.h>
#include <zlib.h>

#include <algorithm>
#include <deque>
#include <fstream>
#include <random>
#include <sstream>

#include "analysis/report/reader.h"
#include "analysis/report/report_fixture.h"
#include "cli/html/html_page.h"
#include "cli/html/packed_document.h"
#include "cli/report/sample_report_for_test.h"

namespace holdfast::cli {
namespace {

const std::string kHostile =
    "</script><script>alert(1)</script><img src=x onerror=alert(2)>'\"&\\ \x1b[31m\xe2\x80\xa8";

std::string page_of(const SampleReport& sample) {
  const std::vector<std::byte> file = sample_file(sample);
  const auto report = analysis::check_report(file);
  REQUIRE(report.ok());
  return report_page(make_report_view(**report, file.size()));
}

std::string between(const std::string& text, const std::string& before, const std::string& after) {
  const std::size_t from = text.find(before) + before.size();
  return text.substr(from, text.find(after, from) - from);
}

std::string unpacked(const std::string& base64) {
  std::string bytes;
  std::uint32_t bits = 0;
  int held = 0;
  for (const char c : base64) {
    const auto digit =
        std::string_view("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
            .find(c);
    if (digit == std::string_view::npos) continue;
    bits = bits << 6 | static_cast<std::uint32_t>(digit);
    held += 6;
    if (held >= 8) bytes += static_cast<char>(bits >> (held -= 8) & 255);
  }
  std::string plain(64u << 20, '\0');
  z_stream stream{};
  stream.next_in = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(plain.data());
  stream.avail_out = static_cast<uInt>(plain.size());
  REQUIRE(inflateInit2(&stream, 16 + MAX_WBITS) == Z_OK);
  CHECK(inflate(&stream, Z_FINISH) == Z_STREAM_END);
  plain.resize(stream.total_out);
  inflateEnd(&stream);
  return plain;
}

std::string document_of(const std::string& page) {
  return unpacked(between(page, "id=\"document\">", "</script>"));
}

std::size_t count(const std::string& text, std::string_view what) {
  std::size_t found = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
    ++found;
  return found;
}

// Everything at the limits of the report, every name different and of random letters, every number of random digits: what packs worst.
class WorstReport {
 public:
  WorstReport() {
    view_.graph = GraphView{};
    for (int i = 0; i < 4000; ++i) view_.classes.push_back(worst_class());
    for (int i = 0; i < 500; ++i) view_.loaders.push_back(worst_set());
    for (int i = 0; i < 500; ++i) view_.packages.push_back(worst_set());
    for (std::uint32_t i = 0; i < 2000; ++i) view_.tree.push_back(worst_node(i));
    for (int i = 0; i < 500; ++i)
      view_.threads.push_back({any_name(), true, 9, number(), frames(20)});
    for (int i = 0; i < 50; ++i) view_.top_objects.push_back({object(), path()});
    for (int i = 0; i < 20; ++i) view_.suspects.push_back(suspect());
  }
  const ReportView& view() const { return view_; }

 private:
  static constexpr std::size_t kNames = 4000;
  static constexpr std::size_t kNameBytes = 175;  // kMaxReportTextBytes / kNames

  std::uint64_t number() { return random_() >> 1; }
  std::string_view any_name() {
    if (names_.size() >= kNames) return names_[random_() % kNames];
    std::string& made = names_.emplace_back();
    for (std::size_t i = 0; i < kNameBytes; ++i) made += static_cast<char>('!' + random_() % 94);
    return made;
  }
  ClassView worst_class() {
    return {any_name(), any_name(), number(), number(), number(),
            number(),   number(),   number(), false};
  }
  SetView worst_set() { return {any_name(), number(), number(), number(), number(), false}; }
  ObjectView object() {
    return {static_cast<std::uint32_t>(number() % 100'000),
            any_name(),
            any_name(),
            any_name(),
            number(),
            number()};
  }
  TreeNodeView worst_node(std::uint32_t id) {
    TreeNodeView node;
    node.id = id;
    node.object = object();
    if (id > 0) node.parent = static_cast<std::uint32_t>(random_() % id);
    node.shallow_bytes = number();
    node.retained_bytes = number();
    return node;
  }
  std::vector<FrameView> frames(std::uint32_t how_many) {
    std::vector<FrameView> made;
    for (std::uint32_t i = 0; i < how_many; ++i)
      made.push_back({any_name(), any_name(), i, 3, number(), object()});
    return made;
  }
  PathView path() {
    PathView made;
    for (int i = 0; i < 64; ++i)
      made.steps.push_back({object(), Via::kInstanceField, any_name(), any_name(), 0, false});
    return made;
  }
  SuspectView suspect() {
    SuspectView made;
    made.class_name = any_name();
    made.path = path();
    made.evidence = {any_name(), any_name()};
    return made;
  }

  std::mt19937_64 random_{1};
  std::deque<std::string> names_;
  ReportView view_;
};

}  // namespace

TEST_CASE("page: begins with the mark, forbids everything but its own script and style") {
  const std::string page = page_of({});
  CHECK(page.starts_with(kPageMark));
  const std::string policy = between(page, "Content-Security-Policy\" content=\"", "\"");
  CHECK(policy == "default-src 'none'; script-src '" + std::string(kReportPage.script_hash) +
                      "'; style-src '" + std::string(kReportPage.style_hash) +
                      "'; base-uri 'none'; form-action 'none'");
  CHECK(kReportPage.script_hash.size() == std::string_view("sha256-").size() + 44);
  CHECK(between(page, "<style>", "</style>") == kReportPage.style);
  CHECK(page.find("<script>" + std::string(kReportPage.script) + "</script>") != std::string::npos);
  for (const char* forbidden : {"://", "@import", "url(", "<img", "<link", "innerHTML", "eval("})
    CHECK_MESSAGE(page.find(forbidden) == std::string::npos, std::string(forbidden));
}

TEST_CASE("page: names are data, whatever they are") {
  const std::string page =
      page_of({.session_class = kHostile, .thread_name = kHostile, .note = kHostile});
  const std::string harmless = page_of({});
  CHECK(count(page, "<script") == count(harmless, "<script"));
  CHECK(count(page, "</script") == 2);
  CHECK(page.find("alert(") == std::string::npos);
  CHECK(page.find("onerror") == std::string::npos);
  const auto document = nlohmann::json::parse(document_of(page));
  const auto is_hostile = [](const auto& text) { return text == kHostile; };
  CHECK(std::any_of(document["texts"].begin(), document["texts"].end(), is_hostile));
}

TEST_CASE("packed document: each text once, numbers and keys as they were") {
  const Json packed = with_texts_once(
      {{"a", "x"}, {"list", {"x", "y", Json{{"b", "x"}}}}, {"n", 36}, {"none", nullptr}});
  CHECK(packed["texts"].size() == 2);
  const auto text = [&](const Json& value) {
    return packed["texts"][std::stoul(value.get<std::string>(), nullptr, 36)].get<std::string>();
  };
  const Json& document = packed["document"];
  CHECK(text(document["a"]) == "x");
  CHECK(text(document["list"][1]) == "y");
  CHECK(text(document["list"][2]["b"]) == "x");
  CHECK(document["n"] == 36);
  CHECK(document["none"].is_null());
}

TEST_CASE("page: names of 10,000 characters, invalid UTF-8") {
  const std::string page = page_of({.session_class = std::string(10'000, 'x')});
  CHECK(page.size() < page_of({}).size() + 2000);
  CHECK_NOTHROW(with_texts_once({{"a", "\xff"}}));
  CHECK_NOTHROW(packed_document({{"a", "\xff"}}));
}

TEST_CASE("page: the same report gives the same page") { CHECK(page_of({}) == page_of({})); }

TEST_CASE("page: under 3 MB where everything is at its limit and nothing packs well") {
  const WorstReport worst;
  const std::string page = report_page(worst.view());
  MESSAGE("page of the worst report: " << page.size() << " bytes");
  CHECK(page.size() < kMostPageBytes);

  const std::string small = report_page(worst.view(), kAllRows, 300'000);
  CHECK(small.size() < 300'000);
  const auto document = nlohmann::json::parse(document_of(small))["document"];
  REQUIRE(document.contains("page_rows_limit"));
  CHECK(document["classes"].size() == document["page_rows_limit"]);
  CHECK(document["classes_total"] == 0);
}

TEST_CASE("page: of the largest report that the writer makes") {
  analysis::ReportFixture fixture({.classes = 9000,
                                   .loaders = 800,
                                   .packages = 700,
                                   .threads = 600,
                                   .objects = 20000,
                                   .tree = 2000,
                                   .tops = 50,
                                   .suspects = 20,
                                   .path_steps = 64,
                                   .name_bytes = 500});
  const auto image = fixture.image();
  const auto report = analysis::check_report(image);
  REQUIRE(report.ok());
  const std::string page = report_page(make_report_view(**report, image.size()));
  MESSAGE("page of a report of " << image.size() << " bytes: " << page.size() << " bytes");
  CHECK(page.size() < kMostPageBytes);
  CHECK(document_of(page).find("page_rows_limit") == std::string::npos);
}

TEST_CASE("page file: complete, private, replaces pages and nothing else") {
  const TemporaryFile report(sample_file({}));
  const std::string directory = report.path().substr(0, report.path().rfind('/'));
  const std::string out = directory + "/page.html";
  const auto write = [&](const std::string& path, const std::string& page) {
    OutputFile file = page_file(path);
    file.check();
    write_page(file, page);
  };
  const auto content = [](const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
  };
  write(out, std::string(kPageMark) + "first");
  write(out, std::string(kPageMark) + "second");
  CHECK(content(out) == std::string(kPageMark) + "second");

  const std::string before = content(report.path());
  CHECK_THROWS_AS(write(report.path(), std::string(kPageMark)), Stop);
  CHECK(content(report.path()) == before);
  std::ofstream(directory + "/letter.html") << "<!doctype html>\n<p>Dear";
  CHECK_THROWS_AS(write(directory + "/letter.html", std::string(kPageMark)), Stop);
  CHECK_THROWS_AS(write(directory + "/none/page.html", std::string(kPageMark)), Stop);
}

}  // namespace holdfast::cli
