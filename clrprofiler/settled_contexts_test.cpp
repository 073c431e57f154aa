#include "clrprofiler/settled_contexts.h"

#include <doctest/doctest.h>

#include <atomic>

#include "clrprofiler/fake_contexts.h"
#include "clrprofiler/heap/fake_recording.h"
#include "platforms/clock.h"
#include "platforms/comes_true_for_test.h"
#include "platforms/thread.h"

using namespace holdfast;
using namespace holdfast::clr;
using platforms::comes_true;

namespace {

constexpr int kNet8 = 14;
constexpr std::uint64_t kSoonNs = ModuleGate::kMostWaitNs / 2;
constexpr std::size_t kStackBytes = std::size_t{256} << 10;

struct Bench {
  FakeContexts runtime;
  ProfilerInfo info;
  ModuleGate gate;
  ForcedCollection collection;
  FakeRecording recorded;
  SettledContexts contexts{info, collection, gate};

  explicit Bench(int version = 15) {
    runtime.version = version;
    REQUIRE(info.open(runtime.unknown()).ok());
  }
  void add_plugin() {
    runtime.add_module("Plugin", "/srv/Plugin.dll",
                       COR_PRF_MODULE_DISK | COR_PRF_MODULE_COLLECTIBLE);
  }
  Result<void> settle() { return contexts.settle(recorded.memory().work_arena()); }
};

// Somebody loads a module, or unloads one, some time from now.
class Somebody {
 public:
  enum class Does { kLoad, kUnload };
  Somebody(ModuleGate& gate, Does what, std::uint64_t after_ns)
      : gate_(gate), what_(what), after_ns_(after_ns) {
    REQUIRE(thread_.start("somebody", kStackBytes, &Somebody::run, this) == 0);
  }
  ~Somebody() { thread_.join(); }
  bool passed() const { return passed_; }

 private:
  static void run(void* self) noexcept {
    auto& one = *static_cast<Somebody*>(self);
    platforms::sleep_ns(one.after_ns_);
    if (one.what_ == Does::kLoad) one.gate_.note_load();
    one.what_ == Does::kLoad ? one.gate_.pass_load() : one.gate_.pass_unload();
    one.passed_ = true;
  }
  ModuleGate& gate_;
  Does what_;
  std::uint64_t after_ns_;
  std::atomic<bool> passed_{false};
  platforms::Thread thread_;
};

}  // namespace

TEST_CASE(
    "settled contexts: without collectible modules nothing is collected, and modules wait until it "
    "is over") {
  Bench bench;
  CHECK_FALSE(has_collectible_modules(bench.info));
  REQUIRE(bench.settle().ok());
  CHECK(bench.runtime.collections == 0);
  CHECK(bench.contexts.collections() == 0);
  const Somebody loads(bench.gate, Somebody::Does::kLoad, 0);
  platforms::sleep_ns(20'000'000);
  CHECK_FALSE(loads.passed());
  bench.contexts.release();
}

TEST_CASE(
    "settled contexts: one collection where none is half gone, and all are held until it is over") {
  Bench bench;
  bench.add_plugin();
  bench.runtime.add_context();
  bench.runtime.add_context();
  REQUIRE(bench.settle().ok());
  CHECK(bench.contexts.collections() == 1);
  CHECK(bench.runtime.handles.size() == 2);
  bench.contexts.release();
  CHECK(bench.runtime.handles.empty());
  bench.gate.pass_load(0);
}

TEST_CASE("settled contexts: one that the first collection finds dead goes first") {
  Bench bench;
  bench.add_plugin();
  bench.runtime.add_context();
  bench.runtime.add(bench.runtime.scout);  // of one that has just been collected
  bool could_go = false;
  bench.runtime.at_collection = [&] {
    if (bench.runtime.collections != 2) return;
    could_go = bench.gate.moves() == 1;
    bench.runtime.heap.pop_back();
  };
  {
    const Somebody finalizer(bench.gate, Somebody::Does::kUnload, kUnloadQuietNs / 5);
    REQUIRE(bench.settle().ok());
  }
  CHECK(could_go);
  CHECK(bench.contexts.collections() == 2);
  CHECK(bench.runtime.handles.size() == 1);
}

TEST_CASE(
    "settled contexts: what stays half gone is not waited for beyond the patience, and nobody "
    "waits then") {
  Bench bench;
  bench.add_plugin();
  bench.runtime.add(bench.runtime.scout);
  const auto settled = bench.settle();
  REQUIRE_FALSE(settled);
  CHECK(settled.error().code == ErrorCode::kTooMany);
  CHECK(bench.contexts.collections() > 2);
  CHECK(bench.runtime.handles.empty());
  const Somebody loads(bench.gate, Somebody::Does::kLoad, 0);
  CHECK(comes_true([&] { return loads.passed(); }, kSoonNs));
}

TEST_CASE("settled contexts: what the runtime refuses leaves nobody waiting") {
  Bench bench;
  bench.add_plugin();
  bench.runtime.add_context();
  bench.runtime.refuse_from = 0;
  CHECK_FALSE(bench.settle().ok());
  CHECK(bench.runtime.handles.empty());
  const Somebody loads(bench.gate, Somebody::Does::kLoad, 0);
  CHECK(comes_true([&] { return loads.passed(); }, kSoonNs));
}

TEST_CASE(
    "settled contexts before .NET 9: nothing is held; one that goes while none is loaded is "
    "traffic") {
  Bench quiet(kNet8);
  REQUIRE(quiet.settle().ok());
  CHECK(quiet.runtime.collections == 0);
  Bench traffic(kNet8);
  const Somebody finalizer(traffic.gate, Somebody::Does::kUnload, kUnloadQuietNs / 5);
  REQUIRE(traffic.settle().ok());
  CHECK(traffic.contexts.collections() == 1);
  CHECK(traffic.runtime.handles.empty());
}

TEST_CASE(
    "settled contexts before .NET 9: those that come and go all the time are not waited for") {
  Bench bench(kNet8);
  bench.add_plugin();
  const Somebody loads(bench.gate, Somebody::Does::kLoad, kUnloadStillNs / 2);
  const auto settled = bench.settle();
  REQUIRE_FALSE(settled);
  CHECK(settled.error().code == ErrorCode::kTooMany);
  CHECK(bench.runtime.collections == 0);
}
