#include "jvmti/accounts/allocation_sampler.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "common/arena_for_test.h"
#include "common/fake_vm_adapter.h"
#include "jvmti/fake_vm.h"

using namespace holdfast;
using namespace holdfast::jvmti;

namespace {

struct SampledVm {
  FakeVm vm;
  TestArena book_memory;
  Ledger ledger{std::uint64_t{16} << 20};
  AccountBook book;
  ScriptedVm adapter;
  AllocationSampler sampler;
  JNIEnv* jni = nullptr;
  std::uint32_t main_thread, cart, line, shop_method, outside_method;

  explicit SampledVm(std::uint32_t dimensions = 0, std::string_view text = "shop.*",
                     std::uint64_t interval = 0) {
    PatternError error;
    auto patterns = AccountPatterns::make(text, book_memory.arena(), error);
    REQUIRE_MESSAGE(patterns.ok(), error.text);
    AccountSettings settings;
    settings.mode = AccountMode::kSampled;
    settings.dimensions = dimensions;
    settings.sample_interval_bytes = interval;
    REQUIRE(book.open(std::move(book_memory.arena()), *patterns, settings).ok());
    main_thread = vm.add_thread("main", 1);
    cart = vm.add_class("Lshop/Cart;");
    line = vm.add_class("[Lshop/Cart$Line;");
    shop_method = vm.add_method(cart, "add");
    outside_method = vm.add_method(vm.add_class("LMain;"), "main");
    vm.stack = {shop_method, outside_method};
    vm.phase = JVMTI_PHASE_LIVE;
    REQUIRE(vm.vm().GetEnv(reinterpret_cast<void**>(&jni), JNI_VERSION_1_6) == JNI_OK);
  }
  Result<void> open() { return sampler.open(vm.vm(), book, adapter, ledger); }
  void begin() {
    REQUIRE(open().ok());
    sampler.begin(jni);
  }
  std::uint32_t allocate(std::uint32_t type, jlong bytes = 16) {
    const std::uint32_t object = vm.add_object(type, bytes);
    CHECK(vm.sample(*jni, main_thread, object) == 1);
    CHECK(vm.local_references == 0);
    CHECK(vm.memory_blocks == 0);
    return object;
  }
  // "account class method thread objects bytes live", one line a row.
  std::string rows() {
    TestArena room;
    auto figures = book.read(room.arena());
    REQUIRE(figures.ok());
    losses = figures->losses;
    live_known = figures->live_known;
    std::vector<std::string> lines;
    for (const AccountRow& row : figures->rows) {
      const auto text = [&](StringId id) { return std::string(figures->strings.view(id)); };
      lines.push_back(text(figures->accounts[row.account]) + " " + text(row.class_name) + " " +
                      text(row.method) + " " + text(row.thread) + " " +
                      std::to_string(row.allocated.objects) + " " +
                      std::to_string(row.allocated.bytes) + " " + std::to_string(row.live.objects));
    }
    std::sort(lines.begin(), lines.end());
    std::string all;
    for (const std::string& one : lines) all += one + "\n";
    return all;
  }
  AccountLosses losses;
  bool live_known = false;
};

}  // namespace

TEST_CASE("sampled objects are written down under their account and class, until they die") {
  SampledVm run;
  run.begin();
  const std::uint32_t first = run.allocate(run.cart, 24);
  run.allocate(run.cart, 24);
  run.allocate(run.line, 4000);
  run.vm.stack = {run.outside_method};
  run.allocate(run.line, 40);
  CHECK(run.rows() ==
        "(unaccounted) shop.Cart$Line[]   1 40 1\n"
        "shop.* shop.Cart   2 48 2\n"
        "shop.* shop.Cart$Line[]   1 4000 1\n");
  run.vm.collect(first);
  CHECK(run.rows().find("shop.Cart   2 48 1\n") != std::string::npos);
  CHECK(run.live_known);
}

TEST_CASE("rows are told apart by method and thread when that is asked for") {
  SampledVm run(kByMethod | kByThread);
  run.begin();
  run.allocate(run.cart);
  run.vm.stack = {run.outside_method};
  run.allocate(run.cart);
  CHECK(run.rows() ==
        "(unaccounted) shop.Cart  main 1 16 1\n"
        "shop.* shop.Cart shop.Cart.add main 1 16 1\n");
  const std::uint32_t object = run.vm.add_object(run.cart);
  run.vm.sample(*run.jni, run.vm.add_thread("", 2), object);
  CHECK(run.rows().find("shop.Cart  (no name) 1 16 1\n") != std::string::npos);
  CHECK(run.vm.memory_blocks == 0);
  CHECK(run.vm.local_references == 0);
}

TEST_CASE("the interval is the VM's, events before the begin and after the end are passed over") {
  SampledVm run(0, "shop.*", 65536);
  REQUIRE(run.open().ok());
  CHECK(run.vm.sampling_interval == 65536);
  run.allocate(run.cart);
  CHECK(run.rows().empty());
  run.sampler.begin(run.jni);
  run.allocate(run.cart);
  run.sampler.end();
  run.allocate(run.cart);
  run.sampler.close();
  CHECK(run.vm.environments() == 1);  // silent, and never disposed of
  CHECK(run.vm.sampling_owner == nullptr);
  CHECK(run.vm.sample(*run.jni, run.main_thread, 0) == 0);
}

