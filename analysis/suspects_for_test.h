// For tests only: the suspects of a test heap, with all passes before them.
// Zone:   tests.   Errors: none; a pass that fails ends the test.
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "analysis/class_figures.h"
#include "analysis/dominators.h"
#include "analysis/lab/test_heap.h"
#include "analysis/reachability.h"
#include "analysis/suspects.h"

namespace holdfast::analysis {

struct Made {
  lab::TestArena memory{std::uint64_t{1} << 29};
  CancelToken cancel;
  CountedReferences references;
  Reachability reachability;
  Dominators dominators;
  std::span<const ClassFigures> classes;
  std::span<const SuspectResult> suspects;

  explicit Made(const Snapshot& s, const SuspectLimits& limits = {},
                const AgeVerdict* aging = nullptr, bool heap_is_full = false) {
    Arena& arena = memory.arena();
    take(CountedReferences::make(s, arena, cancel), references);
    take(find_reachability(references, arena, cancel), reachability);
    take(compute_dominators(references, holding_strengths(kRetainStrong | kRetainSoft), arena,
                            cancel),
         dominators);
    take(class_figures(s, dominators, arena, cancel), classes);
    SuspectInput input{references, reachability, dominators, classes, aging};
    input.heap_is_full = heap_is_full;
    take(find_suspects(input, arena, cancel, limits), suspects);
  }
  template <class T>
  static void take(Result<T> result, T& out) {
    REQUIRE(result.ok());
    out = *result;
  }
};

inline std::string all_evidence(const SuspectResult& suspect) {
  std::string text;
  for (const Evidence& e : suspect.evidence) text += std::string(e.text) + "\n";
  return text;
}

inline bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace holdfast::analysis
