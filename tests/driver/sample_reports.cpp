// sample_reports DIR: report files for the tests of the page: plain, simple, with analyses not asked for or left out, hostile names, the largest.
// Why here: the formats are made by C++, the browser is driven by Python.
// Shape:  shop.hfr, simple.hfr, classes.hfr, losses.hfr, hostile.hfr, largest.hfr.   Zone: tests.   Errors: exit code 1.
#include <cstdio>
#include <fstream>
#include <span>
#include <string>

#include "analysis/report/report_fixture.h"
#include "cli/report/sample_report_for_test.h"

namespace {

using holdfast::analysis::ReportFixture;
using holdfast::cli::sample_file;

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

bool write_largest(const std::string& path) {
  ReportFixture fixture({.classes = 4000,
                         .loaders = 800,
                         .packages = 700,
                         .threads = 600,
                         .objects = 20000,
                         .tree = 2000,
                         .tops = 50,
                         .suspects = 20,
                         .path_steps = 64,
                         .name_bytes = 170});
  return write(path, fixture.image());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 1;
  const std::string directory = std::string(argv[1]) + '/';
  const bool done =
      write(directory + "shop.hfr", sample_file({})) &&
      write(directory + "simple.hfr", sample_file({.simple = true})) &&
      write(directory + "classes.hfr", sample_file({.only_classes = true})) &&
      write(directory + "losses.hfr", sample_file({.suspects = false, .losses = true})) &&
      write(directory + "hostile.hfr", sample_file({.session_class = kHostileClass,
                                                    .thread_name = kHostileThread,
                                                    .note = kHostileNote})) &&
      write_largest(directory + "largest.hfr");
  return done ? 0 : 1;
}
