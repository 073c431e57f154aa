#include "cli/report/report_text.h"

#include <doctest/doctest.h>

#include <sstream>

#include "analysis/report/reader.h"
#include "cli/report/sample_report_for_test.h"
#include "cli/text/display_text.h"
#include "cli/text/golden_for_test.h"

using namespace holdfast;
using namespace holdfast::cli;

namespace {

std::string text_of(const SampleReport& sample, const TextOptions& options) {
  const std::vector<std::byte> file = sample_file(sample);
  const auto report = analysis::check_report(file);
  REQUIRE(report.ok());
  return report_text(make_report_view(**report, file.size()), options);
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::string without_colours(std::string text) {
  for (std::size_t at = 0; (at = text.find('\x1b')) != std::string::npos;)
    text.erase(at, text.find('m', at) - at + 1);
  return text;
}

SampleReport hostile() {
  SampleReport sample;
  sample.session_class = "evil.\x1b]0;owned\x07\u202E\u009b2J\n<script>alert('\"')</script>" +
                         std::string(10'000, 'x');
  sample.thread_name = "\x1b[2J\r" + std::string(10'000, 't');
  sample.note = "note \x1b[31m";
  sample.accounts = true;
  return sample;
}

}  // namespace

TEST_CASE("report text: golden") {
  check_golden("leak_80", text_of({}, {.columns = 80}));
  check_golden("leak_120", text_of({}, {.columns = 120}));
  check_golden("simple_80", text_of({.simple = true}, {.columns = 80}));
  check_golden("written_80",
               text_of({.simple = true,
                        .written = true,
                        .note = "the object graph was written, not analysed here; run: holdfast "
                                "analyze shop.Main-web1-4242.hfs"},
                       {.columns = 80}));
  check_golden("static_roots_80", text_of({.static_roots = true}, {.columns = 80}));
  check_golden("possible_slots_100", text_of({.possible_slots = true}, {.columns = 100}));
  check_golden("losses_80", text_of({.suspects = false, .losses = true}, {.columns = 80}));
  check_golden("top_2_sort_instances_100",
               text_of({}, {.columns = 100, .top = 2, .order = ClassOrder::kInstances}));
}

TEST_CASE(
    "report text: the first screen says what leaks, what holds it, how much, how sure, at what "
    "cost") {
  const auto lines = lines_of(text_of({}, {.columns = 100}));
  REQUIRE(lines.size() > 25);
  std::string screen;
  for (std::size_t i = 0; i < 25; ++i) screen += lines[i] + '\n';
  for (const char* said :
       {"4,812 shop.Session retain 61.0 MB (72 % of the heap)",
        "static shop.SessionRegistry.SESSIONS", "→ java.util.concurrent.ConcurrentHashMap .table",
        "confidence 95 %", "387.7 ms stopped", "84.0 MB of 512.0 MB native memory",
        "next largest class"}) {
    CHECK_MESSAGE(screen.find(said) != std::string::npos, said);
  }
}

TEST_CASE("report text: estimated reachable sizes say so, and why") {
  TextOptions options{.columns = 80};
  options.sections = {"reachable", "objects"};
  check_golden("reachable_estimates_80", text_of({.estimates = true}, options));
}

TEST_CASE(
    "report text: reports before 1.4 have no reachable sizes and no cuts, and do not miss them") {
  const std::string text = text_of({.before_1_4 = true}, {.columns = 100});
  for (const char* word : {"REACHABLE", "CUTS", "HOLDERS", "leads to", "one reaches"})
    CHECK_MESSAGE(text.find(word) == std::string::npos, word);
  TextOptions options{.columns = 100};
  options.sections = {"cuts"};
  options.asked_by_name = true;
  CHECK(text_of({.before_1_4 = true}, options) == "This report has nothing to say about cuts.\n");
}

TEST_CASE("report text: what had no room does not make the picture incomplete") {
  const std::string text = text_of({.no_room = true}, {.columns = 120});
  CHECK(text.find("the picture is complete") != std::string::npos);
  CHECK(text.find("4 analysis passes left out (see TIME)") != std::string::npos);
  CHECK(text.find("left out: out of budget") != std::string::npos);
  TextOptions options{.columns = 120};
  options.sections = {"reachable"};
  options.asked_by_name = true;
  CHECK(text_of({.no_room = true}, options)
            .find("The pass was left out: the pass it builds on was left out.") !=
        std::string::npos);
}

TEST_CASE("report text: memory accounts, estimated or counted, all or one") {
  TextOptions options{.columns = 100};
  options.sections = {"accounts"};
  check_golden("accounts_100", text_of({.accounts = true}, options));
  check_golden("accounts_losses_80", text_of({.losses = true, .accounts = true},
                                             {.columns = 80, .sections = {"accounts"}}));
  check_golden("accounts_exact_100", text_of({.accounts = true, .exact_accounts = true}, options));
  const std::string first = text_of({.accounts = true, .first_accounts = true}, options);
  CHECK(first.find("since report") == std::string::npos);
  options.asked_by_name = true;
  CHECK(text_of({}, options) == "This report has nothing to say about accounts.\n");
}

TEST_CASE("report text: objects with numbers, and since when they are known") {
  TextOptions options{.columns = 100};
  options.sections = {"objects", "suspects"};
  check_golden("tracking_100", text_of({.tracking = true, .minutes_later = 30}, options));
  const std::string first = text_of({.tracking = true}, options);
  CHECK(first.find("ConcurrentHashMap #2") != std::string::npos);
  CHECK(first.find("known since") == std::string::npos);
  CHECK(text_of({}, options).find('#') == std::string::npos);
}

TEST_CASE("report text: what piled up before the dump, and sampled ages") {
  TextOptions options{.columns = 100};
  options.sections = {"aging"};
  check_golden("aging_100", text_of({.aging = true}, options));
  options.top = 1;
  CHECK(text_of({.aging = true}, options).find("\n  1 more class\n") != std::string::npos);
  options.asked_by_name = true;
  CHECK(text_of({}, options) == "This report has nothing to say about aging.\n");
}

TEST_CASE("report text: what the collector did, as far as it was told") {
  TextOptions options{.columns = 100};
  options.sections = {"collections"};
  check_golden("collections_100", text_of({.collections = true}, options));
  const std::string untold = text_of({.collections = true, .untold_collections = true}, options);
  CHECK(untold.find("1,041 young") != std::string::npos);
  CHECK(untold.find("full") == std::string::npos);
  CHECK(untold.find("reclaimed") == std::string::npos);
  options.asked_by_name = true;
  CHECK(text_of({}, options) == "This report has nothing to say about collections.\n");
}

TEST_CASE("report text: ages by class, of headers or of ranges") {
  TextOptions options{.columns = 100};
  options.sections = {"ages"};
  check_golden("ages_100", text_of({.ages = true}, options));
  check_golden("ages_ranges_80",
               text_of({.ages = true, .aged_ranges = true}, {.columns = 80, .sections = {"ages"}}));
  options.top = 1;
  CHECK(text_of({.ages = true}, options).find("529 other classes") != std::string::npos);
  options.asked_by_name = true;
  for (const bool untold : {false, true})
    CHECK(text_of({.ages = untold, .untold_ages = untold}, options) ==
          "This report has nothing to say about ages.\n");
}

TEST_CASE("report text: a pause without a limit is called so") {
  const std::string text = text_of({.unlimited_pause = true}, {.columns = 100});
  CHECK(text.find("387.7 ms stopped, 410.0 ms predicted, no limit;") != std::string::npos);
}

TEST_CASE("report text: classes that several loaders have are told") {
  CHECK(text_of({}, {.columns = 100}).find("repeated") == std::string::npos);
  const SampleClass plugin{"shop.Plugin", 1, 16, 40'000};
  const SampleClass part{"shop.Part", 1, 16, 16};
  const SampleReport sample{.more_classes = {plugin, part, plugin, part, plugin}};
  CHECK(text_of(sample, {.columns = 120})
            .find("classes that several loaders have, as far as listed: shop.Plugin 3 times, "
                  "shop.Part 2 times") != std::string::npos);
}

TEST_CASE("report text: colours change nothing but colours") {
  const std::string plain = text_of({}, {.columns = 100});
  const std::string coloured = text_of({}, {.columns = 100, .colour = true});
  CHECK(plain.find('\x1b') == std::string::npos);
  CHECK(coloured != plain);
  CHECK(without_colours(coloured) == plain);
}

TEST_CASE("report text: no line is wider than the page, whatever the names") {
  for (const SampleReport& sample :
       {SampleReport{}, SampleReport{.simple = true}, hostile(), SampleReport{.accounts = true},
        SampleReport{.accounts = true, .exact_accounts = true}, SampleReport{.ages = true},
        SampleReport{.tracking = true, .minutes_later = 30},
        SampleReport{.ages = true, .aged_ranges = true}}) {
    for (const std::size_t columns : {40u, 60u, 79u, 80u, 100u, 133u, 240u}) {
      for (const std::string& line : lines_of(text_of(sample, {.columns = columns}))) {
        CHECK_MESSAGE(display_width(line) <= columns, line);
      }
    }
  }
}

TEST_CASE("report text: names cannot act on the terminal") {
  const std::string text = text_of(hostile(), {.columns = 100});
  for (const char c : text) CHECK((c == '\n' || static_cast<unsigned char>(c) >= 0x20));
  for (const char* forbidden : {"\x7f", "\u009b", "\u202E"})
    CHECK(text.find(forbidden) == std::string::npos);
  CHECK(text.find("note \\u001b[31m") != std::string::npos);
  CHECK(text.size() < 40'000);  // ten thousand characters of name do not fill the screen
}
