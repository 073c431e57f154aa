#include "jvmti/hotspot/frozen_roots_stopped.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "jvmti/hotspot/vm_roots_stopped.h"
#include "platforms/clock.h"
#include "platforms/fault_points.h"

using namespace holdfast;
using namespace holdfast::jvmti;

namespace {

constexpr std::uint64_t kStart = 0x10000, kEnd = 0x20000;

alignas(64) std::byte child_stack[64 * 1024];

int leave(void*) noexcept { return 5; }

// What the VM's callback sees: the tag, and before it the object's address and size.
struct Bench {
  explicit Bench(std::size_t room = 64) {
    state.roots = Column<RawRoot>(roots.data(), std::min(room, roots.size()), budget);
    state.addresses =
        Column<std::uint64_t>(addresses.data(), std::min(room, addresses.size()), budget);
    state.heap_start = kStart;
    state.heap_end = kEnd;
    state.alignment_mask = 7;
    state.class_count = 10;
    state.thread_count = 3;
    state.plan.name = "hf roots";
    state.plan.stack = child_stack;
    state.plan.stack_bytes = sizeof child_stack;
    state.plan.watchdog_seconds = 30;
    state.plan.body = &leave;
  }
  ~Bench() {
    if (state.child > 0)
      while (platforms::poll_child(state.child).state == platforms::ChildState::kRunning)
        platforms::sleep_ns(1'000'000);
  }
  jint root(jvmtiHeapReferenceKind kind, std::uint64_t address, jlong told_bytes = 24,
            jlong found_bytes = 24, jlong tag = 0, const jvmtiHeapReferenceInfo* info = nullptr) {
    std::array<jlong, 3> beside{static_cast<jlong>(address), found_bytes, tag};
    return freeze_reference_stopped(kind, info, 0, 0, told_bytes, &beside[2], nullptr, -1, &state);
  }
  jint first_reference() {
    std::array<jlong, 3> beside{static_cast<jlong>(kStart), 24, 0};
    jlong referrer = 0;
    return freeze_reference_stopped(JVMTI_HEAP_REFERENCE_FIELD, nullptr, 0, 0, 24, &beside[2],
                                    &referrer, -1, &state);
  }

  std::array<RawRoot, 64> roots{};
  std::array<std::uint64_t, 64> addresses{};
  GrantBudget budget{1 << 20, 0};
  FreezeState state;
};

}  // namespace

TEST_CASE("roots are taken down with their addresses, and the first reference makes the child") {
  Bench bench;
  CHECK(bench.root(JVMTI_HEAP_REFERENCE_JNI_GLOBAL, kStart) == JVMTI_VISIT_OBJECTS);
  CHECK(bench.root(JVMTI_HEAP_REFERENCE_OTHER, kEnd - 8) == JVMTI_VISIT_OBJECTS);
  CHECK(bench.state.outcome == FreezeOutcome::kNoCallback);
  CHECK(bench.first_reference() == JVMTI_VISIT_ABORT);
  CHECK(bench.state.outcome == FreezeOutcome::kFrozen);
  CHECK(bench.state.child > 0);
  REQUIRE(bench.state.roots.size() == 2);
  CHECK(bench.state.roots[0].kind == RootKind::kJniGlobal);
  CHECK(bench.state.roots[1].kind == RootKind::kOther);
  CHECK(bench.state.addresses[1] == kEnd - 8);
  // A VM that goes on all the same gets no second child.
  const std::int64_t child = bench.state.child;
  CHECK(bench.first_reference() == JVMTI_VISIT_ABORT);
  CHECK(bench.root(JVMTI_HEAP_REFERENCE_JNI_GLOBAL, kStart) == JVMTI_VISIT_ABORT);
  CHECK(bench.state.child == child);
  CHECK(bench.state.roots.size() == 2);
}

TEST_CASE("each kind of root, its thread and its frame") {
  const std::pair<jvmtiHeapReferenceKind, RootKind> kinds[] = {
      {JVMTI_HEAP_REFERENCE_JNI_GLOBAL, RootKind::kJniGlobal},
      {JVMTI_HEAP_REFERENCE_SYSTEM_CLASS, RootKind::kSystemClass},
      {JVMTI_HEAP_REFERENCE_MONITOR, RootKind::kMonitor},
      {JVMTI_HEAP_REFERENCE_STACK_LOCAL, RootKind::kStackLocal},
      {JVMTI_HEAP_REFERENCE_JNI_LOCAL, RootKind::kJniLocal},
      {JVMTI_HEAP_REFERENCE_THREAD, RootKind::kThread},
      {JVMTI_HEAP_REFERENCE_OTHER, RootKind::kOther}};
  Bench bench;
  for (const auto& [told, kept] : kinds) {
    bench.root(told, kStart, 24, 24, 12);
    CHECK(bench.state.roots[bench.state.roots.size() - 1].kind == kept);
  }
  CHECK(bench.state.roots[5].thread == ThreadId{1});
  jvmtiHeapReferenceInfo info{};
  info.stack_local.thread_tag = 13;
  info.stack_local.depth = 4;
  info.stack_local.slot = 2;
  info.stack_local.method = reinterpret_cast<jmethodID>(std::uintptr_t{77});
  bench.root(JVMTI_HEAP_REFERENCE_STACK_LOCAL, kStart, 24, 24, 0, &info);
  const RawRoot& local = bench.state.roots[7];
  CHECK(local.thread == ThreadId{2});
  CHECK(local.method == 77);
  CHECK(local.depth == 4);
  CHECK(local.slot == 2);
}

