// What a trend over a thousand large reports takes: memory, time, and bytes of its page. Run by `./dev bench`; about 500 MB in the temporary directory.
#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>

#include "cli/command_line.h"
#include "cli/html/bounded_page.h"
#include "cli/report/sample_report_for_test.h"

namespace holdfast::cli {
namespace {

constexpr std::size_t kReports = 1000;
constexpr std::size_t kClasses = 4000;
constexpr long kMostKb = 50 * 1024;  // what reading reports may take

SampleReport large(std::uint64_t nth) {
  SampleReport sample;
  sample.simple = true;
  sample.minutes_later = nth * 10;
  sample.sessions = 1000 + nth * 10;
  for (std::size_t i = 0; i < kClasses - 5; ++i) {
    const std::uint64_t instances = 10 + (i * 7919 + nth * 104'729) % 5000;
    sample.more_classes.push_back({"com.acme.shop.module" + std::to_string(i % 97) +
                                       ".generated.Type" +
                                       std::to_string(i + nth / 100),  // some come, some go
                                   instances, instances * 40, 0});
  }
  return sample;
}

// In a process of its own, so that its peak is its own; the peak in KB.
long run_apart(const std::function<void()>& task) {
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    task();
    ::_exit(0);
  }
  int status = 0;
  rusage usage{};
  REQUIRE(::wait4(child, &status, 0, &usage) == child);
  CHECK(status == 0);
  return usage.ru_maxrss;
}

void write_reports(const std::filesystem::path& directory) {
  for (std::size_t i = 0; i < kReports; ++i) {
    const std::vector<std::byte> bytes = sample_file(large(i));
    std::ofstream file(directory / ("r" + std::to_string(i) + ".hfr"), std::ios::binary);
    file.write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
  }
}

}  // namespace

TEST_CASE("a trend over a thousand reports of four thousand classes") {
  const TemporaryFile anchor({});
  const std::filesystem::path directory = std::filesystem::path(anchor.path()).parent_path();
  std::filesystem::remove(anchor.path());
  run_apart([&] { write_reports(directory); });
  const std::string page = (directory / "trend.html").string();
  const std::vector<std::vector<std::string>> outputs = {{}, {"--json"}, {"--html", page}};
  for (const std::vector<std::string>& output : outputs) {
    const auto begun = std::chrono::steady_clock::now();
    const long peak_kb = run_apart([&] {
      std::ofstream out("/dev/null");
      std::ostringstream err;
      Surroundings surroundings{out, err};
      std::vector<std::string> arguments{"trend", directory.string()};
      arguments.insert(arguments.end(), output.begin(), output.end());
      if (run_command_line(arguments, surroundings) != ExitCode::kDone) ::_exit(1);
    });
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
    std::printf("trend%s over %zu reports of %zu classes: %.1f s, peak %.1f MB\n",
                output.empty() ? "" : (" " + output.front()).c_str(), kReports, kClasses,
                took.count(), static_cast<double>(peak_kb) / 1024);
    CHECK(peak_kb < kMostKb);
  }
  std::printf("the page has %ju bytes\n", std::uintmax_t{std::filesystem::file_size(page)});
  CHECK(std::filesystem::file_size(page) < kMostPageBytes);
}

}  // namespace holdfast::cli