TEST_CASE("a VM without sampling, and one whose sampling another has, are told apart") {
  SampledVm old;
  old.vm.newest_tool_version = JVMTI_VERSION_9;
  CHECK(old.open().error().code == ErrorCode::kUnsupported);
  SampledVm taken;
  taken.vm.sampling_owner = &taken;
  CHECK(taken.open().error().code == ErrorCode::kRefused);
  for (const char* call :
       {"GetPotentialCapabilities", "AddCapabilities", "SetHeapSamplingInterval",
        "SetEnvironmentLocalStorage", "SetEventCallbacks", "SetEventNotificationMode"}) {
    CAPTURE(call);
    SampledVm run;
    run.vm.fail(call, JVMTI_ERROR_INTERNAL);
    CHECK_FALSE(run.open().ok());
    CHECK(run.vm.environments() == 0);
    run.sampler.begin(run.jni);
    run.sampler.close();
  }
  SampledVm raced;
  raced.vm.fail("AddCapabilities", JVMTI_ERROR_NOT_AVAILABLE);
  CHECK(raced.open().error().code == ErrorCode::kRefused);
}

TEST_CASE("without tags or deaths samples are counted and not followed") {
  SampledVm run;
  run.vm.tells_deaths = false;
  run.begin();
  run.allocate(run.cart);
  CHECK(run.rows() == "shop.* shop.Cart   1 16 0\n");
  CHECK_FALSE(run.live_known);
}

TEST_CASE("what an event is not told is a sample dropped") {
  for (const char* call : {"GetStackTrace", "GetClassSignature"}) {
    CAPTURE(call);
    SampledVm run;
    run.begin();
    run.vm.fail(call, JVMTI_ERROR_INTERNAL);
    run.allocate(run.cart);
    CHECK(run.rows().empty());
    CHECK(run.losses.samples_dropped == 1);
  }
  SampledVm untagged;
  untagged.begin();
  untagged.vm.fail("SetTag", JVMTI_ERROR_OUT_OF_MEMORY);
  untagged.allocate(untagged.cart);
  CHECK(untagged.rows() == "shop.* shop.Cart   1 16 0\n");
  CHECK(untagged.losses.samples_dropped == 1);
}

TEST_CASE("a stack too deep to be looked through is counted as cut") {
  SampledVm run;
  run.begin();
  run.vm.stack.assign(kMaxFrames + 1, run.outside_method);
  run.allocate(run.cart);
  run.vm.stack = {run.shop_method};
  run.allocate(run.cart);
  CHECK(run.rows() ==
        "(unaccounted) shop.Cart   1 16 1\n"
        "shop.* shop.Cart   1 16 1\n");
  CHECK(run.losses.stacks_cut == 1);
}

TEST_CASE("what a thread allocates while it answers us is left out, without end it would go on") {
  SampledVm run(0, "jar:shop.jar");
  run.vm.add_class("Ljava/net/URL;", 0, {"path"});
  run.vm.add_class("Ljava/security/CodeSource;", 0, {"location"});
  run.vm.add_class("Ljava/security/ProtectionDomain;", 0, {"codesource"});
  run.begin();
  int inside = 0;
  run.vm.on_java_call = [&](JNIEnv* jni) {
    ++inside;
    run.vm.sample(*jni, run.main_thread, run.vm.add_object(run.cart));
  };
  run.allocate(run.cart);
  CHECK(inside == 2);  // one call for each method of the stack
  CHECK(run.rows() == "(unaccounted) shop.Cart   1 16 1\n");
  CHECK(run.losses.samples_dropped == 2);
}

TEST_CASE("threads that allocate and a VM that collects at once lose nothing") {
  SampledVm run;
  run.begin();
  constexpr int kThreads = 4;
  constexpr int kEach = 2'000;
  std::vector<std::uint32_t> objects(kThreads * kEach);
  for (std::uint32_t& each : objects) each = run.vm.add_object(run.cart, 24);
  const auto object_of = [&](int thread, int i) {
    return objects[static_cast<std::size_t>(thread) * kEach + static_cast<std::size_t>(i)];
  };
  std::atomic<int> made[kThreads] = {};
  std::vector<std::thread> threads;
  threads.reserve(kThreads + 1);
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      JNIEnv* jni = nullptr;
      run.vm.vm().GetEnv(reinterpret_cast<void**>(&jni), JNI_VERSION_1_6);
      for (int i = 0; i < kEach; ++i, ++made[t])
        run.vm.sample(*jni, run.main_thread, object_of(t, i));
    });
  threads.emplace_back([&] {
    for (int t = 0; t < kThreads; ++t)
      for (int i = 0; i < kEach; i += 2) {
        while (made[t] <= i) std::this_thread::yield();
        run.vm.collect(object_of(t, i));
      }
  });
  for (std::thread& thread : threads) thread.join();
  CHECK(run.rows() == "shop.* shop.Cart   8000 192000 4000\n");
  CHECK(run.vm.local_references == 0);
}
