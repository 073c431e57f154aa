// What two or more reports have to do with each other: the same program, the same process, in which order, counted alike?
// Why: figures of reports that have nothing in common can be subtracted as well as any others, and mean nothing.
// Shape:  plain values and questions to pairs of them; no name points anywhere, so facts outlive the report.
// Zone:   offline.   Errors: none.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/report/report_view.h"

namespace holdfast::cli {

// What a report's classes count: what is held; what is reached by any reference; or all of the heap, garbage included.
enum class Counted : std::uint8_t { kHeld, kReached, kAll };

// A state of the heap (section `states`), or what of the heap in use was not reached.
struct StateFigures {
  std::string_view state;  // a word of ours
  std::optional<std::uint64_t> objects;
  std::uint64_t bytes = 0;
};

struct ReportFacts {
  std::string file;
  std::string main_name, vm_name, vm_version, host, container;
  std::uint32_t pid = 0;
  std::uint32_t sequence = 0;
  std::uint64_t dumped_utc_ms = 0;
  std::uint64_t uptime_ms = 0;  // of the VM at the dump; 0: not known
  std::string trigger, rung, retain;
  bool extended = false;
  bool graph = false;
  bool retained = false;  // the classes have retained sizes
  bool imported = false;
  bool mat_rules = false;
  bool heap_complete = true;
  Counted counted = Counted::kAll;
  std::uint64_t heap_used_bytes = 0;  // by the VM, before the dump; 0: not known
  std::uint64_t report_bytes = 0;
  std::vector<StateFigures> states;  // all of them, "not_reached" the last; empty: not known

  std::uint64_t vm_start_ms() const;  // 0: not known
  std::string place() const;          // "pid 42 on web1"
};
ReportFacts facts_of(const ReportView& view, const std::string& file);

bool same_program(const ReportFacts& a, const ReportFacts& b);
// Of the same start, too: numbers of processes are used again.
bool same_process(const ReportFacts& a, const ReportFacts& b);
bool same_dump(const ReportFacts& a, const ReportFacts& b);

std::string_view word(Counted counted);    // "held", "reached", "all"
std::string_view phrase(Counted counted);  // "what is held", ...

struct CompareWarning {
  std::string code;  // snake_case, stable
  std::string text;  // a sentence
};
// What the two are called.
struct PairNames {
  std::string before = "the first report";
  std::string after = "the second report";
};
// What makes the difference of these two less than it seems; the worst first.
std::vector<CompareWarning> warnings_of(const ReportFacts& before, const ReportFacts& after,
                                        const PairNames& names = {});

}  // namespace holdfast::cli
