// sample_reports DIR: report files for scripts: plain, simple, with analyses not asked for or left out, hostile names, the largest;
// pairs of these to compare; series of a process, of several, of hostile names, of as many classes as a report lists.
// Why here: the formats are made by C++, the browser is driven by Python.
// Shape:  shop.hfr, simple.hfr, classes.hfr, accounts.hfr, counted.hfr, ages.hfr, slots.hfr, losses.hfr, hostile.hfr, largest.hfr; pairs/NAME_before.hfr and NAME_after.hfr;
//         trends/NAME/*.hfr; hostile/N/M.hfr: every text hostile in way N, the Mth dump of its process; versions/newer.hfr,
//         newer-minor.hfr, older-minor.hfr.
// Zone:   tests.   Errors: exit code 1.
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <span>
#include <string>
#include <tuple>

#include "analysis/report/file_header.h"
#include "analysis/report/report_fixture.h"
#include "cli/report/sample_report_for_test.h"

namespace {

using holdfast::analysis::ReportFixture;
using holdfast::cli::sample_file;
using holdfast::cli::SampleReport;

// Each would do something if it ever became markup, a script, or the text's direction.
const std::string kHostileClass =
    "evil.</script><script>window.injected=1</script><img src=x "
    "onerror=\"window.injected=2\">'\"`${1}";
const std::string kHostileThread =
    "\xe2\x80\xae\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d\x1b[31m\n\xe2\x80\xa8\x01" +
    std::string(10'000, 'w');
const std::string kHostileNote =
    "<svg onload=window.injected=3> javascript:window.injected=4 <a "
    "href=javascript:window.injected=5>note</a>";

bool write(const std::string& path, std::span<const std::byte> bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  return file.flush().good();
}

// Around every text, those that are no names as well: orders to terminals, markup, what ends a cell, a line, a quoted text, a field,
// what a spreadsheet runs, what turns writing around, and length.
const std::pair<std::string, std::string> kHostileTexts[] = {
    {"\x1b]0;owned\x07\x1b[2J", "\x1b[31m\xc2\x9b\x7f\x08\r"},
    {"</script><script>alert(1)</script><img src=x onerror=alert(1)>",
     "&amp;]]>--><svg/onload=alert(1)>"},
    {"`</code>|\n\n| a | b |\n|---|---|\n# head", "`\r\n[link](javascript:alert(1))@team \\|"},
    {"=cmd|' /C calc'!A0,\"\r\n", "\",'\";\n\\\t"},
    {"\xe2\x80\xae\xe2\x81\xa6\xd7\xa9", "\xe2\x80\xa8\xe2\x80\x8b\xef\xbb\xbf\xef\xbf\xbf"},
    {"+", std::string(10'000, 'w')},
};

constexpr std::uint64_t kHostileDumps = 9;  // as many as a trend wants

bool write_hostile(const std::string& directory) {
  for (std::size_t way = 0; way < std::size(kHostileTexts); ++way) {
    const std::string dumps = directory + std::to_string(way) + '/';
    std::filesystem::create_directories(dumps);
    for (std::uint64_t dump = 0; dump < kHostileDumps; ++dump) {
      SampleReport sample;
      sample.losses = true;
      std::tie(sample.before_texts, sample.behind_texts) = kHostileTexts[way];
      sample.sessions = 1000 + dump * 500;
      sample.minutes_later = dump * 10;
      sample.more_classes = {{"shop.Order" + std::to_string(dump), 9, 900, 900}};
      if (!write(dumps + std::to_string(dump) + ".hfr", sample_file(sample))) return false;
    }
  }
  return true;
}

// A larger major is refused before the checksum is looked at; a larger minor and version 1.0 are read.
bool write_versions(const std::string& directory) {
  std::filesystem::create_directory(directory);
  std::vector<std::byte> newer = sample_file({}), minor = sample_file({}), older = sample_file({});
  newer[8] = std::byte{2};
  for (const auto& [image, number] : {std::pair{&minor, 99}, std::pair{&older, 0}}) {
    (*image)[10] = static_cast<std::byte>(number);
    const std::uint64_t sum = holdfast::analysis::header_checksum(*image);
    std::memcpy(image->data() + holdfast::analysis::kReportChecksumOffset, &sum, sizeof sum);
  }
  return write(directory + "newer.hfr", newer) && write(directory + "newer-minor.hfr", minor) &&
         write(directory + "older-minor.hfr", older);
}

bool write_largest(const std::string& path, std::uint32_t name_bytes) {
  ReportFixture fixture({.classes = 4000,
                         .loaders = 800,
                         .packages = 700,
                         .threads = 600,
                         .objects = 20000,
                         .tree = 2000,
                         .tops = 50,
                         .suspects = 20,
                         .hidden = 20,
                         .cuts = 20,
                         .path_steps = 64,
                         .name_bytes = name_bytes});
  return write(path, fixture.image());
}

// Everything that can become of a class: the second list is whole, so what only the first has is gone; the first is not.
bool write_pairs(const std::string& directory) {
  const auto pair = [&](const std::string& name, const SampleReport& before,
                        const SampleReport& after) {
    return write(directory + name + "_before.hfr", sample_file(before)) &&
           write(directory + name + "_after.hfr", sample_file(after));
  };
  const SampleReport before{
      .sessions = 1000,
      .more_classes = {{"shop.Basket", 12, 480, 9000}, {"shop.Shrinking", 900, 90'000, 2'000'000}}};
  const SampleReport after{
      .minutes_later = 62,
      .whole_list = true,
      .more_classes = {{"shop.Order", 90, 4320, 700'000}, {"shop.Shrinking", 9, 900, 20'000}}};
  SampleReport fresh = before, stranger = after, simple = after;
  fresh.whole_list = true;
  stranger.main_name = kHostileClass;
  stranger.host = "web2";
  simple.simple = true;
  return pair("shop", before, after) && pair("whole", fresh, after) &&
         pair("simple", before, simple) && pair("strangers", before, stranger) &&
         pair("same", before, before) &&
         pair("accounts", {.accounts = true, .sessions = 1000},
              {.accounts = true, .minutes_later = 62}) &&
         pair("hostile", {.session_class = kHostileClass, .sessions = 10},
              {.session_class = kHostileClass,
               .minutes_later = 5,
               .more_classes = {{kHostileThread, 10, 1000, 10'000}}}) &&
         write_largest(directory + "largest_before.hfr", 170) &&
         write_largest(directory + "largest_after.hfr", 160);
}

// Sessions pile up, requests come and go, a cache is listed only while it is large.
SampleReport shop_at(std::uint64_t nth) {
  SampleReport sample;
  sample.minutes_later = nth * 30;
  sample.sessions = 1000 + nth * 130 + nth % 3 * 20;
  const std::uint64_t load = 1 + (nth % 8 < 4 ? nth % 8 : 8 - nth % 8);
  sample.more_classes = {{"shop.Request", 100 * load, 900'000 * load, 0},
                         {"shop.Config", 12, 60'000, 0}};
  if (load > 2) sample.more_classes.push_back({"shop.Cache", 40 * load, 400'000 * load, 0});
  return sample;
}

// As many classes as a report lists, some of which come and go, and figures that do not pack.
SampleReport large_at(std::uint64_t nth) {
  constexpr std::uint64_t kClasses = 3995;
  constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 24;
  std::mt19937_64 random(nth);
  SampleReport sample = shop_at(nth);
  sample.more_classes.clear();
  for (std::uint64_t i = 0; i < kClasses; ++i) {
    const std::uint64_t bytes = random() % kMostBytes;
    sample.more_classes.push_back({"com.acme.shop.module" + std::to_string((i + nth) % 97) +
                                       ".generated.Type" + std::to_string(i + nth),
                                   random() % kMostBytes, bytes, bytes + random() % kMostBytes});
  }
  return sample;
}

template <class Make>
bool write_trend(const std::string& directory, std::uint64_t reports, const Make& make) {
  std::filesystem::create_directories(directory);
  for (std::uint64_t i = 0; i < reports; ++i)
    if (!write(directory + "/r" + std::to_string(100 + i) + ".hfr", sample_file(make(i))))
      return false;
  return true;
}

bool write_trends(const std::string& directory) {
  constexpr std::uint64_t kProcesses = 20;
  const auto hostile_at = [](std::uint64_t nth) {
    SampleReport sample = shop_at(nth);
    sample.session_class = kHostileClass;
    sample.main_name = kHostileThread;
    sample.more_classes.push_back({kHostileThread, 100 * nth, 100'000 * nth, 0});
    return sample;
  };
  const auto process_at = [](std::uint64_t nth) {
    SampleReport sample = shop_at(nth / kProcesses);
    sample.pid = 100 + static_cast<std::uint32_t>(nth % kProcesses);
    if (nth % kProcesses > 2) sample.sessions = 1000;
    return sample;
  };
  const auto accounts_at = [](std::uint64_t nth) {
    SampleReport sample = shop_at(nth);
    sample.accounts = nth > 0;
    return sample;
  };
  return write_trend(directory + "shop", 24, shop_at) &&
         write_trend(directory + "accounts", 12, accounts_at) &&
         write_trend(directory + "few", 3, shop_at) && write_trend(directory + "one", 1, shop_at) &&
         write_trend(directory + "hostile", 12, hostile_at) &&
         write_trend(directory + "processes", 12 * kProcesses, process_at) &&
         write_trend(directory + "largest", 64, large_at);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 1;
  const std::string directory = std::string(argv[1]) + '/';
  std::filesystem::create_directories(directory + "pairs");
  const bool done =
      write(directory + "shop.hfr", sample_file({})) &&
      write(directory + "simple.hfr", sample_file({.simple = true})) &&
      write(directory + "classes.hfr", sample_file({.only_classes = true})) &&
      write(directory + "old.hfr", sample_file({.before_1_4 = true})) &&
      write(directory + "estimates.hfr", sample_file({.estimates = true})) &&
      write(directory + "room.hfr", sample_file({.no_room = true})) &&
      write(directory + "accounts.hfr", sample_file({.accounts = true})) &&
      write(directory + "counted.hfr", sample_file({.accounts = true, .exact_accounts = true})) &&
      write(directory + "ages.hfr", sample_file({.ages = true})) &&
      write(directory + "slots.hfr", sample_file({.possible_slots = true})) &&
      write(directory + "losses.hfr", sample_file({.suspects = false, .losses = true})) &&
      write(directory + "hostile.hfr", sample_file({.accounts = true,
                                                    .ages = true,
                                                    .session_class = kHostileClass,
                                                    .thread_name = kHostileThread,
                                                    .note = kHostileNote})) &&
      write_hostile(directory + "hostile/") && write_versions(directory + "versions/") &&
      write_largest(directory + "largest.hfr", 170) && write_pairs(directory + "pairs/") &&
      write_trends(directory + "trends/");
  return done ? 0 : 1;
}
