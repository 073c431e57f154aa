// How long the proof by removal takes: 1,000 random objects of a 5-million-object graph.
#include <doctest/doctest.h>

#include <cstdio>

#include "analysis/lab/heap_like.h"
#include "analysis/lab/removal_check.h"
#include "platforms/clock.h"

using namespace holdfast;
using namespace holdfast::analysis;

TEST_CASE("bench: retained sizes proved by removal") {
  lab::LabGraph graph = lab::heap_like(5'000'000, 20261121, lab::ObjectOrder::kCapture);
  const Snapshot s = graph.snapshot();
  const std::uint64_t began = platforms::thread_cpu_ns();
  auto check = lab::check_retained(s, kStrongOnly, 1000, 1);
  REQUIRE(check.ok());
  CHECK(check->wrong.empty());
  std::printf("%llu objects proved by removal in %.1f s of CPU time\n",
              static_cast<unsigned long long>(check->checked),
              static_cast<double>(platforms::thread_cpu_ns() - began) / 1e9);
}
