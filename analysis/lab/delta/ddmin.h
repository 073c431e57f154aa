// ddmin: the smallest part of a list that still shows something, found by leaving parts out and asking again.
// Why: a failure that needs three references of a thousand is understood from the three.
// Shape:  the list is 0 .. size-1, a part its elements in rising order. A result that ended kMinimal is 1-minimal: without any one
//         more of its elements it does not show. If every list that contains a showing one shows, too, then k elements cost about
//         2 k log2(size/k) tests, at worst size^2. Parts that did not show are remembered (16 B each) and never asked about again.
// Zone:   offline.   Errors: none; DdminEnd says why it ended, and kept then still shows (but for kNeverShown).
// Source: Zeller, Hildebrandt: Simplifying and isolating failure-inducing input (ddmin); Zeller: Why programs fail; [Thesis], 4.7.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <vector>

namespace holdfast::analysis::lab {

using Part = std::vector<std::uint32_t>;
using PartTest = std::function<bool(const Part&)>;  // true: it still shows

struct DdminLimits {
  std::uint64_t max_tests = UINT64_MAX;
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
};

enum class DdminEnd : std::uint8_t {
  kMinimal,
  kTestsSpent,
  kOutOfTime,
  kNeverShown,  // not even the whole list shows it; kept is the whole list
};

struct DdminResult {
  Part kept;
  DdminEnd end = DdminEnd::kMinimal;
  std::uint64_t tests = 0;       // that were run
  std::uint64_t remembered = 0;  // that need not be run
};

DdminResult ddmin(std::uint32_t size, const PartTest& shows, const DdminLimits& limits = {});

}  // namespace holdfast::analysis::lab
