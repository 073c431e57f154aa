#include "tests/driver/jvmpi_host/notify.h"

#include "tests/driver/jvmpi_host/knobs.h"

namespace holdfast::jvmpi_host {

void notify(jvmpi::JVMPI_Event& event) { profiler_interface().NotifyEvent(&event); }

void answer_request(jvmpi::JVMPI_Event& event) {
  const bool twice = knobs().twice && event.event_type != jvmpi::kThreadStart;
  event.event_type |= jvmpi::kRequested;
  jvmpi::JVMPI_Event again = event;
  notify(event);
  if (twice) notify(again);
}

}  // namespace holdfast::jvmpi_host
