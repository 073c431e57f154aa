// One dump's analysis in a directory of its own: what tests of the pipeline begin with.
// Shape:  Dump is filled by the test, run() leaves a report in the folder; the folder goes when it does.   Zone: tests.   Errors: none.
#pragma once

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <string>
#include <vector>

#include "analysis/lab/test_heap.h"
#include "analysis/pipeline.h"

namespace holdfast::analysis {

namespace fs = std::filesystem;

class Folder {
 public:
  Folder() {
    std::string pattern = (fs::temp_directory_path() / "holdfast pipeline XXXXXX").string();
    REQUIRE(::mkdtemp(pattern.data()) != nullptr);
    path_ = pattern;
  }
  ~Folder() { fs::remove_all(path_); }
  std::string text() const { return path_.string(); }
  std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(path_), fs::directory_iterator()));
  }

 private:
  fs::path path_;
};

struct Dump {
  Capture capture;
  DumpRecord record;
  Options options;
  CancelToken cancel;

  explicit Dump(const Folder& folder) {
    const std::string dir = folder.text();
    REQUIRE(dir.size() < sizeof options.dir);
    dir.copy(options.dir, dir.size());
    std::string("Shop").copy(record.vm.main_name, 4);
    std::string("host").copy(record.host, 4);
    record.pid = 42;
    record.sequence = 1;
    record.started_utc_ms = 1'795'249'412'004;
  }
  // Called when the basic report is there, with the dump.
  void (*when_published)(Dump& dump, const AnalysisOutcome& outcome) noexcept = nullptr;

  std::vector<ExpectedTime> expected;  // each time that was reported

  Result<AnalysisOutcome> run(lab::TestArena& memory, const AccountFigures* accounts = nullptr) {
    AnalysisInput input{capture, record, options, memory.arena(), memory.ledger(), cancel};
    input.accounts = accounts;
    input.expecting_context = this;
    input.expecting = [](void* self, const ExpectedTime& time) noexcept {
      static_cast<Dump*>(self)->expected.push_back(time);
    };
    if (when_published != nullptr) {
      input.published_context = this;
      input.published = [](void* self, const AnalysisOutcome& outcome) noexcept {
        auto& dump = *static_cast<Dump*>(self);
        dump.when_published(dump, outcome);
      };
    }
    return analyse_and_report(input);
  }
  void tidy(lab::TestArena& memory) {
    tidy_reports({capture, record, options, memory.arena(), memory.ledger(), cancel});
  }
};

inline void fill(lab::TestHeap& heap, std::uint32_t sessions) {
  const ClassId session = heap.klass("shop.Session");
  const ObjectId list = heap.object(heap.klass("java.lang.Object[]"), 16 + 8 * sessions);
  heap.static_field(heap.klass("shop.Main", {"sessions"}), "sessions", list);
  for (std::uint32_t i = 0; i < sessions; ++i) heap.element(list, i, heap.object(session, 4096));
  heap.thread("main");
}

}  // namespace holdfast::analysis
