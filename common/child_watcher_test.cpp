#include "common/child_watcher.h"

#include <doctest/doctest.h>

#include <new>

#include "platforms/child.h"
#include "platforms/clock.h"
#include "platforms/comes_true_for_test.h"
#include "platforms/pages.h"
#include "platforms/process.h"

using namespace holdfast;

namespace {

constexpr std::uint64_t kMs = 1'000'000;

alignas(64) std::byte child_stack[64 * 1024];

struct SharedMailbox {
  ChildMailbox* mailbox;
  SharedMailbox() {
    std::byte* shared = platforms::shared_pages(sizeof(ChildMailbox));
    REQUIRE(shared != nullptr);
    mailbox = new (shared) ChildMailbox;
  }
  ~SharedMailbox() {
    platforms::release_pages(reinterpret_cast<std::byte*>(mailbox), sizeof(ChildMailbox));
  }
  std::int64_t spawn(int (*body)(void*) noexcept) {
    platforms::ChildPlan plan;
    plan.name = "hf watched";
    plan.stack = child_stack;
    plan.stack_bytes = sizeof child_stack;
    plan.watchdog_seconds = 60;
    plan.body = body;
    plan.argument = mailbox;
    return platforms::spawn_child(plan);
  }
};

int hang(void*) noexcept {
  for (;;) platforms::sleep_ns(1000 * kMs);
}

int tell_and_end(void* raw) noexcept {
  static_cast<ChildMailbox*>(raw)->phase.store(ChildPhase::kEnded, std::memory_order_release);
  return 0;
}

}  // namespace

TEST_CASE("a child is watched while its maker is held up elsewhere") {
  SharedMailbox shared;
  CancelToken cancel;
  cancel.cancel();  // whoever watches ends the child
  ChildWatcher watcher(*shared.mailbox, cancel, 60);
  watcher.start();
  const std::int64_t child = shared.spawn(&hang);
  REQUIRE(child > 0);
  CHECK_FALSE(shared.mailbox->gone);
  shared.mailbox->child.store(child);
  // Not awaited yet, and gone all the same.
  const std::uint64_t until = platforms::monotonic_ns() + 20'000 * kMs;
  while (platforms::process_alive(static_cast<std::uint32_t>(child)) &&
         platforms::monotonic_ns() < until)
    platforms::sleep_ns(kMs);
  CHECK_FALSE(platforms::process_alive(static_cast<std::uint32_t>(child)));
  CHECK(platforms::comes_true([&] { return shared.mailbox->gone.load(); }));
  CHECK(watcher.await().verdict == ChildVerdict::kCancelled);
}

TEST_CASE("a freeze that makes no child calls the watch off") {
  SharedMailbox shared;
  const CancelToken cancel;
  ChildWatcher watcher(*shared.mailbox, cancel, 60);
  watcher.start();
  watcher.call_off();
  CHECK_FALSE(shared.mailbox->gone);
}

TEST_CASE("without a thread the watch is the caller's") {
  SharedMailbox shared;
  const CancelToken cancel;
  ChildWatcher never_started(*shared.mailbox, cancel, 60);
  shared.mailbox->child.store(shared.spawn(&tell_and_end));
  CHECK(never_started.await().verdict == ChildVerdict::kEnded);
  CHECK(shared.mailbox->gone);
}

TEST_CASE("the watch ends a child before the child's own watchdog does") {
  SharedMailbox shared;
  const CancelToken cancel;
  ChildWatcher watcher(*shared.mailbox, cancel, 1);
  watcher.start();
  shared.mailbox->child.store(shared.spawn(&hang));
  const ChildEndReport end = watcher.await();
  CHECK(end.verdict == ChildVerdict::kTooLong);
  CHECK(end.status == 0);  // by us
}
