// A dump from request to report, in a runtime for tests: engine, adapter and analysis are the real ones, and so is the report's reader.
// Shape:  DumpBench: a fake runtime and what takes dumps of it. ReadReport: a report as a test asks of it, names as text.
// Zone:   offline.   Errors: what does not work fails the test.
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

#include "analysis/pipeline.h"
#include "analysis/report/reader.h"
#include "analysis/report/report_generated.h"
#include "clrprofiler/adapter.h"
#include "clrprofiler/fake_clr.h"
#include "common/dump_engine.h"
#include "common/resting_bytes_for_test.h"
#include "platforms/clock.h"
#include "platforms/scratch_for_test.h"

namespace holdfast::clr {

class ReadReport {
 public:
  explicit ReadReport(const char* path) {
    const auto opened = file_.open(path);
    REQUIRE(opened.ok());
    report_ = *opened;
  }
  const report::Report* operator->() const { return report_; }
  std::string_view text(std::uint32_t id) const {
    return report_->strings()->Get(id)->string_view();
  }
  // nullptr: it is not in the report.
  const report::ClassRow* class_named(std::string_view name) const {
    for (const report::ClassRow* row : *report_->classes())
      if (text(row->name()) == name) return row;
    return nullptr;
  }
  std::uint64_t instances(std::string_view name) const {
    const report::ClassRow* row = class_named(name);
    return row != nullptr ? row->instances() : 0;
  }
  bool has_note(std::string_view part) const {
    for (const std::uint32_t id : *report_->notes())
      if (text(id).find(part) != std::string_view::npos) return true;
    return false;
  }
  bool has_graph() const { return report_->graph() != nullptr; }

 private:
  analysis::ReportFile file_;
  const report::Report* report_ = nullptr;
};

class DumpBench {
 public:
  FakeClr runtime;

 private:
  platforms::ScratchDirectory scratch_;

 public:
  ClrAdapter adapter;
  DumpEngine engine;

  explicit DumpBench(const CollectionPatience& patience = {}, std::uint64_t memory_mb = 64,
                     int newest = 15)
      : adapter(patience) {
    runtime.newest = newest;
    runtime.pipe.during_collection = [this] { runtime.pipe.deliver(walk()); };
    Options options;
    OptionError error;
    const std::string text = std::string("cooldown=0s,log=off,pause=1h,dir=") + scratch_.path();
    REQUIRE(parse_options(text, options, error));
    constexpr AnalysisCalls kCalls{&analysis::analyse_and_report, &analysis::tidy_reports};
    REQUIRE(adapter.open(runtime.unknown(), options).ok());
    REQUIRE(engine.open(options, memory_mb << 20, adapter, kCalls).ok());
    REQUIRE(engine.vm_ready().ok());
  }
  ~DumpBench() { CHECK(engine.close(in(20))); }
  DumpBench(const DumpBench&) = delete;
  DumpBench& operator=(const DumpBench&) = delete;

  static std::uint64_t in(std::uint64_t seconds) {
    return platforms::monotonic_ns() + seconds * 1'000'000'000;
  }
  // What a collection tells now.
  FakeEvents walk() {
    return fake_forced_walk(runtime.heap.told(),
                            static_cast<std::uint32_t>(runtime.pipe.collections.load()));
  }

  std::uint32_t ask(DumpKind kind = DumpKind::kExtended) {
    DumpRequest request;
    request.trigger = Trigger::kCommand;
    request.kind = kind;
    if (kind == DumpKind::kExtended) request.capture = CaptureChoice::kWalk;
    request.asked_at_ns = platforms::monotonic_ns();
    std::uint32_t number = 0;
    REQUIRE(engine.request(request, &number) == GateAnswer::kAccepted);
    return number;
  }
  DumpProgress end_of(std::uint32_t number) {
    REQUIRE(engine.wait_idle(in(60)));
    DumpProgress progress;
    REQUIRE(engine.progress(number, progress));
    return progress;
  }
  DumpProgress dump(DumpKind kind = DumpKind::kExtended) { return end_of(ask(kind)); }
  // Of a dump that ends in one.
  ReadReport report(DumpKind kind = DumpKind::kExtended) {
    const DumpProgress progress = dump(kind);
    INFO(progress.note.text);
    REQUIRE(progress.stage == DumpStage::kReported);
    return ReadReport(progress.report_path);
  }
};

// A shop: a registry in a static field holds ten orders with a customer each, and a note by a dependent handle; a local variable holds
// one more order with its customer; nobody holds the last one.
struct ShopHeap {
  static constexpr std::uint32_t kOrders = 10;
  static constexpr std::uint64_t kOrderBytes = 32, kOtherBytes = 24;
  static constexpr std::uint64_t kArrayBytes = 24 + 8 * kOrders;

  ClassID registry, orders, order, customer, note;
  ObjectID first_order = 0;

  explicit ShopHeap(FakeClr& runtime) {
    FakeManagedHeap& heap = runtime.heap;
    registry = heap.add_class("shop.Registry", {"items"});
    orders = heap.add_array("shop.Order[]");
    order = heap.add_class("shop.Order", {"next", "customer"});
    customer = heap.add_class("shop.Customer");
    note = heap.add_class("shop.Note");
    const ObjectID list = heap.add(orders, kOrders);
    for (std::uint32_t i = 0; i < kOrders; ++i) heap.set(list, i, add_order(heap));
    const ObjectID current = heap.add(registry);
    heap.set(current, 0, list);
    heap.hold_by_static(registry, "s_current", current);
    first_order = reinterpret_cast<const std::uint64_t*>(list)[2];
    heap.depend(first_order, heap.add(note));
    const FunctionID work = runtime.types.add_function(registry, "Work");
    const FunctionID main = runtime.types.add_function(registry, "Main");
    heap.hold_by_stack(work, add_order(heap));
    runtime.threads.threads = {{0x70, platforms::thread_number(), {work, main}}};
    add_order(heap);
  }

  ObjectID add_order(FakeManagedHeap& heap) const {
    const ObjectID made = heap.add(order);
    heap.set(made, 1, heap.add(customer));
    return made;
  }
};

}  // namespace holdfast::clr
