#include "common/ages/age_watch.h"

#include <doctest/doctest.h>

#include <atomic>
#include <cstring>
#include <string>

#include "common/await_for_test.h"
#include "common/fake_catalog.h"
#include "platforms/clock.h"

using namespace holdfast;

namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;
constexpr std::uint64_t kMs = 1'000'000;

// A VM that counts a collection when the test says so, and in whose heap there are as many sessions as that.
class AgingVm final : public VmAdapter {
 public:
  std::atomic<std::uint64_t> young{100};
  std::atomic<std::uint64_t> full{0};
  std::atomic<std::uint64_t> sessions{1000};
  std::atomic<std::uint64_t> arrays{1000};
  std::atomic<int> counted{0};
  std::atomic<bool> tells_collections{true};
  std::atomic<bool> refuse{false};
  std::atomic<std::uint64_t> pause_ns{1000};
  FakeCatalog names;
  ClassCount counts[3] = {};  // the last one: of unknown classes

  AgingVm() {
    names.add_class("shop.Session", names.loader("app"));
    names.add_class("shop.Order[]", names.loader("app"));
  }
  VmFacts facts() noexcept override { return {}; }
  Result<void> attach_capture_thread() noexcept override { return {}; }
  void detach_capture_thread() noexcept override {}
  CollectionFigures collections() noexcept override {
    CollectionFigures figures;
    if (!tells_collections) return figures;
    figures.young = young;
    figures.full = full;
    return figures;
  }
  Result<HeapFigures> heap_figures() noexcept override {
    return HeapFigures{32u << 20, 64u << 20, 64u << 20};
  }
  Result<void> capture(const CapturePlan& plan, CaptureMemory&, Capture& out,
                       Notes&) noexcept override {
    ++counted;
    if (refuse) return make_error(ErrorCode::kVm, 112);
    counts[0] = {sessions, sessions * 24};
    counts[1] = {arrays, arrays * 56};
    out.rung = plan.rung;
    out.histogram = counts;
    out.snapshot.catalog = names.catalog();
    out.pause_ns = pause_ns;
    out.heap_before = HeapFigures{32u << 20, 64u << 20, 64u << 20};
    return {};
  }
};

struct Seen {
  std::atomic<int> dumps{0};
  DumpRequest request;
  std::string note;
};
Seen* seen = nullptr;

Result<AnalysisOutcome> remember(AnalysisInput& input) noexcept {
  seen->request = input.record.request;
  if (!input.record.notes.all().empty()) seen->note = input.record.notes.all().front().text;
  ++seen->dumps;
  return AnalysisOutcome{};
}

struct Watched {
  AgingVm vm;
  Seen mine;
  DumpEngine engine;
  AgeWatch watch;

  explicit Watched(std::uint32_t on = 0, bool samples = true) {
    seen = &mine;
    Options options;
    options.cooldown_ns = 0;
    options.on = on;
    options.ages = AgesChoice::kOn;
    options.sample_bytes = 0;
    REQUIRE(engine.open(options, std::uint64_t{64} << 20, vm, {&remember}).ok());
    PatternError error;
    if (samples) REQUIRE(engine.open_accounts(error).ok());
    engine.accounts().set_live_known(true);
    REQUIRE(watch.open(engine).ok());
    REQUIRE(engine.vm_ready().ok());
  }
  ~Watched() {
    watch.close();
    engine.close(platforms::monotonic_ns() + kSecond);
  }
  std::string state() const {
    char text[AgeWatch::kMaxStateText];
    return {text, watch.describe(text)};
  }
  bool await_state(std::string_view part) {
    return await([&] { return state().find(part) != std::string::npos; });
  }
  // A session of those that stay is sampled, then a collection of the whole heap comes; here histograms are in place, and only such a one is clean.
  void collect(std::uint64_t more, bool sampled = true) {
    AccountBook& book = engine.accounts();
    if (sampled) book.sampled({0, 0, book.name("shop.Session")}, 24, {0, vm.collection_count()});
    vm.sessions += more;
    ++vm.full;
  }
  void collect_array(std::uint64_t more) {
    AccountBook& book = engine.accounts();
    book.sampled({0, 0, book.name("shop.Order[]")}, 56, {0, vm.collection_count()});
    vm.arrays += more;
  }
  // That the last collection was looked at, and what it asked for is done.
  void await_seen() {
    const std::uint64_t all = vm.full;
    REQUIRE(await([&] { return engine.age_board().read().collections >= all; }));
    platforms::sleep_ns(AgeWatch::kTickNs / 2);
  }
  // So many collections, no faster than they are looked at.
  void run(int collections, std::uint64_t more) {
    for (int i = 0; i < collections; ++i) {
      collect(more);
      platforms::sleep_ns(AgeWatch::kTickNs + AgeWatch::kTickNs / 2);
    }
  }
};

}  // namespace

