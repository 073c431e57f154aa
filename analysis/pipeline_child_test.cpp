// The whole analysis in a child made by raw clone, as a frozen dump runs it: it writes its report and allocates nothing.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "analysis/lab/allocation_meter.h"
#include "analysis/lab/test_heap.h"
#include "analysis/pipeline.h"
#include "analysis/report/reader.h"
#include "analysis/report/report_generated.h"
#include "analysis/snapshot_file/snapshot_reader.h"
#include "platforms/child.h"
#include "platforms/clock.h"
#include "platforms/file.h"
#include "platforms/scratch_for_test.h"

using namespace holdfast;
using namespace holdfast::analysis;

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kStackBytes = 256 * 1024;
constexpr std::uint64_t kMillisecond = 1'000'000;
constexpr int kFailed = 1;
constexpr int kAllocated = 2;

alignas(64) std::byte child_stack[kStackBytes];

struct Job {
  AnalysisInput input;
  bool allocates;  // to see that it would be noticed
};

int analyse(void* raw) noexcept {
  auto& job = *static_cast<Job*>(raw);
  const std::uint64_t before = lab::allocations;
  const auto outcome = analyse_and_report(job.input);
  if (job.allocates) {
    void* volatile block = std::malloc(10);
    std::free(block);
  }
  if (!outcome) return kFailed;
  return lab::allocations == before ? 0 : kAllocated;
}

std::int64_t start_child(Job& job) {
  platforms::ChildPlan plan;
  plan.name = "hf analysis";
  plan.stack = child_stack;
  plan.stack_bytes = sizeof child_stack;
  plan.watchdog_seconds = 60;
  plan.body = &analyse;
  plan.argument = &job;
  const std::int64_t pid = platforms::spawn_child(plan);
  REQUIRE(pid > 0);
  return pid;
}

int run_as_child(Job& job) {
  const std::int64_t pid = start_child(job);
  platforms::ChildEnd end = platforms::poll_child(pid);
  while (end.state == platforms::ChildState::kRunning) {
    platforms::sleep_ns(kMillisecond);
    end = platforms::poll_child(pid);
  }
  CHECK(end.state == platforms::ChildState::kExited);
  return end.status;
}

void fill(lab::TestHeap& heap, std::uint32_t sessions) {
  const ClassId session = heap.klass("shop.Session");
  const ObjectId list = heap.object(heap.klass("java.lang.Object[]"), 16 + 8 * sessions);
  heap.static_field(heap.klass("shop.Main", {"sessions"}), "sessions", list);
  for (std::uint32_t i = 0; i < sessions; ++i) heap.element(list, i, heap.object(session, 4096));
  heap.thread("main");
}

fs::path only_file(const platforms::ScratchDirectory& folder, const char* ending) {
  fs::path found;
  for (const auto& entry : fs::directory_iterator(folder.path()))
    if (entry.path().extension() == ending) found = entry.path();
  return found;
}

}  // namespace

TEST_CASE("a child analyses, writes report and snapshot, and takes nothing from the heap") {
  const platforms::ScratchDirectory folder;
  lab::TestHeap heap;
  fill(heap, 20'000);
  Capture capture;
  capture.has_graph = true;
  capture.snapshot = heap.snapshot();
  DumpRecord record;
  Options options;
  std::string(folder.path()).copy(options.dir, sizeof options.dir - 1);
  // Every letter, so that all of the name's making is seen, and names that are taken.
  std::string("%e-%h-%c-%p-%t-%k-%{PATH}.hfr").copy(options.file, sizeof options.file - 1);
  options.snapshot = true;
  const CancelToken cancel;
  lab::TestArena memory(std::uint64_t{64} << 20);
  Job job{{capture, record, options, memory.arena(), memory.ledger(), cancel}, false};

  CHECK(run_as_child(job) == 0);
  CHECK(folder.count() == 2);
  ReportFile file;
  const auto report = file.open(only_file(folder, ".hfr").c_str());
  REQUIRE(report.ok());
  CHECK((*report)->graph()->held_objects() == heap.snapshot().object_count());
  for (const auto* pass : *(*report)->passes()) CHECK(pass->left_out() == 0);
  SnapshotFile graph;
  REQUIRE(graph.open(only_file(folder, ".hfs").c_str()).ok());
  CHECK(graph.snapshot().object_count() == heap.snapshot().object_count());
  // The parent's own memory saw nothing of it, so it can do the same again under the next name.
  CHECK(run_as_child(job) == 0);
  CHECK(folder.count() == 4);

#if HF_COUNTS_MALLOC
  job.allocates = true;
  CHECK(run_as_child(job) == kAllocated);
#endif
  std::string("/nowhere").copy(options.dir, sizeof options.dir - 1);
  options.dir[8] = '\0';
  CHECK(run_as_child(job) == kFailed);
}

TEST_CASE(
    "a child that is killed in an optional pass leaves the basic report, and it counts once") {
  const platforms::ScratchDirectory folder;
  lab::TestHeap heap;
  fill(heap, 60'000);
  Capture capture;
  capture.has_graph = true;
  capture.snapshot = heap.snapshot();
  DumpRecord record;
  Options options;
  std::string(folder.path()).copy(options.dir, sizeof options.dir - 1);
  std::string("shop-%n.hfr").copy(options.file, sizeof options.file - 1);
  options.max_dumps = 1;
  const CancelToken cancel;
  lab::TestArena memory(std::uint64_t{128} << 20);
  Job job{{capture, record, options, memory.arena(), memory.ledger(), cancel}, false};
  // The optional passes of a hard graph: they take longer than the child lives.
  job.input.published = [](void*, const AnalysisOutcome&) noexcept {
    platforms::sleep_ns(60'000 * kMillisecond);
  };
  const std::int64_t pid = start_child(job);
  for (int waits = 0; waits < 60'000 && only_file(folder, ".hfr").empty(); ++waits)
    platforms::sleep_ns(kMillisecond);
  const std::string path = only_file(folder, ".hfr");
  CHECK(platforms::is_being_written(path.c_str()));
  platforms::kill_child(pid);
  while (platforms::poll_child(pid).state == platforms::ChildState::kRunning)
    platforms::sleep_ns(kMillisecond);

  CHECK_FALSE(platforms::is_being_written(path.c_str()));
  CHECK(folder.count() == 1);
  ReportFile file;
  const auto report = file.open(path.c_str());
  REQUIRE(report.ok());
  CHECK((*report)->basic());
  CHECK((*report)->suspects()->size() == 1);
  CHECK((*report)->cuts() == nullptr);
  tidy_reports(job.input);
  CHECK(folder.count() == 1);
  // The next dump's is complete, and the only one that max-dumps keeps.
  job.input.published = nullptr;
  record.sequence = 1;
  CHECK(run_as_child(job) == 0);
  tidy_reports(job.input);
  CHECK(folder.count() == 1);
  const auto next = file.open(only_file(folder, ".hfr").c_str());
  REQUIRE(next.ok());
  CHECK_FALSE((*next)->basic());
}
