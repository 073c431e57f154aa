// What reading the largest reports takes: time to the first byte on standard output and memory at the peak, of every command that
// reads one, as it is shipped. Run by `./dev bench`; beside a peer, flatc, which makes JSON of the same flatbuffer.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "analysis/report/file_header.h"
#include "analysis/report/report_fixture.h"
#include "analysis/snapshot_file/snapshot_fixture.h"
#include "cli/report/sample_report_for_test.h"

namespace holdfast::cli {
namespace {

using Words = std::vector<std::string>;
using Clock = std::chrono::steady_clock;

constexpr int kRuns = 9;
constexpr double kMostMb = 50, kMostFirstMs = 100;  // what reading a report may take

struct Taken {
  double first_ms = 0, all_ms = 0, peak_mb = 0;
};

double ms_since(Clock::time_point begun) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begun).count();
}

[[noreturn]] void become(const Words& words, int out) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  ::dup2(out, STDOUT_FILENO);
  ::execvp(arguments[0], arguments.data());
  ::_exit(127);
}

// In a process of its own, so that its peak is its own.
Taken run_once(const Words& words) {
  std::array<int, 2> ends{};
  REQUIRE(::pipe2(ends.data(), O_CLOEXEC) == 0);
  const auto begun = Clock::now();
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) become(words, ends[1]);
  ::close(ends[1]);
  Taken taken;
  std::array<char, 65'536> bytes;
  while (::read(ends[0], bytes.data(), bytes.size()) > 0)
    if (taken.first_ms == 0) taken.first_ms = ms_since(begun);
  ::close(ends[0]);
  int status = 0;
  rusage usage{};
  REQUIRE(::wait4(child, &status, 0, &usage) == child);
  CHECK_MESSAGE((WIFEXITED(status) && WEXITSTATUS(status) < 2), words[1]);
  taken.all_ms = ms_since(begun);
  taken.peak_mb = static_cast<double>(usage.ru_maxrss) / 1024;
  return taken;
}

double median(std::array<Taken, kRuns> runs, double Taken::*of) {
  std::ranges::sort(runs, {}, of);
  return runs[kRuns / 2].*of;
}

Taken measured(const std::string& name, const Words& words) {
  std::array<Taken, kRuns> runs;
  for (Taken& run : runs) run = run_once(words);
  const Taken middle{median(runs, &Taken::first_ms), median(runs, &Taken::all_ms),
                     std::ranges::max(runs, {}, &Taken::peak_mb).peak_mb};
  std::printf("| %s | %.1f | %.1f | %.1f |\n", name.c_str(), middle.first_ms, middle.all_ms,
              middle.peak_mb);
  return middle;
}

void check_ours(const std::string& name, Words words) {
  const std::filesystem::path bench = std::filesystem::read_symlink("/proc/self/exe");
  words.insert(words.begin(), bench.parent_path().parent_path() / "holdfast");
  const Taken taken = measured(name, words);
  CHECK(taken.peak_mb < kMostMb);
  WARN(taken.first_ms < kMostFirstMs);  // a busy machine is no fault
}

void head(const std::string& what, const std::string& path) {
  std::printf(
      "\n%s, %ju bytes; median of %d\n\n| | first byte, ms | end, ms | peak, MB |\n| --- | --- | "
      "--- | --- |\n",
      what.c_str(), std::filesystem::file_size(path), kRuns);
}

void measure_commands(const std::string& what, const std::string& path) {
  head(what, path);
  check_ours("report", {"report", path});
  check_ours("report --top 1000000", {"report", path, "--top", "1000000"});
  check_ours("report --section suspects,tree", {"report", path, "--section", "suspects,tree"});
  check_ours("report --json", {"report", path, "--json"});
  check_ours("report --json --brief", {"report", path, "--json", "--brief"});
  check_ours("report --html", {"report", path, "--html", path + ".html"});
  check_ours("diff", {"diff", path, path});
  check_ours("diff --json", {"diff", path, path, "--json"});
  check_ours("assert", {"assert", path, "*1*.retained < 5GB"});
  for (const char* format : {"pprof", "folded", "jsonl", "csv", "openmetrics"})
    check_ours(std::string("export --format ") + format, {"export", path, "--format", format});
}

void measure_peer(const std::string& path) {
  const auto payload = path + ".payload";
  std::ifstream from(path, std::ios::binary);
  from.seekg(static_cast<std::streamoff>(analysis::kReportHeaderBytes));
  std::ofstream(payload, std::ios::binary) << from.rdbuf();
  const auto root = std::filesystem::path(__FILE__).parent_path().parent_path().parent_path();
  measured(
      "(flatc --json, without first byte: it writes a file)",
      {"flatc", "--json", "--raw-binary", "-o", std::filesystem::path(path).parent_path().string(),
       (root / "analysis/report/report.fbs").string(), "--", payload});
}

// Made apart as well: what a process has taken once counts for those that it makes.
void write_apart(const std::string& path, const std::function<std::vector<std::byte>()>& make) {
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    const std::vector<std::byte> bytes = make();
    std::ofstream file(path, std::ios::binary);
    file.write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
    ::_exit(file.flush() ? 0 : 1);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  REQUIRE(status == 0);
}

// Every list at its limit.
template <std::uint32_t kNameBytes>
std::vector<std::byte> largest_report() {
  analysis::ReportFixture fixture({.classes = 9000,
                                   .loaders = 800,
                                   .packages = 700,
                                   .threads = 600,
                                   .objects = 20000,
                                   .tree = 2000,
                                   .tops = 50,
                                   .suspects = 20,
                                   .path_steps = 64,
                                   .name_bytes = kNameBytes});
  const auto image = fixture.image();
  return {image.begin(), image.end()};
}

void measure_report(const std::string& name, const std::string& path,
                    const std::function<std::vector<std::byte>()>& make) {
  write_apart(path, make);
  measure_commands("report, " + name, path);
  measure_peer(path);
}

}  // namespace

TEST_CASE("reading the largest reports that the writer makes") {
  const TemporaryFile place({});
  measure_report("names of 60 bytes", place.path() + "60.hfr", largest_report<60>);
  measure_report("names of 100 bytes", place.path() + "100.hfr", largest_report<100>);
  measure_report("names of 500 bytes", place.path() + "500.hfr", largest_report<500>);
  const std::string snapshot = place.path() + ".hfs";
  write_apart(snapshot, [] {
    const std::vector<std::byte> report = largest_report<100>();
    analysis::SnapshotFixture fixture(3, 500'000);
    fixture.extras.report = report;
    return fixture.file();
  });
  measure_commands("the second one inside a snapshot", snapshot);
}

}  // namespace holdfast::cli
