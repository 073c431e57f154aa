#include "clrprofiler/ages/age_recorder.h"

namespace holdfast::clr {

namespace {

constexpr std::uint32_t kInBackground = 1;
// Of these, later ones only add fields at the end.
bool grows_at_the_end(std::uint32_t id) noexcept {
  return id == kGcStart || id == kGcEnd || id == kRestartBegin || id == kSuspendBegin;
}

}  // namespace

void AgeRecorder::on_event(std::uint32_t id, std::uint32_t version, Payload payload) noexcept {
  if (version != 0 && !grows_at_the_end(id)) payload = {};
  switch (id) {
    case kGcStart:
      return on_start(payload);
    case kGcEnd:
      return on_end(payload);
    case kSuspendBegin:
      return on_suspend(payload);
    case kRestartBegin:
      return on_restart();
    case kGenerationRange:
      return on_region(payload);
    case kBulkSurvived:
      return on_survived(payload);
    case kBulkMoved:
      return on_moved(payload);
    default:
      return;
  }
}

void AgeRecorder::restart() noexcept {
  inside_.store(false, std::memory_order_relaxed);
  told_.store(0, std::memory_order_relaxed);
  damaged_.store(false, std::memory_order_relaxed);
  sweeping_.store(false, std::memory_order_relaxed);
  ranges_.restart();
}

// -- one at a time --

void AgeRecorder::on_start(Payload payload) noexcept {
  GcStart start;
  if (!read_gc_start(payload, start)) return restart();
  const bool again = start.count == now_.load(std::memory_order_relaxed);
  if (again) return;
  now_.store(start.count, std::memory_order_relaxed);
  if (inside_.load(std::memory_order_relaxed)) {
    if (may_be_background_)
      leave();
    else
      restart();  // it has not ended
  }
  may_be_background_ = start.type == kInBackground;
  if (start.count == 1) ranges_.begin_at_first();
  number_ = start.count;
  generation_ = start.depth;
  told_.store(0, std::memory_order_relaxed);
  last_listing_ = false;
  ranges_.begin(start.count, start.depth);
  inside_.store(true, std::memory_order_release);
}

// Nothing has been told in it, and it goes on in the background.
void AgeRecorder::leave() noexcept {
  inside_.store(false, std::memory_order_relaxed);
  ranges_.leave();
}

void AgeRecorder::on_region(Payload payload) noexcept {
  if (!inside_.load(std::memory_order_relaxed)) return;
  if (!last_listing_ && told_.load(std::memory_order_acquire) != 0) {
    last_listing_ = true;
    ranges_.begin_last_listing();
  }
  GenerationRange range;
  if (read_generation_range(payload, range))
    ranges_.list(range.generation, range.start, range.used_bytes, range.reserved_bytes);
  else
    damaged_.store(true, std::memory_order_relaxed);
}

void AgeRecorder::on_end(Payload payload) noexcept {
  GcEnd end;
  const bool inside = inside_.load(std::memory_order_relaxed);
  if (!read_gc_end(payload, end)) return restart();
  if (!inside || end.count != number_) return;
  told_.exchange(0, std::memory_order_acquire);
  inside_.store(false, std::memory_order_release);
  if (damaged_.load(std::memory_order_relaxed)) return restart();
  change([this] { ranges_.end(); });
  keep_aside();
}

template <class Change>
void AgeRecorder::change(Change change_table) noexcept {
  changing_.store(true, std::memory_order_release);
  change_table();
  changing_.store(false, std::memory_order_release);
}

void AgeRecorder::keep_aside() noexcept {
  if (generation_ != kFullGcDepth || !holding_.load(std::memory_order_acquire)) return;
  held_ = ranges_.copy_to(room_, now_.load(std::memory_order_relaxed));
  held_number_.store(number_, std::memory_order_release);
}

AgeView AgeRecorder::release_held(std::uint32_t number) noexcept {
  holding_.store(false, std::memory_order_relaxed);
  return number != 0 && held_number_.load(std::memory_order_acquire) == number ? held_ : AgeView();
}

void AgeRecorder::on_suspend(Payload payload) noexcept {
  std::uint32_t reason = kForBackground;
  read_suspend_reason(payload, reason);
  if (reason == kForBackground) sweeping_.store(true, std::memory_order_relaxed);
}

// The application is about to run again: beside a collection in the background that sweeps, or after it has told what it leaves.
void AgeRecorder::on_restart() noexcept {
  if (inside_.load(std::memory_order_relaxed)) {
    if (may_be_background_) leave();
    return;
  }
  if (told_.exchange(0, std::memory_order_acquire) == 0) {
    if (sweeping_.load(std::memory_order_relaxed)) change([this] { ranges_.forget_young(); });
    return;
  }
  sweeping_.store(false, std::memory_order_relaxed);
  if (damaged_.load(std::memory_order_relaxed)) return restart();
  change([this] { ranges_.end_background(); });
}

// -- any number at once --

void AgeRecorder::on_survived(Payload payload) noexcept {
  tell<SurvivedRecord>(payload, [](AgeRanges::Teller& teller, const SurvivedRecord& record) {
    teller.survived(record.start, record.bytes);
  });
}

void AgeRecorder::on_moved(Payload payload) noexcept {
  if (!inside_.load(std::memory_order_acquire)) return;
  tell<MovedRecord>(payload, [](AgeRanges::Teller& teller, const MovedRecord& record) {
    teller.moved(record.from, record.to, record.bytes);
  });
}

// Where there is no table yet, nothing is looked at.
template <class Record, class Tell>
void AgeRecorder::tell(Payload payload, Tell tell_one) noexcept {
  BulkEvent<Record> told;
  if (!BulkEvent<Record>::read(payload, told)) damaged_.store(true, std::memory_order_relaxed);
  if (ranges_.known()) {
    AgeRanges::Teller teller(ranges_);
    for (std::uint32_t i = 0; i < told.count(); ++i) tell_one(teller, told.record(i));
  }
  told_.fetch_add(1, std::memory_order_release);
}

}  // namespace holdfast::clr
