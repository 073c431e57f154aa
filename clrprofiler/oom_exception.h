// Is an exception that is thrown an OutOfMemoryException of the runtime's own?
// Why by class and not by name each time: an application may throw thousands of others a second; each class is asked for its name once.
// Shape:  the class that was found, and a table of kRemembered classes that are others. Derived classes (InsufficientMemoryException
//         is one, which no full heap throws) do not count.
// Zone:   event (in the callback, on the thread that throws); any number of threads at once.
// Errors: none; what the runtime does not tell is no such exception.
#pragma once

#include <atomic>

#include "clrprofiler/profiler_info.h"

namespace holdfast::clr {

class OomException {
 public:
  bool is(ProfilerInfo& info, ObjectID exception) noexcept;

 private:
  static constexpr std::size_t kRemembered = 256;

  std::atomic<ClassID> found_{0};
  std::atomic<ClassID> others_[kRemembered] = {};
};

}  // namespace holdfast::clr
