// Who holds the instances of the classes that a watch asks about, as the last extended report of the process tells it.
// Why the last report: who refers to what is in the object graph alone, and a sample of a watch has none.
// Shape:  a report is read once, whole, when its dump is another one than before; at most kMostHolderClasses classes are shown, the others
//         counted. Where nothing can be told a remark says why, in one line; that never ends the watch.
// Zone:   offline.   Errors: none; they are remarks.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/report/json_value.h"
#include "cli/report/report_source.h"
#include "cli/talk/agent_report.h"
#include "cli/text/page.h"
#include "common/control/messages.h"

namespace holdfast::cli {

class HolderWatch {
 public:
  static constexpr std::size_t kMostHolderClasses = 3;

  HolderWatch() = default;  // nobody asked
  // `pattern`: as --filter has it.
  HolderWatch(std::string pattern, std::uint32_t pid);

  bool asked() const { return !pattern_.empty(); }
  // Whether the agent should be asked for its status again: at most once a second of the samples' time.
  bool wants_status(std::uint64_t sample_utc_ms) const;
  void look(const control::Status& status, std::uint64_t sample_utc_ms);
  void could_not_look(const std::string& why, std::uint64_t sample_utc_ms);

  // Nothing where nobody asked. At most `lines` lines: classes that do not fit are counted.
  std::size_t line_count(std::size_t lines) const;
  void write(std::size_t lines, std::uint64_t sample_utc_ms, Page& page) const;
  // Absent where nothing has changed since it was asked for last.
  std::optional<Json> changed_json();

 private:
  struct Known;
  void read(const DumpProgress& dump);
  void choose();
  void say(std::string remark);
  std::size_t classes_in(std::size_t lines) const;
  std::string title(std::uint64_t sample_utc_ms) const;

  std::string pattern_;
  std::uint32_t pid_ = 0;
  std::shared_ptr<const AgentReports> reports_;
  std::uint64_t looked_utc_ms_ = 0;
  bool looked_ = false, changed_ = false;
  std::string remark_;             // why nothing is told; empty: something is
  std::uint32_t dump_ = 0;         // its number; 0: there is none
  std::uint64_t dump_utc_ms_ = 0;  // when it was asked for
  std::string report_path_;        // as the agent says it
  std::shared_ptr<Known> known_;   // what rows point into
  std::vector<const HolderClassView*> rows_;
  std::size_t matching_ = 0;
};

}  // namespace holdfast::cli
