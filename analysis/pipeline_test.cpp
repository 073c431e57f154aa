#include "analysis/pipeline.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "analysis/lab/test_heap.h"
#include "analysis/pipeline_for_test.h"
#include "analysis/report/reader.h"
#include "analysis/report/report_generated.h"
#include "analysis/snapshot_file/embedded_report.h"
#include "analysis/snapshot_file/snapshot_reader.h"

using namespace holdfast;
using namespace holdfast::analysis;

namespace {

// Half of the 2,000 sessions were seen.
struct OneAccount {
  explicit OneAccount(const char* class_name) {
    figures.strings = *StringTable::make(memory.arena(), 16, 1000);
    accounts[0] = figures.strings.intern(kUnaccountedName);
    accounts[1] = figures.strings.intern("shop.*");
    row.account = 1;
    row.class_name = figures.strings.intern(class_name);
    row.allocated = {3000, 3000 * 4096, 100, 1e6};
    row.live = {1000, 1000 * 4096, 100, 1e6};
    figures.mode = AccountMode::kSampled;
    figures.live_known = true;
    figures.accounts = accounts;
    figures.rows = {&row, 1};
  }
  lab::TestArena memory{std::uint64_t{1} << 20};
  AccountFigures figures;
  StringId accounts[2];
  AccountRow row;
};

std::vector<std::string> left_out(const report::Report& report) {
  std::vector<std::string> names;
  for (const report::PassRow* pass : *report.passes())
    if (pass->left_out() != 0) names.push_back(report.strings()->Get(pass->name())->str());
  return names;
}

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::vector<std::string> notes(const report::Report& report) {
  std::vector<std::string> texts;
  for (const std::uint32_t id : *report.notes()) texts.push_back(report.strings()->Get(id)->str());
  return texts;
}

}  // namespace

TEST_CASE("pipeline: a graph becomes a report with every pass") {
  Folder folder;
  Dump dump(folder);
  lab::TestHeap heap;
  fill(heap, 2000);
  dump.capture.has_graph = true;
  dump.capture.snapshot = heap.snapshot();
  lab::TestArena memory(std::uint64_t{64} << 20);
  auto outcome = dump.run(memory);
  REQUIRE(outcome.ok());
  CHECK(folder.files() == 1);
  ReportFile file;
  auto opened = file.open(outcome->report_path);
  REQUIRE(opened.ok());
  const report::Report& report = **opened;
  CHECK(left_out(report).empty());
  CHECK(report.passes()->size() == 17);
  CHECK(report.graph()->held_objects() == heap.snapshot().object_count());
  REQUIRE(report.suspects()->size() == 1);
  CHECK(report.strings()->Get(report.suspects()->Get(0)->class_name())->str() == "shop.Session");
  CHECK(report.suspects()->Get(0)->instances() == 2000);
  CHECK(report.top_objects()->size() == 50);
  REQUIRE(report.reachable() != nullptr);
  REQUIRE(report.cuts() != nullptr);
  CHECK(report.reachable()->components() == heap.snapshot().object_count());
  CHECK(report.reachable()->hidden()->size() == 0);
  CHECK(report.reachable()->estimated_objects() == 0);
}

