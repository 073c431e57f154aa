#include "analysis/lab/delta/isolation.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include "analysis/lab/shapes.h"

using namespace holdfast;
using namespace holdfast::analysis;
using lab::IsolatedEnd;
using lab::LabGraph;
using lab::run_isolated;

namespace {

constexpr std::chrono::seconds kLong{60};
constexpr std::chrono::milliseconds kShort{50};    // for what never ends
constexpr std::chrono::milliseconds kEnough{500};  // for what may end, on a busy machine

void turn_for_ever() {
  for (volatile bool on = true; on;) {
  }
}

}  // namespace

TEST_CASE("isolation: an answer is an answer, and nothing of the child's reaches the parent") {
  int touched = 0;
  CHECK(run_isolated([&] { return ++touched == 1; }, kLong).end == IsolatedEnd::kTrue);
  CHECK(run_isolated([&] { return ++touched != 1; }, kLong).end == IsolatedEnd::kFalse);
  CHECK(touched == 0);
}

TEST_CASE("isolation: signals, exits and exceptions are crashes, and told apart") {
  const auto aborted = run_isolated([]() -> bool { std::abort(); }, kLong);
  CHECK(aborted.end == IsolatedEnd::kCrashed);
  CHECK(aborted.signal == SIGABRT);
  CHECK(text_of(aborted) == "ended by signal 6");
  const auto fault = run_isolated([] { return ::raise(SIGSEGV) == 0; }, kLong);
  CHECK(fault.end == IsolatedEnd::kCrashed);
  CHECK(fault.signal == SIGSEGV);
  for (const int code : {0, 3}) {
    const auto left = run_isolated([=]() -> bool { ::_exit(code); }, kLong);
    CHECK(left.end == IsolatedEnd::kCrashed);
    CHECK(left.signal == 0);
    CHECK(left.exit_code == code);
    CHECK(text_of(left) == "left with exit code " + std::to_string(code));
  }
  const auto thrown = run_isolated([]() -> bool { throw std::runtime_error("x"); }, kLong);
  CHECK(thrown.end == IsolatedEnd::kCrashed);
  CHECK(thrown.signal == SIGABRT);
}

TEST_CASE("isolation: what never ends is ended, with its descriptors open or closed") {
  const auto hung = run_isolated([] { return turn_for_ever(), true; }, kShort);
  CHECK(hung.end == IsolatedEnd::kHung);
  CHECK(text_of(hung) == "not ended in time");
  const auto closed = run_isolated(
      [] {
        for (int descriptor = 0; descriptor < 100; ++descriptor) ::close(descriptor);
        return turn_for_ever(), true;
      },
      kShort);
  CHECK(closed.end == IsolatedEnd::kHung);
}

TEST_CASE("isolation: the smallest graph that crashes, the smallest that hangs") {
  // Wrong on purpose: it ends badly where an object refers to itself and to object 7.
  const auto fails = [](LabGraph& graph, void (*badly)()) {
    const Snapshot s = graph.snapshot();
    for (std::uint32_t v = 0; v < s.object_count(); ++v) {
      bool self = false, seven = false;
      for (std::uint32_t i = s.first_ref[v]; i < s.first_ref[v + 1]; ++i) {
        self = self || s.target[i].value == v;
        seven = seven || s.target[i].value == 7;
      }
      if (self && seven) badly();
    }
    return true;
  };
  LabGraph graph = lab::complete(12);
  const auto aborts = [&](LabGraph& g) {
    return fails(
        g, +[] { std::abort(); });
  };
  const auto made = lab::minimised(graph, lab::ends_as(aborts, IsolatedEnd::kCrashed, kLong));
  CHECK(made.end == lab::DdminEnd::kMinimal);
  CHECK(made.references_after == (made.graph.first_ref[8] > made.graph.first_ref[7] ? 1 : 2));
  const auto turns = [&](LabGraph& g) { return fails(g, &turn_for_ever); };
  LabGraph small = lab::graph_of(8, {{0, 0}, {0, 7}, {1, 7}, {2, 3}}, {0});
  const auto slow = lab::minimised(small, lab::ends_as(turns, IsolatedEnd::kHung, kEnough));
  CHECK(slow.references_after == 2);
  CHECK(lab::minimised(graph, lab::ends_as(aborts, IsolatedEnd::kHung, kLong)).end ==
        lab::DdminEnd::kNeverShown);
  LabGraph chain = lab::chain(3);
  CHECK(lab::ends_as(aborts, IsolatedEnd::kTrue, kLong)(chain));
}
