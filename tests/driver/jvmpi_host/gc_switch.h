// Whether JVMPI's clients may hold ids: "GC is off". HotSpot collects nevertheless; the object table keeps what has an id.
// Shape:  DisableGC is counted VM-wide, as are the notifications with GC off. When both counts are down the ids of that time are stale.
// Zone:   tests, any thread.   Errors: EnableGC without DisableGC is forbidden.
#pragma once

#include <mutex>

namespace holdfast::jvmpi_host {

// Guards the heap view and the counts; never held while the profiler runs.
std::recursive_mutex& host_lock();

bool gc_is_off();
bool this_thread_disabled_gc();

void disable_gc();
void enable_gc();

// GC is off during a notification.
class NotificationWithoutGc {
 public:
  NotificationWithoutGc();
  ~NotificationWithoutGc();
  NotificationWithoutGc(const NotificationWithoutGc&) = delete;
  NotificationWithoutGc& operator=(const NotificationWithoutGc&) = delete;
};

}  // namespace holdfast::jvmpi_host