TEST_CASE("pipeline: reachable sizes and cuts of a small heap, worked out by hand") {
  Folder folder;
  Dump dump(folder);
  lab::TestHeap heap;
  // Two registries share their sessions; a third one's are its own.
  const ClassId session = heap.klass("shop.Session", {"registry"});
  const ClassId array = heap.klass("java.lang.Object[]");
  const ObjectId shared = heap.object(array, 96), own = heap.object(array, 96);
  const ObjectId owner = heap.object(heap.klass("shop.Owner", {"sessions"}), 24);
  for (std::uint32_t i = 0; i < 10; ++i) {
    const ObjectId one = heap.object(session, 1000);
    heap.element(own, i, one);
    heap.field(one, "registry", owner);  // they all reach each other
    heap.element(shared, i, heap.object(session, 800));
  }
  heap.static_field(heap.klass("shop.Reader", {"sessions"}), "sessions", shared);
  heap.static_field(heap.klass("shop.Writer", {"sessions"}), "sessions", shared);
  heap.field(owner, "sessions", own);
  heap.static_field(heap.klass("shop.Owners", {"owner"}), "owner", owner);
  dump.capture.has_graph = true;
  dump.capture.snapshot = heap.snapshot();
  const Snapshot& s = dump.capture.snapshot;
  const std::uint64_t class_object = s.shallow_bytes(heap.class_object(heap.klass("shop.Reader")));
  lab::TestArena memory(std::uint64_t{64} << 20);
  auto outcome = dump.run(memory);
  REQUIRE(outcome.ok());
  ReportFile file;
  auto opened = file.open(outcome->report_path);
  REQUIRE(opened.ok());
  const report::Report& report = **opened;
  const auto text = [&](std::uint32_t id) { return report.strings()->Get(id)->str(); };
  const auto object = [&](std::uint32_t row) { return report.objects()->Get(row); };

  const report::ReachableFacts& reachable = *report.reachable();
  REQUIRE(reachable.hidden()->size() == 2);
  const char* const holders[] = {"shop.Reader", "shop.Writer"};
  for (std::uint32_t i = 0; i < 2; ++i) {
    const report::ObjectRow& hidden = *object(reachable.hidden()->Get(i));
    CHECK(text(hidden.class_object_of()) == holders[i]);
    CHECK(hidden.retained_bytes() == class_object);
    CHECK(hidden.reachable_bytes() == class_object + 96 + 10 * 800);
    CHECK_FALSE(hidden.reachable_estimated());
  }
  CHECK(reachable.components() == s.object_count() - 11);  // owner, array and sessions are one
  std::uint64_t counted = 0;
  for (const report::DifferenceRow* row : *reachable.differences()) counted += row->objects();
  CHECK(counted == report.graph()->held_objects());
  CHECK(reachable.differences()->Get(1)->objects() == 12);  // the own sessions, and the holders
  const report::ObjectRow& largest = *object(report.top_objects()->Get(0));
  CHECK(text(largest.class_object_of()) == "shop.Owners");
  CHECK(largest.reachable_bytes() == largest.retained_bytes());
  for (const report::ClassRow* row : *report.classes())
    if (text(row->name()) == "shop.Session")
      CHECK(row->largest_reachable_bytes() == 24 + 96 + 10 * 1000);

  const report::CutFacts& cuts = *report.cuts();
  CHECK(cuts.cyclic_components() == 1);
  CHECK(cuts.cyclic_objects() == 12);
  CHECK(cuts.largest_component_objects() == 12);
  CHECK(cuts.parts() == 2);
  CHECK(object(cuts.most_referrers()->Get(0)->object())->retained_bytes() == 24 + 96 + 10'000);
  REQUIRE(cuts.cuts()->size() >= 1);
  const report::CutRow& first = *cuts.cuts()->Get(0);
  CHECK(text(object(first.referrer())->class_object_of()) == "shop.Owners");
  CHECK(first.reference()->kind() == report::StepKind::StaticField);
  CHECK(text(first.reference()->name()) == "owner");
  CHECK(text(object(first.reference()->object())->class_name()) == "shop.Owner");
  CHECK(first.references() == 1);
  CHECK(first.freed_objects() == 12);
  CHECK(first.freed_bytes() == 24 + 96 + 10 * 1000);
  for (const report::CutRow* cut : *cuts.cuts())  // two hold it: no cut frees it
    CHECK(object(cut->reference()->object())->shallow_bytes() != 96);
}

TEST_CASE("pipeline: accounts, calibrated by the classes that were captured") {
  Folder folder;
  Dump dump(folder);
  lab::TestHeap heap;
  fill(heap, 2000);
  dump.capture.has_graph = true;
  dump.capture.snapshot = heap.snapshot();
  lab::TestArena memory(std::uint64_t{64} << 20);
  OneAccount book("shop.Session");
  auto outcome = dump.run(memory, &book.figures);
  REQUIRE(outcome.ok());
  ReportFile file;
  auto opened = file.open(outcome->report_path);
  REQUIRE(opened.ok());
  const report::Report& report = **opened;
  CHECK(report.passes()->size() == 18);
  REQUIRE(report.accounts() != nullptr);
  const report::AccountRow& shop = *report.accounts()->accounts()->Get(0);
  CHECK(report.strings()->Get(shop.account())->str() == "shop.*");
  CHECK(shop.allocated_bytes_error() == 1000);
  CHECK(shop.calibrated_objects() == 2000);
  CHECK(shop.calibrated_bytes() == 2000 * 4096);
  CHECK(report.accounts()->heap_bytes() == report.graph()->shallow_bytes());
}

TEST_CASE("pipeline: a simple dump calibrates accounts by its histogram") {
  Folder folder;
  Dump dump(folder);
  lab::TestArena memory(std::uint64_t{64} << 20), names(std::uint64_t{1} << 20);
  Catalog& catalog = dump.capture.snapshot.catalog;
  catalog.strings = *StringTable::make(names.arena(), 16, 1000);
  ClassRow classes[1];
  classes[0].name = catalog.strings.intern("byte[]");
  catalog.classes = classes;
  ClassCount counts[2] = {{10, 5000}, {}};
  dump.capture.histogram = counts;
  OneAccount book("byte[]");
  auto outcome = dump.run(memory, &book.figures);
  REQUIRE(outcome.ok());
  ReportFile file;
  auto opened = file.open(outcome->report_path);
  REQUIRE(opened.ok());
  CHECK((*opened)->accounts()->accounts()->Get(0)->calibrated_objects() == 10);
  CHECK((*opened)->accounts()->explained_bytes() == 5000);
}

TEST_CASE("pipeline: what the system has no room for is left out, without harm to the rest") {
  Folder folder;
  lab::TestHeap heap;
  fill(heap, 150'000);
  for (const std::uint64_t room : {std::uint64_t{0}, UINT64_MAX}) {
    CAPTURE(room);
    Dump dump(folder);
    dump.capture.has_graph = true;
    dump.capture.snapshot = heap.snapshot();
    dump.record.plan.system_room_bytes = room;
    lab::TestArena memory(std::uint64_t{64} << 20);
    auto outcome = dump.run(memory);
    REQUIRE(outcome.ok());
    ReportFile file;
    auto opened = file.open(outcome->report_path);
    REQUIRE(opened.ok());
    const std::vector<std::string> missing = left_out(**opened);
    CHECK(missing == (room == 0
                          ? std::vector<std::string>{"condensation", "reachable sizes", "cuts"}
                          : std::vector<std::string>{}));
    CHECK(((*opened)->reachable() == nullptr) == (room == 0));
    CHECK(((*opened)->cuts() == nullptr) == (room == 0));
    CHECK((*opened)->suspects()->size() == 1);
    CHECK((*opened)->top_objects()->size() == 50);
  }
}

TEST_CASE(
    "pipeline: an analysis that is not wanted is not made, and those wanted get what they need") {
  struct Case {
    std::uint32_t wanted;
    std::vector<std::string> passes;
  };
  const Case cases[] = {
      {0, {"count references", "reachability", "classes"}},
      {kAnalyseStatistics, {"count references", "dominators", "classes", "statistics"}},
      {kAnalyseRetained, {"count references", "dominators", "classes"}},
      {kAnalyseTree, {"count references", "dominators", "classes", "upper dominator tree"}},
      {kAnalyseThreads | kAnalyseLoaders,
       {"count references", "dominators", "classes", "loaders", "threads"}},
      {kAnalyseObjects,
       {"count references", "dominators", "reachability", "classes", "top objects", "root paths",
        "heap states"}},
      {kAnalyseSuspects,
       {"count references", "dominators", "reachability", "classes", "suspects", "heap states"}},
      {kAnalyseReachable,
       {"count references", "dominators", "classes", "condensation", "reachable sizes"}},
      {kAnalyseCuts, {"count references", "dominators", "classes", "condensation", "cuts"}},
  };
  for (const Case& one : cases) {
    CAPTURE(one.wanted);
    Folder folder;
    Dump dump(folder);
    lab::TestHeap heap;
    fill(heap, 2000);
    dump.capture.has_graph = true;
    dump.capture.snapshot = heap.snapshot();
    dump.options.analyses = one.wanted;
    lab::TestArena memory(std::uint64_t{64} << 20);
    auto outcome = dump.run(memory);
    REQUIRE(outcome.ok());
    ReportFile file;
    auto opened = file.open(outcome->report_path);
    REQUIRE(opened.ok());
    std::vector<std::string> ran;
    for (const report::PassRow* pass : *(*opened)->passes())
      ran.push_back((*opened)->strings()->Get(pass->name())->str());
    CHECK(ran == one.passes);
    CHECK(left_out(**opened).empty());
    CHECK((*opened)->suspects()->size() == (one.wanted == kAnalyseSuspects ? 1 : 0));
    CHECK(((*opened)->reachable() != nullptr) == (one.wanted == kAnalyseReachable));
    CHECK(((*opened)->cuts() != nullptr) == (one.wanted == kAnalyseCuts));
    std::uint64_t instances = 0;
    for (const report::ClassRow* row : *(*opened)->classes()) instances += row->instances();
    CHECK(instances == heap.snapshot().object_count());
    CHECK((*opened)->graph()->held_objects() == heap.snapshot().object_count());
    CHECK((*opened)->graph()->held_bytes() == (*opened)->graph()->shallow_bytes());
  }
}

TEST_CASE("pipeline: what does not fit is left out with its reason, the rest runs") {
  Folder folder;
  Dump dump(folder);
  lab::TestHeap heap;
  fill(heap, 150'000);
  dump.capture.has_graph = true;
  dump.capture.snapshot = heap.snapshot();
  lab::TestArena memory(5u << 20);  // dominators want 36 B an object, 5.4 MB
  auto outcome = dump.run(memory);
  REQUIRE(outcome.ok());
  ReportFile file;
  auto opened = file.open(outcome->report_path);
  REQUIRE(opened.ok());
  const std::vector<std::string> missing = left_out(**opened);
  CHECK(has(missing, "dominators"));
  CHECK(has(missing, "suspects"));
  CHECK(has(missing, "condensation"));
  CHECK(has(missing, "cuts"));
  CHECK_FALSE(has(missing, "reachability"));
  CHECK_FALSE(has(missing, "classes"));
  std::uint64_t instances = 0;
  for (const report::ClassRow* row : *(*opened)->classes()) instances += row->instances();
  CHECK(instances == heap.snapshot().object_count());
}

TEST_CASE("pipeline: a histogram without a graph is a report, too") {
  Folder folder;
  Dump dump(folder);
  lab::TestHeap heap;
  heap.klass("shop.Session");
  dump.capture.snapshot = heap.snapshot();
  std::vector<ClassCount> histogram = {{7, 700}, {1, 16}};
  dump.capture.histogram = histogram;
  lab::TestArena memory(std::uint64_t{16} << 20);
  auto outcome = dump.run(memory);
  REQUIRE(outcome.ok());
  ReportFile file;
  auto opened = file.open(outcome->report_path);
  REQUIRE(opened.ok());
  CHECK((*opened)->graph() == nullptr);
  CHECK((*opened)->classes_total() == 2);
  CHECK((*opened)->classes()->Get(0)->shallow_bytes() == 700);
}

TEST_CASE("pipeline: a cancelled dump leaves no file and takes no memory with it") {
  Folder folder;
  Dump dump(folder);
  lab::TestHeap heap;
  fill(heap, 20'000);
  dump.capture.has_graph = true;
  dump.capture.snapshot = heap.snapshot();
  dump.cancel.cancel();
  lab::TestArena memory(std::uint64_t{64} << 20);
  auto outcome = dump.run(memory);
  REQUIRE(!outcome.ok());
  CHECK(outcome.error().code == ErrorCode::kCancelled);
  CHECK(folder.files() == 0);
}

TEST_CASE("pipeline: names go on by number, and only the newest reports stay") {
  Folder folder;
  lab::TestHeap heap;
  fill(heap, 10);
  lab::TestArena memory(std::uint64_t{64} << 20);
  std::string last;
  for (int i = 0; i < 5; ++i) {
    Dump dump(folder);
    dump.options.max_dumps = 3;
    dump.capture.has_graph = true;
    dump.capture.snapshot = heap.snapshot();
    ArenaScope scope(memory.arena());
    auto outcome = dump.run(memory);
    REQUIRE(outcome.ok());
    CHECK(last != outcome->report_path);
    last = outcome->report_path;
    if (i == 4)
      CHECK(folder.files() == 4);  // the analysis itself, which may be a child, leaves them
    dump.tidy(memory);
    CHECK(fs::exists(last));
  }
  CHECK(folder.files() == 3);
}

TEST_CASE(
    "pipeline: a kept snapshot has the report inside, byte for byte, and the report names it") {
  Folder folder;
  Dump dump(folder);
  dump.options.snapshot = true;
  lab::TestHeap heap;
  fill(heap, 2000);
  dump.capture.has_graph = true;
  dump.capture.snapshot = heap.snapshot();
  lab::TestArena memory(std::uint64_t{64} << 20);
  auto outcome = dump.run(memory);
  REQUIRE(outcome.ok());
  CHECK(folder.files() == 2);
  const fs::path path = fs::path(outcome->report_path).replace_extension(".hfs");
  EmbeddedReport inside;
  REQUIRE(inside.open(path.c_str()).ok());
  auto report = check_report(inside.image());
  REQUIRE(report.ok());
  CHECK(has(notes(**report),
            "snapshot kept: " + path.filename().string() + ", with this report inside"));
  std::ifstream beside(outcome->report_path, std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(beside), {});
  CHECK(bytes ==
        std::string(reinterpret_cast<const char*>(inside.image().data()), inside.image().size()));
  SnapshotFile graph;
  REQUIRE(graph.open(path.c_str()).ok());
  CHECK(graph.snapshot().object_count() == heap.snapshot().object_count());
}

TEST_CASE("pipeline: a snapshot that cannot be kept is no longer promised") {
  Folder folder;
  lab::TestHeap heap;
  fill(heap, 10);
  lab::TestArena memory(std::uint64_t{64} << 20);
  Dump first(folder);
  first.capture.has_graph = true;
  first.capture.snapshot = heap.snapshot();
  first.options.snapshot = true;
  const auto outcome = first.run(memory);
  REQUIRE(outcome.ok());
  REQUIRE(fs::remove(outcome->report_path));  // its snapshot stays, and takes the name

  Dump dump(folder);
  dump.capture.has_graph = true;
  dump.capture.snapshot = heap.snapshot();
  dump.options.snapshot = true;
  auto again = dump.run(memory);
  REQUIRE(again.ok());
  CHECK(std::string(again->report_path) == outcome->report_path);
  ReportFile file;
  auto report = file.open(again->report_path);
  REQUIRE(report.ok());
  const std::vector<std::string> said = notes(**report);
  REQUIRE(said.size() == 1);
  CHECK(said[0].starts_with("no snapshot kept: "));

  dump.capture.has_graph = false;
  dump.record.notes.clear();
  auto simple = dump.run(memory);
  REQUIRE(simple.ok());
  auto opened = file.open(simple->report_path);
  REQUIRE(opened.ok());
  CHECK(has(notes(**opened), "no snapshot kept: this dump has no graph"));
}

namespace {

// A heap whose references are handed over, object by object.
struct Handed {
  const Snapshot& snapshot;
  int fails_at = -1;
  static Result<void> feed(void* context, SnapshotStream& stream) noexcept {
    const Handed& self = *static_cast<Handed*>(context);
    const Snapshot& s = self.snapshot;
    for (std::uint32_t v = 0; v < s.object_count(); ++v) {
      if (static_cast<int>(v) == self.fails_at) return make_error(ErrorCode::kInconsistent, v);
      const std::uint32_t first = s.first_ref[v];
      const std::uint32_t count = s.first_ref[v + 1] - first;
      HF_CHECK_OK(stream.append(s.class_of.subspan(v, 1), s.shallow_units.subspan(v, 1),
                                s.first_ref.subspan(v, 2), s.target.subspan(first, count),
                                s.label.subspan(first, count)));
    }
    return {};
  }
};

struct StreamedDump : Dump {
  lab::TestHeap heap;
  std::vector<ClassCount> histogram;

  explicit StreamedDump(const Folder& folder) : Dump(folder) {
    fill(heap, 2000);
    const Snapshot& s = heap.snapshot();
    histogram.resize(s.catalog.classes.size() + 1);
    for (std::uint32_t v = 0; v < s.object_count(); ++v) {
      ClassCount& row = histogram[s.class_of[v].value];
      ++row.instances;
      row.shallow_bytes += s.shallow_bytes(ObjectId{v});
    }
    capture.rung = CaptureRung::kFrozenWritten;
    capture.snapshot.catalog = s.catalog;
    capture.histogram = histogram;
    std::strcpy(options.file, "%e-%k-%n.hfr");
  }
  Result<AnalysisOutcome> stream(lab::TestArena& memory, int fails_at = -1) {
    const Snapshot& s = heap.snapshot();
    Handed handed{s, fails_at};
    AnalysisInput input{capture, record, options, memory.arena(), memory.ledger(), cancel};
    return stream_and_report(input,
                             {s.catalog, s.roots, histogram, s.object_count(), s.reference_count(),
                              s.losses, s.shallow_unit_bytes},
                             {&handed, &Handed::feed});
  }
};

}  // namespace

TEST_CASE(
    "pipeline: a graph that is streamed leaves a report that says how to go on, also inside") {
  Folder folder;
  StreamedDump dump(folder);
  lab::TestArena memory(std::uint64_t{16} << 20);
  auto outcome = dump.stream(memory);
  REQUIRE(outcome.ok());
  CHECK(folder.files() == 2);
  CHECK(fs::path(outcome->report_path).filename() == "Shop-extended-1.hfr");
  ReportFile file;
  auto opened = file.open(outcome->report_path);
  REQUIRE(opened.ok());
  const report::Report& report = **opened;
  CHECK(report.graph() == nullptr);
  CHECK(report.capture()->kind() == report::DumpKind::Extended);
  CHECK(report.strings()->Get(report.capture()->rung())->str() == "frozen, written");
  CHECK(has(notes(report),
            "the object graph was written, not analysed here; run: holdfast analyze "
            "Shop-extended-1.hfs"));
  std::uint64_t instances = 0;
  for (const report::ClassRow* row : *report.classes()) instances += row->instances();
  CHECK(instances == dump.heap.snapshot().object_count());

  const fs::path path = fs::path(outcome->report_path).replace_extension(".hfs");
  EmbeddedReport inside;
  REQUIRE(inside.open(path.c_str()).ok());
  CHECK(check_report(inside.image()).ok());
  CHECK(inside.image().size() == fs::file_size(outcome->report_path));
  SnapshotFile graph;
  REQUIRE(graph.open(path.c_str()).ok());
  CHECK(graph.snapshot().object_count() == dump.heap.snapshot().object_count());
  CHECK(graph.snapshot().reference_count() == dump.heap.snapshot().reference_count());
}

TEST_CASE("pipeline: where the stream breaks off, the report says so and promises no snapshot") {
  Folder folder;
  StreamedDump dump(folder);
  lab::TestArena memory(std::uint64_t{16} << 20);
  auto outcome = dump.stream(memory, 700);
  REQUIRE(outcome.ok());
  CHECK(folder.files() == 1);
  ReportFile file;
  auto opened = file.open(outcome->report_path);
  REQUIRE(opened.ok());
  const std::vector<std::string> said = notes(**opened);
  REQUIRE(said.size() == 1);
  CHECK(said[0].starts_with("no snapshot kept: "));
  CHECK(said[0].ends_with("(700)"));

  Folder other;
  StreamedDump cancelled(other);
  cancelled.cancel.cancel();
  CHECK(cancelled.stream(memory).error().code == ErrorCode::kCancelled);
  CHECK(other.files() == 0);
}
