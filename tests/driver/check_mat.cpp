// check_mat DUMP.hprof ROWS.csv: every row of `holdfast analyze --like mat --objects` against the oracle's reading of the dump.
// Prints what was compared, the first differences, and how many objects each rule decided about: "rule N COUNT text" lines.
// Exit code 0 when all are equal, 1 when one is not, 2 when a file cannot be read.
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <string>

#include "analysis/lab/mat_oracle.h"
#include "platforms/file.h"

using namespace holdfast;
using namespace holdfast::analysis::lab;

namespace {

constexpr std::uint64_t kShown = 10;

constexpr int kBehindDominator = 3;  // component, reachable, reachable_estimated

// One line: address,class,shallow,retained,immediate_dominator and what stands behind it; the class may have commas. False: no such line.
bool parse(const std::string& line, MatRow& row) {
  std::string field[3];  // from behind: dominator, retained, shallow
  std::size_t end = line.size();
  for (int i = 0; i < kBehindDominator && end != std::string::npos && end > 0; ++i)
    end = line.rfind(',', end - 1);
  for (std::string& one : field) {
    if (end == std::string::npos || end == 0) return false;
    const std::size_t start = line.rfind(',', end - 1);
    if (start == std::string::npos) return false;
    one = line.substr(start + 1, end - start - 1);
    end = start;
  }
  row.address = std::strtoull(line.c_str(), nullptr, 16);
  row.shallow_bytes = std::strtoull(field[2].c_str(), nullptr, 10);
  row.retained_bytes = std::strtoull(field[1].c_str(), nullptr, 10);
  row.dominator =
      field[0] == "0" ? MatRow::kVirtualRoot : std::strtoull(field[0].c_str(), nullptr, 16);
  return true;
}

bool same(const MatRow& a, const MatRow& b) {
  return a.shallow_bytes == b.shallow_bytes && a.retained_bytes == b.retained_bytes &&
         a.dominator == b.dominator;
}

void show(const char* who, const MatRow& row) {
  std::printf("  %s 0x%" PRIx64 ": shallow %" PRIu64 ", retained %" PRIu64 ", dominator 0x%" PRIx64
              "\n",
              who, row.address, row.shallow_bytes, row.retained_bytes, row.dominator);
}

int compare(const MatHeap& mat, std::istream& csv) {
  std::uint64_t rows = 0, different = 0, top_retained = 0;
  std::string line;
  std::getline(csv, line);  // the header
  while (std::getline(csv, line)) {
    MatRow ours;
    if (!parse(line, ours)) return std::printf("not a row: %s\n", line.c_str()), 2;
    ++rows;
    if (ours.dominator == MatRow::kVirtualRoot) top_retained += ours.retained_bytes;
    const MatRow* const theirs = mat.find(ours.address);
    if (theirs != nullptr && same(ours, *theirs)) continue;
    if (++different > kShown) continue;
    show("ours  ", ours);
    if (theirs != nullptr) show("oracle", *theirs);
  }
  std::printf("%" PRIu64 " rows, %zu objects of the oracle, %" PRIu64 " different; %" PRIu64
              " bytes below the root, %" PRIu64 " held; P %" PRIu64 " R %" PRIu64 " A %" PRIu64
              "\n",
              rows, mat.rows.size(), different, top_retained, mat.held_bytes, mat.pointer_bytes,
              mat.reference_bytes, mat.alignment);
  for (std::size_t rule = 1; rule <= kMatRules; ++rule)
    std::printf("rule %zu %" PRIu64 " %s\n", rule, mat.touched[rule - 1], mat_rule_text(rule));
  const bool equal = rows == mat.rows.size() && different == 0 && top_retained == mat.held_bytes;
  return equal && rows > 0 ? 0 : 1;
}

}  // namespace

int main(int count, char** words) {
  if (count != 3) return std::fprintf(stderr, "usage: check_mat DUMP.hprof ROWS.csv\n"), 2;
  platforms::MappedFile dump;
  std::ifstream csv(words[2]);
  if (platforms::map_file(words[1], dump) != 0 || !csv)
    return std::fprintf(stderr, "%s or %s is not readable\n", words[1], words[2]), 2;
  int result = 2;
  try {
    result = compare(mat_oracle({dump.data, static_cast<std::size_t>(dump.bytes)}), csv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", words[1], error.what());
  }
  platforms::unmap_file(dump);
  return result;
}
