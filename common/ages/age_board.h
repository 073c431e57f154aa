// Where the last verdict on ages stands for whoever tells it: a report, `watch`, `status`.
// Zone:   any thread; a copy of 4 KB under a lock of its own.   Errors: none.
#pragma once

#include "common/ages/age_suspect.h"
#include "platforms/thread.h"

namespace holdfast {

class AgeBoard {
 public:
  void publish(const AgeVerdict& verdict) noexcept {
    platforms::MutexLock lock(mutex_);
    verdict_ = verdict;
  }
  AgeVerdict read() const noexcept {
    platforms::MutexLock lock(mutex_);
    return verdict_;
  }

 private:
  mutable platforms::Mutex mutex_;
  AgeVerdict verdict_ HF_GUARDED_BY(mutex_);
};

}  // namespace holdfast
