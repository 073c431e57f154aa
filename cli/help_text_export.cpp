#include "cli/export/export_format.h"
#include "cli/help_text.h"

namespace holdfast::cli {
namespace {

constexpr std::string_view kExportHead =
    R"(Writes a report in a format that other programs read.

Usage: holdfast export FILE... --format FORMAT [options]

FILE is a report (.hfr), or a snapshot (.hfs) with a report inside. jsonl and
csv take any number of them and make one table.

Formats:
)";

constexpr std::string_view kTail = R"(
Options:
  -o OUT          write a file instead of standard output; an existing one is
                  replaced only when it is empty, or (pprof, csv, openmetrics)
                  was written by 'holdfast export'
  --rows WHAT     of jsonl and csv: classes (default), objects (the largest),
                  packages, loaders, threads, suspects, ages, holders
                  or states
  --stacks WHAT   of pprof and folded: tree (default), or the memory accounts
                  by what they allocated, or by what of that is live
  --top N         of openmetrics: classes with series of their own (50); of the
                  others the sum
  --help          this text

In pprof and folded, stacks are paths of the dominator tree: the flat value of
a class is what it keeps alive beside the nodes below it, the cumulative one is
its retained size. In a simple dump, classes and their shallow sizes. Stacks of
accounts are account, method where methods are known, class.
Rows name file, host, main, pid, started_utc_ms and kind, then have columns of
their own. Text that a spreadsheet would run (= + - @ first) has a ' in front in
CSV.

Examples:
  holdfast export shop.hfr --format pprof -o shop.pb.gz
  go tool pprof -top shop.pb.gz
  holdfast export shop.hfr --format folded | flamegraph.pl > shop.svg
  holdfast export shop.hfr --format folded --stacks allocated > allocated.txt
  holdfast export /var/dumps/*.hfr --format csv -o fleet.csv
)";

constexpr std::size_t kNameColumns = 14;

}  // namespace

std::string export_help() {
  std::string text(kExportHead);
  for (const ExportFormat& format : export_formats()) {
    std::string line = "  " + std::string(format.name);
    line.resize(kNameColumns + 2, ' ');
    text += line.append(format.says).append("\n");
  }
  return text.append(kTail);
}

}  // namespace holdfast::cli