TEST_CASE("a class that piles up is named; nobody asked for a dump, and none is taken") {
  Watched run;
  CHECK(run.state().empty());
  run.watch.start();
  REQUIRE(run.await_state("no class piles up: 0 collections"));
  run.run(30, 5);
  CHECK(run.state().find("1 class piles up: shop.Session, ") == 0);
  const AgeVerdict verdict = run.engine.age_board().read();
  CHECK(verdict.on);
  CHECK(verdict.collections >= 25);
  REQUIRE(verdict.count == 1);
  CHECK(std::string(verdict.suspects[0].name) == "shop.Session");
  CHECK(verdict.suspects[0].instances <= run.vm.sessions);
  CHECK(verdict.suspects[0].old_percent > 50);
  CHECK(run.mine.dumps == 0);
}

TEST_CASE("where nothing becomes more nothing is named, and few looks are taken") {
  Watched run;
  run.watch.start();
  REQUIRE(run.await_state("no class piles up"));
  run.run(20, 0);
  CHECK(run.state().find("no class piles up: 20 collections") == 0);
  CHECK(run.engine.age_board().read().count == 0);
}

TEST_CASE("with on=growth one extended dump is taken, and says why") {
  Watched run(kOnGrowth);
  run.watch.start();
  REQUIRE(run.await_state("no class piles up"));
  run.run(30, 5);
  REQUIRE(await([&] { return run.mine.dumps.load() == 1; }));
  CHECK(run.mine.request.trigger == Trigger::kGrowth);
  CHECK(run.mine.request.kind == DumpKind::kExtended);
  CHECK(run.mine.note.find("shop.Session piles up: ") != std::string::npos);
  run.run(4, 5);
  CHECK(run.mine.dumps == 1);  // not twice as many yet
}

TEST_CASE("with on=growth a dump that an array would make waits for the class that holds it") {
  Watched run(kOnGrowth);
  run.watch.start();
  REQUIRE(run.await_state("no class piles up"));
  const auto collect = [&run](int collections, bool sampled) {
    for (int i = 0; i < collections; ++i) {
      run.collect_array(5);
      run.collect(5, sampled);
      run.await_seen();
    }
  };
  collect(12, false);
  collect(10, true);
  REQUIRE(run.await_state("1 class piles up: shop.Order[], "));
  CHECK(run.mine.dumps == 0);
  collect(18, true);
  REQUIRE(await([&] { return run.mine.dumps.load() == 1; }));
  CHECK(run.mine.note.find("shop.Session piles up: ") != std::string::npos);
  collect(6, true);
  CHECK(run.mine.dumps == 1);
}

TEST_CASE("with on=growth a dump is made for an array, too, where nothing tells more") {
  Watched run(kOnGrowth);
  run.watch.start();
  REQUIRE(run.await_state("no class piles up"));
  for (int i = 0; i < 64; ++i) {
    run.collect_array(5);
    run.collect(0, false);
    run.await_seen();
  }
  REQUIRE(await([&] { return run.mine.dumps.load() == 1; }));
  CHECK(run.mine.note.find("shop.Order[] piles up: ") != std::string::npos);
}

TEST_CASE("looks are paid for: those that cost too much are not taken") {
  Watched run;
  run.vm.pause_ns = 800 * kMs;  // two of them, and the credit is used up
  run.watch.start();
  REQUIRE(run.await_state("no class piles up"));
  run.run(16, 5);
  const int counted = run.vm.counted;
  CHECK(counted == 2);
}

TEST_CASE("looks that are refused are paid for, too") {
  Watched run;
  run.vm.refuse = true;
  run.watch.start();
  REQUIRE(run.await_state("no class piles up"));
  run.run(30, 5);
  CHECK(run.vm.counted >= 18);
  CHECK(run.vm.counted <= 22);  // a second, 50 ms each
}

TEST_CASE("what keeps it from working is said") {
  {
    Watched no_samples(0, false);
    no_samples.watch.start();
    CHECK(no_samples.await_state("cannot work: no objects are sampled here"));
  }
  Watched no_collections;
  no_collections.vm.tells_collections = false;
  no_collections.watch.start();
  CHECK(no_collections.await_state("cannot work: this VM does not tell its collections"));
  CHECK_FALSE(no_collections.engine.age_board().read().on);
}