TEST_CASE("an address that does not prove itself ends the freeze, and no child is made") {
  const auto outcome = [](std::uint64_t address, jlong told, jlong found) {
    Bench bench;
    CHECK(bench.root(JVMTI_HEAP_REFERENCE_JNI_GLOBAL, address, told, found) == JVMTI_VISIT_ABORT);
    CHECK(bench.first_reference() == JVMTI_VISIT_ABORT);
    CHECK(bench.state.child == 0);
    CHECK(bench.state.roots.size() == 0);
    return bench.state.outcome;
  };
  CHECK(outcome(kStart, 24, 32) == FreezeOutcome::kNotProved);
  CHECK(outcome(kStart - 8, 24, 24) == FreezeOutcome::kNotProved);
  CHECK(outcome(kEnd, 24, 24) == FreezeOutcome::kNotProved);
  CHECK(outcome(kStart + 4, 24, 24) == FreezeOutcome::kNotProved);
  CHECK(outcome(0, 0, 0) == FreezeOutcome::kNotProved);
}

TEST_CASE("more roots than there is room for: no child") {
  Bench bench(2);
  CHECK(bench.root(JVMTI_HEAP_REFERENCE_THREAD, kStart) == JVMTI_VISIT_OBJECTS);
  CHECK(bench.root(JVMTI_HEAP_REFERENCE_THREAD, kStart) == JVMTI_VISIT_OBJECTS);
  CHECK(bench.root(JVMTI_HEAP_REFERENCE_THREAD, kStart) == JVMTI_VISIT_ABORT);
  CHECK(bench.state.outcome == FreezeOutcome::kNoRoom);
  CHECK(bench.first_reference() == JVMTI_VISIT_ABORT);
  CHECK(bench.state.child == 0);
}

TEST_CASE("roots that the VM itself holds are skipped where they are known already") {
  Bench bench;
  bench.state.skip_vm_roots = true;
  bench.root(JVMTI_HEAP_REFERENCE_JNI_GLOBAL, kStart);
  CHECK(bench.root(JVMTI_HEAP_REFERENCE_OTHER, kStart) == JVMTI_VISIT_ABORT);
  CHECK(bench.state.outcome == FreezeOutcome::kFrozen);
  CHECK(bench.state.roots.size() == 1);
}

#if defined(HF_FAULT_POINTS)
TEST_CASE("a system that gives no child says why") {
  Bench bench;
  const platforms::FaultScope fault(platforms::FaultPoint::kFork, {0, 1, EAGAIN});
  bench.root(JVMTI_HEAP_REFERENCE_JNI_GLOBAL, kStart);
  CHECK(bench.first_reference() == JVMTI_VISIT_ABORT);
  CHECK(bench.state.outcome == FreezeOutcome::kCloneFailed);
  CHECK(bench.state.child == -EAGAIN);
  CHECK(fault.spent());
}
#endif

TEST_CASE("at load only what the VM itself holds is tagged, up to the first reference") {
  jlong tag = 0;
  jlong referrer = 0;
  const auto told = [&](jvmtiHeapReferenceKind kind, jlong* from) {
    return tag_vm_root_stopped(kind, nullptr, 0, 0, 24, &tag, from, -1, nullptr);
  };
  told(JVMTI_HEAP_REFERENCE_THREAD, nullptr);
  CHECK(tag == 0);
  told(JVMTI_HEAP_REFERENCE_OTHER, nullptr);
  CHECK(tag == kVmRootTag);
  CHECK(told(JVMTI_HEAP_REFERENCE_FIELD, &referrer) == JVMTI_VISIT_ABORT);
}

TEST_CASE("when the time for roots is over the child is made, and where it stopped is known") {
  Bench bench;
  bench.state.roots_until_ns = platforms::monotonic_ns() + 3'600'000'000'000;
  CHECK(bench.root(JVMTI_HEAP_REFERENCE_THREAD, kStart) == JVMTI_VISIT_OBJECTS);
  CHECK(bench.root(JVMTI_HEAP_REFERENCE_STACK_LOCAL, kStart + 64) == JVMTI_VISIT_OBJECTS);
  CHECK_FALSE(bench.state.cut);
  bench.state.roots_until_ns = 1;
  CHECK(bench.root(JVMTI_HEAP_REFERENCE_THREAD, kStart + 128) == JVMTI_VISIT_ABORT);
  CHECK(bench.state.outcome == FreezeOutcome::kFrozen);
  CHECK(bench.state.cut);
  CHECK_FALSE(bench.state.stacks_walked);
  CHECK(bench.state.roots.size() == 2);
}

TEST_CASE("handles without end are cut among themselves, with all stacks walked") {
  Bench bench;
  CHECK(bench.root(JVMTI_HEAP_REFERENCE_THREAD, kStart) == JVMTI_VISIT_OBJECTS);
  bench.state.roots_until_ns = 1;
  int told = 0;
  while (bench.root(JVMTI_HEAP_REFERENCE_JNI_GLOBAL, kStart) != JVMTI_VISIT_ABORT) ++told;
  CHECK(told < 16);
  CHECK(bench.state.cut);
  CHECK(bench.state.stacks_walked);
  CHECK(bench.state.outcome == FreezeOutcome::kFrozen);
}
