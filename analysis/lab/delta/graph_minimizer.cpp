#include "analysis/lab/delta/graph_minimizer.h"

#include <cstdio>
#include <numeric>

namespace holdfast::analysis::lab {

namespace {

using Clock = std::chrono::steady_clock;

class Minimiser {
 public:
  Minimiser(const LabGraph& graph, const GraphTest& shows, const MinimiserLimits& limits)
      : graph_(graph), shows_(shows), limits_(limits), start_(Clock::now()) {
    bare_ = graph;
    bare_.first_ref.assign(graph.object_count() + 1, 0);
    bare_.target.clear();
    bare_.label.clear();
    bare_.roots.clear();
    references_.resize(graph.target.size());
    roots_.resize(graph.roots.size());
    std::iota(references_.begin(), references_.end(), 0u);
    std::iota(roots_.begin(), roots_.end(), 0u);
  }

  MinimisedGraph run() {
    reduce_objects();
    // With fewer roots a reference may have become needless, and the other way round.
    for (bool changed = true; changed && made_.end == DdminEnd::kMinimal;) {
      reduce_references();
      changed = limits_.roots_too && made_.end == DdminEnd::kMinimal && reduce_roots();
    }
    made_.graph = with(references_, roots_);
    made_.references_before = graph_.target.size();
    made_.references_after = references_.size();
    made_.roots_before = graph_.roots.size();
    made_.roots_after = roots_.size();
    made_.time = Clock::now() - start_;
    return std::move(made_);
  }

 private:
  void reduce_objects() {
    Part sources;
    for (std::uint32_t v = 0; v < graph_.object_count(); ++v)
      if (graph_.first_ref[v] < graph_.first_ref[v + 1]) sources.push_back(v);
    const auto rows = [&](const Part& kept) {
      Part references;
      for (const std::uint32_t i : kept)
        for (std::uint32_t r = graph_.first_ref[sources[i]]; r < graph_.first_ref[sources[i] + 1];
             ++r)
          references.push_back(r);
      return references;
    };
    const auto found =
        search(sources.size(), [&](const Part& kept) { return shown(rows(kept), roots_); });
    references_ = rows(found.kept);
  }

  void reduce_references() {
    const Part from = references_;
    const auto found =
        search(from.size(), [&](const Part& kept) { return shown(chosen(from, kept), roots_); });
    references_ = chosen(from, found.kept);
  }

  bool reduce_roots() {
    const Part from = roots_;
    const auto found = search(
        from.size(), [&](const Part& kept) { return shown(references_, chosen(from, kept)); });
    roots_ = chosen(from, found.kept);
    return roots_.size() < from.size();
  }

  DdminResult search(std::size_t size, const PartTest& shows) {
    const DdminLimits limits{limits_.max_tests - made_.tests, start_ + limits_.time};
    DdminResult found = ddmin(static_cast<std::uint32_t>(size), shows, limits);
    made_.tests += found.tests;
    made_.end = found.end;
    return found;
  }

  static Part chosen(const Part& from, const Part& which) {
    Part made;
    for (const std::uint32_t i : which) made.push_back(from[i]);
    return made;
  }

  bool shown(const Part& references, const Part& roots) const {
    LabGraph candidate = with(references, roots);
    return shows_(candidate);
  }

  // Both in rising order, so rows and roots keep theirs.
  LabGraph with(const Part& references, const Part& roots) const {
    LabGraph made = bare_;
    std::uint32_t at = 0;
    for (std::uint32_t v = 0; v < graph_.object_count(); ++v) {
      for (; at < references.size() && references[at] < graph_.first_ref[v + 1]; ++at) {
        made.target.push_back(graph_.target[references[at]]);
        made.label.push_back(graph_.label[references[at]]);
      }
      made.first_ref[v + 1] = at;
    }
    for (const std::uint32_t r : roots) made.roots.push_back(graph_.roots[r]);
    return made;
  }

  const LabGraph& graph_;
  const GraphTest& shows_;
  const MinimiserLimits& limits_;
  const Clock::time_point start_;
  LabGraph bare_;  // objects and classes
  Part references_, roots_;
  MinimisedGraph made_;
};

const char* reason(DdminEnd end) {
  switch (end) {
    case DdminEnd::kTestsSpent:
      return "; not the smallest, the tests allowed are spent";
    case DdminEnd::kOutOfTime:
      return "; not the smallest, the time is over";
    case DdminEnd::kNeverShown:
      return "; the whole graph does not show it";
    default:
      return "";
  }
}

}  // namespace

MinimisedGraph minimised(const LabGraph& graph, const GraphTest& shows,
                         const MinimiserLimits& limits) {
  return Minimiser(graph, shows, limits).run();
}

std::string summary(const MinimisedGraph& made) {
  char text[256];
  std::snprintf(text, sizeof text,
                "%llu of %llu references and %llu of %llu roots are left: %llu tests in %.2f s%s",
                static_cast<unsigned long long>(made.references_after),
                static_cast<unsigned long long>(made.references_before),
                static_cast<unsigned long long>(made.roots_after),
                static_cast<unsigned long long>(made.roots_before),
                static_cast<unsigned long long>(made.tests), made.time.count(), reason(made.end));
  return text;
}

}  // namespace holdfast::analysis::lab
