// A VM for tests whose capture can be held back, refused or counted, and an engine's analysis that writes nothing.
// Shape:  every switch is an atomic, so that a test may turn it while a dump runs. One fake VM at a time may use count_analysis().
// Zone:   tests.   Errors: those that the test asked for.
#pragma once

#include <atomic>
#include <cstring>

#include "common/dump_engine.h"

namespace holdfast {

class ScriptedVm : public VmAdapter {
 public:
  std::atomic<int> captures{0};
  std::atomic<bool> captures_begun{false};
  std::atomic<int> listened{0};
  std::atomic<std::uint32_t> wanted_triggers{0};  // of the last listen()
  std::atomic<bool> hears_collections{false};     // since the last listen()
  std::atomic<bool> hold{false};
  std::atomic<bool> refuse_attach{false};
  std::atomic<bool> fail{false};
  std::atomic<int> collected{0};  // by collect()
  std::atomic<bool> refuse_collection{false};

  VmFacts facts() noexcept override {
    VmFacts facts;
    std::strcpy(facts.vm_name, "Scripted VM");
    std::strcpy(facts.vm_version, "1.2.3");
    std::strcpy(facts.vm_vendor, "holdfast");
    std::strcpy(facts.main_name, "com.acme.Main");
    std::strcpy(facts.collector, "G1");
    return facts;
  }
  Result<void> attach_capture_thread() noexcept override {
    if (refuse_attach) return make_error(ErrorCode::kVm, 11);
    return {};
  }
  void detach_capture_thread() noexcept override {}
  Result<void> listen(const Options& options) noexcept override {
    wanted_triggers = options.on;
    hears_collections = wants_collections(options);
    ++listened;
    return {};
  }
  CollectionFigures collections() noexcept override {
    return {12, 3, 4'000'000, 5u << 20, 6u << 20};
  }
  Result<void> collect() noexcept override {
    if (refuse_collection) return make_error(ErrorCode::kUnsupported);
    ++collected;
    return {};
  }
  Result<HeapFigures> heap_figures() noexcept override {
    return HeapFigures{1u << 20, 2u << 20, 4u << 20};
  }
  Result<void> capture(const CapturePlan&, CaptureMemory& memory, Capture& out,
                       Notes&) noexcept override {
    captures_begun = true;
    while (hold) {
    }
    ++captures;
    if (fail) return make_error(ErrorCode::kVm, 112);
    HF_TRY(counts, memory.catalog_arena().make_filled<ClassCount>(1, ClassCount{}));
    out.histogram = counts;
    return {};
  }
};

// -- what the engine is given to do with a capture --

inline std::atomic<int> analyses{0};
inline std::atomic<bool> hold_analysis{false};

inline Result<AnalysisOutcome> count_analysis(AnalysisInput& input) noexcept {
  while (hold_analysis)
    if (auto live = input.cancel.check(); !live) return live.error();
  ++analyses;
  return AnalysisOutcome{};
}

}  // namespace holdfast
