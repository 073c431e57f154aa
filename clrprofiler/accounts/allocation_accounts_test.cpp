#include "clrprofiler/accounts/allocation_accounts.h"

#include <doctest/doctest.h>

#include <cmath>
#include <thread>

#include "clrprofiler/accounts/accounts_fixture.h"
#include "common/accounts/sample_weight.h"
#include "platforms/clock.h"

using namespace holdfast;
using namespace holdfast::clr;

namespace {

struct RunningBench : AccountsBench {
  Ledger ledger{std::uint64_t{64} << 20};
  AllocationAccounts accounts;

  explicit RunningBench(std::string_view patterns = "shop.Cart", std::uint32_t dimensions = 0,
                        bool steady = true)
      : AccountsBench(patterns, dimensions, kSampledEveryBytes, steady) {}
  ~RunningBench() { accounts.end(); }
  Result<void> begin() {
    HF_CHECK_OK(accounts.reserve(ledger));
    return accounts.begin(info, book, false);
  }
  AccountSum of(std::string_view account) {
    REQUIRE(accounts.settle());
    return AccountSum(read(), account);
  }
};

// So large that each of them is sampled for certain.
constexpr std::uint64_t kLarge = std::uint64_t{16} << 20;

}  // namespace

TEST_CASE("from an allocation to its account, and out of it when the object is gone") {
  RunningBench b;
  const ClassID order = b.runtime.get("shop.Order");
  const FunctionID add = b.runtime.method("shop.Cart", "Add");
  REQUIRE(b.begin());
  CHECK(b.runtime.keywords == 0x80000000000u);
  CHECK(b.runtime.level == 4);
  std::vector<ObjectID> objects(10);
  for (ObjectID& each : objects) each = b.runtime.allocate(order, kLarge, {add});
  AccountSum sum = b.of("shop.Cart");
  CHECK(sum.samples == 10);
  CHECK(sum.allocated.bytes == 10 * kLarge);
  CHECK(sum.live.bytes == 10 * kLarge);
  for (int i = 0; i < 4; ++i) b.runtime.collect(objects[static_cast<std::size_t>(i)]);
  sum = b.of("shop.Cart");
  CHECK(sum.allocated.bytes == 10 * kLarge);
  CHECK(sum.live.bytes == 6 * kLarge);
  b.accounts.end();
  CHECK(b.runtime.sessions == 0);
  CHECK(b.runtime.open_handle_count() == 0);
  CHECK(b.runtime.open_handles() == 0);
  b.runtime.allocate(order, kLarge, {add});
  CHECK(AccountSum(b.read(), "shop.Cart").samples == 10);
}

TEST_CASE("samples that cost too much become fewer, and stand for as much") {
  RunningBench b("shop.Cart", 0, false);
  const ClassID order = b.runtime.get("shop.Order");
  const FunctionID add = b.runtime.method("shop.Cart", "Add");
  REQUIRE(b.begin());
  SamplingPace& pace = b.book.pace();
  const std::uint64_t before_ns = platforms::monotonic_ns() - SamplingPace::kWindowNs;
  pace.took(before_ns, before_ns + 1);
  for (std::uint64_t i = 0; i < 40; ++i)
    pace.took(before_ns, before_ns + SamplingPace::kMostNs);  // 4 %
  pace.took(before_ns, before_ns + SamplingPace::kWindowNs + 1);
  REQUIRE(pace.raises() == 3);
  constexpr std::uint64_t kBytes = 50'000;
  constexpr int kTold = 4'000;
  for (int i = 0; i < kTold; ++i) b.runtime.allocate(order, kBytes, {add});
  const AccountSum sum = b.of("shop.Cart");
  CHECK(sum.samples > 100);
  CHECK(sum.samples < kTold / 2);
  const double truth = kTold * sample_weight(kBytes, kSampledEveryBytes);
  for (const AccountAmount& amount : {sum.allocated, sum.live})
    CHECK(std::abs(static_cast<double>(amount.objects) - truth) <=
          4 * std::sqrt(amount.objects_variance));
}

TEST_CASE("before .NET 10 the session asks for ticks, and before .NET 7 nobody is followed") {
  RunningBench b;
  b.runtime.major = 6;
  b.runtime.version = 12;
  REQUIRE(b.info.open(b.runtime.unknown()));
  const ClassID order = b.runtime.get("shop.Order");
  REQUIRE(b.begin());
  CHECK(b.runtime.keywords == 0x1u);
  CHECK(b.runtime.level == 5);
  FakeAllocations::stack = {b.runtime.method("shop.Cart", "Add")};
  FakeAllocations::deliver(fake_allocation_tick(order, 0x100, kLarge, kLarge),
                           FakeAllocations::kRuntime, 4);
  CHECK(b.of("shop.Cart").samples == 1);
  CHECK_FALSE(b.read().live_known);
}

