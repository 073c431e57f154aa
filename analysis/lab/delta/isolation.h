// Runs a test in a child process, so that what crashes or never ends is an answer like any other.
// Why: a pass that aborts on some graph takes the search for the smallest such graph with it.
// Shape:  a fork a run (about 1 ms); the child's output goes nowhere, it leaves no core, and it dies with its parent. An exception that
//         leaves the test is a crash. The test must need no other thread of this process: only the forking one lives in the child.
// Zone:   offline (Linux).   Errors: none; a process that cannot be made ends this one.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "analysis/lab/delta/graph_minimizer.h"

namespace holdfast::analysis::lab {

enum class IsolatedEnd : std::uint8_t {
  kTrue,
  kFalse,
  kCrashed,  // a signal, or the process was left without an answer
  kHung,     // the time was over
};

struct IsolatedAnswer {
  IsolatedEnd end = IsolatedEnd::kCrashed;
  int signal = 0;     // that ended it, of kCrashed; 0: none
  int exit_code = 0;  // likewise
};
std::string text_of(const IsolatedAnswer& answer);  // "ended by signal 6", "true", ...

IsolatedAnswer run_isolated(const std::function<bool()>& test, std::chrono::milliseconds limit);

// A test for minimised(): whether the other one ends like this.
GraphTest ends_as(GraphTest test, IsolatedEnd wanted, std::chrono::milliseconds limit);

}  // namespace holdfast::analysis::lab
