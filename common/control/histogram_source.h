// Where `watch` has its histograms from: the engine; in tests a script.
// Shape:  the engine's four functions for those who watch (dump_engine.h), behind pointers with one context.
// Zone:   worker.   Errors: as the engine's.
#pragma once

#include "common/dump_engine.h"

namespace holdfast::control {

using VisitHistogram = void (*)(void* context, const ClassHistogram& histogram) noexcept;

struct HistogramSource {
  void* context = nullptr;
  Result<void> (*begin)(void* context) noexcept = nullptr;
  void (*end)(void* context) noexcept = nullptr;
  bool (*want)(void* context) noexcept = nullptr;
  void (*visit)(void* context, VisitHistogram visit, void* visit_context) noexcept = nullptr;
};

inline HistogramSource histograms_of(DumpEngine& engine) noexcept {
  HistogramSource source;
  source.context = &engine;
  source.begin = [](void* e) noexcept { return static_cast<DumpEngine*>(e)->begin_watching(); };
  source.end = [](void* e) noexcept { static_cast<DumpEngine*>(e)->end_watching(); };
  source.want = [](void* e) noexcept { return static_cast<DumpEngine*>(e)->want_histogram(); };
  source.visit = [](void* e, VisitHistogram visit, void* context) noexcept {
    static_cast<DumpEngine*>(e)->visit_histogram(visit, context);
  };
  return source;
}

}  // namespace holdfast::control