TEST_CASE("another provider's events are none, and what is not understood is counted") {
  RunningBench b;
  const FakeEvent event = fake_allocation_sampled(b.runtime.get("shop.Order"), 0x100, kLarge);
  REQUIRE(b.begin());
  FakeAllocations::deliver(event, FakeAllocations::kStranger);
  FakeEvent cut = event;
  cut.bytes.pop_back();
  FakeAllocations::deliver(cut);
  REQUIRE(b.accounts.settle());
  CHECK(b.read().losses.samples_dropped == 1);
  CHECK(AccountSum(b.read(), kUnaccountedName).samples == 0);
}

TEST_CASE("a session that is refused leaves nothing behind") {
  RunningBench b;
  b.runtime.start_answer = E_FAIL;
  const Result<void> begun = b.begin();
  REQUIRE_FALSE(begun);
  CHECK(begun.error().code == ErrorCode::kVm);
  CHECK_FALSE(b.accounts.running());
  FakeAllocations::deliver(fake_allocation_sampled(b.runtime.get("shop.Order"), 0x100, kLarge));
  CHECK_FALSE(b.accounts.settle());
}

TEST_CASE("a runtime without sessions has no accounts") {
  RunningBench b;
  b.runtime.version = 11;
  REQUIRE(b.info.open(b.runtime.unknown()));
  const Result<void> begun = b.begin();
  REQUIRE_FALSE(begun);
  CHECK(begun.error().code == ErrorCode::kUnsupported);
}

TEST_CASE("whoever unloads waits until what is there has been named, and nothing is remembered") {
  RunningBench b;
  const ClassID order = b.runtime.get("shop.Order");
  const FunctionID function = b.runtime.method("shop.Cart", "Add");
  REQUIRE(b.begin());
  b.runtime.allocate(order, kLarge, {function});
  b.accounts.pass_unload();
  // The same id is another function's now.
  b.runtime.functions[function - 1] =
      b.runtime.functions[b.runtime.method("shop.Other", "Add") - 1];
  b.runtime.allocate(order, kLarge, {function});
  CHECK(b.of("shop.Cart").samples == 1);
  CHECK(b.of(kUnaccountedName).samples == 1);
}

TEST_CASE("threads are told apart by name") {
  RunningBench b("shop.Cart", kByThread);
  const ClassID order = b.runtime.get("shop.Order");
  const FunctionID add = b.runtime.method("shop.Cart", "Add");
  REQUIRE(b.begin());
  platforms::Thread thread;
  struct Work {
    RunningBench& bench;
    ClassID order;
    FunctionID add;
  } work{b, order, add};
  thread.start(
      "checkout", std::size_t{256} << 10,
      [](void* of) {
        auto& self = *static_cast<Work*>(of);
        self.bench.runtime.allocate(self.order, kLarge, {self.add});
      },
      &work);
  thread.join();
  REQUIRE(b.accounts.settle());
  const AccountFigures figures = b.read();
  bool found = false;
  for (const AccountRow& row : figures.rows)
    found |= row.samples == 1 && figures.strings.view(row.thread) == "checkout";
  CHECK(found);
}

TEST_CASE("many threads: every sample is booked or counted, and estimates are within four errors") {
  RunningBench b("shop.Cart+shop.Desk");
  const ClassID order = b.runtime.get("shop.Order");
  const FunctionID functions[] = {b.runtime.method("shop.Cart", "Add"),
                                  b.runtime.method("shop.Desk", "Add")};
  REQUIRE(b.begin());
  constexpr int kThreads = 4, kEach = 4'000;
  constexpr std::uint64_t kBytes = 51'200;  // each event stands for some 2.5 objects
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < kEach; ++i) b.runtime.allocate(order, kBytes, {functions[t % 2]});
    });
  for (std::thread& thread : threads) thread.join();
  const AccountSum cart = b.of("shop.Cart"), desk = b.of("shop.Desk");
  const AccountFigures figures = b.read();
  CHECK(cart.samples + desk.samples + figures.losses.samples_dropped == kThreads * kEach);
  const double weight = -1 / std::expm1(-0.5);
  CHECK(static_cast<double>(cart.allocated.objects) ==
        doctest::Approx(static_cast<double>(cart.samples) * weight).epsilon(0.001));
}

TEST_CASE("the runtime's end waits for nothing") {
  RunningBench b;
  REQUIRE(b.begin());
  b.runtime.allocate(b.runtime.get("shop.Order"), kLarge, {});
  b.accounts.end_with_runtime();
  CHECK_FALSE(b.accounts.running());
  CHECK(b.runtime.sessions == 1);
}
