#include "clrprofiler/heap_session.h"
#include "platforms/clock.h"

namespace holdfast::clr {

namespace {

// A later version of these only adds fields at the end.
bool grows_at_the_end(DWORD id) noexcept { return id == kGcStart || id == kGcEnd; }

bool is_stop_event(DWORD id) noexcept { return id == kStopBegin || id == kStopEnd; }

bool is_heap_event(DWORD id) noexcept {
  return grows_at_the_end(id) || (id >= kBulkRootEdge && id <= kBulkEdge) ||
         id == kBulkStaticVariable;
}

}  // namespace

std::atomic<HeapSession*> HeapSession::listening_{nullptr};
std::atomic<std::uint32_t> HeapSession::inside_{0};

// Sequentially consistent, all of it; see stop_listening().
void HeapSession::deliver_stopped(EVENTPIPE_PROVIDER provider, DWORD id, DWORD version,
                                  const BYTE* data, ULONG bytes) noexcept {
  inside_.fetch_add(1);
  HeapSession* const session = listening_.load();
  if (session != nullptr) session->on_event_stopped(provider, id, version, data, bytes);
  inside_.fetch_sub(1);
}

void HeapSession::on_event_stopped(EVENTPIPE_PROVIDER provider, DWORD id, DWORD version,
                                   const BYTE* data, ULONG bytes) noexcept {
  if ((!is_heap_event(id) && !is_stop_event(id)) || !runtime_.is(**info_, provider)) return;
  if (is_stop_event(id)) return note_stop_stopped(id, {data, bytes});
  if (recording_.exchange(
          true)) {  // the runtime tells one after the other; whoever does not is not waited for
    collided_.store(true);
    return;
  }
  // Records of a layout that nobody here knows are no records.
  const bool known = version == 0 || grows_at_the_end(id);
  record_stopped(id, known ? Payload{data, bytes} : Payload{});
  recording_.store(false);
}

// Until the last thread stands the others wait already: what they see of a collection begins here.
void HeapSession::note_stop_stopped(DWORD id, Payload payload) noexcept {
  const std::uint64_t now = platforms::monotonic_ns();
  if (id == kStopBegin) {
    if (is_stop_for_collection(payload)) stop_began_ns_.store(now);
    return;
  }
  stop_began_ns_.store(0);
  std::uint64_t still = 0;
  if (done_.load()) ended_ns_.compare_exchange_strong(still, now);
}

void HeapSession::record_stopped(DWORD id, Payload payload) noexcept {
  const bool was_inside = recorder_->filter().inside();
  recorder_->on_event(id, payload);
  if (!was_inside && recorder_->filter().inside()) {
    const std::uint64_t stop = stop_began_ns_.load();
    began_ns_.store(stop != 0 ? stop : platforms::monotonic_ns());
    collection_.note_begun_stopped();
  }
  if (recorder_->done()) done_.store(true);
}

}  // namespace holdfast::clr
