#include "common/triggers/triggers.h"

#include <algorithm>

#include "common/log.h"
#include "common/triggers/asked_dump.h"
#include "platforms/clock.h"

namespace holdfast {

namespace {

// How long memory that is still free lasts at least; the next look comes no later.
std::uint64_t next_look_ns(const platforms::MemoryWatch::Fill& fill,
                           std::uint32_t threshold_percent) noexcept {
  const std::uint64_t threshold = fill.limit_bytes / 100 * threshold_percent;
  const std::uint64_t distance = threshold - std::min(threshold, fill.held_bytes);
  constexpr std::uint64_t kMs = 1'000'000;
  constexpr std::uint64_t kBytesPerMs = Triggers::kGrowthBytesPerS / 1000;
  return std::clamp(distance / kBytesPerMs * kMs, Triggers::kNearNs, Triggers::kFarNs);
}

std::uint32_t percent_of(const platforms::MemoryWatch::Fill& fill) noexcept {
  const double share =
      static_cast<double>(fill.held_bytes) / static_cast<double>(fill.limit_bytes) * 100;
  constexpr double kMost = 1000;  // a limit may be lowered far below what is held
  return static_cast<std::uint32_t>(std::min(share, kMost));
}

}  // namespace

void Triggers::open(DumpEngine& engine, const char* cgroup_root) noexcept {
  engine_ = &engine;
  cgroup_root_ = cgroup_root;
  platforms::MutexLock lock(mutex_);
  open_ = true;
}

// -- arming --

void Triggers::arm(const Options& options) noexcept {
  if (engine_ == nullptr) return;
  const CollectionFigures figures = engine_->adapter().collections_once_told();
  Changes changes;
  {
    platforms::MutexLock lock(mutex_);
    if (!open_) return;
    changes = adopt(options, figures);
  }
  if (changes.period) restart_period(options.every_ns);
  if (changes.cgroup && !engine_->loop().post(&Triggers::run_cgroup_open, this))
    log_line(LogLevel::kError, "cgroup-above= cannot work: the agent's loop is not up");
  if (changes.gc_in_vain)
    say_in_vain(Trigger::kGc, "on=gc",
                "this VM does not tell full collections from others; it takes its counters "
                "(-XX:+UsePerfData), and not ZGC, Shenandoah or, on JDK 8, CMS");
  if (changes.heap_in_vain)
    say_in_vain(Trigger::kHeapAbove, "heap-above=",
                "this VM does not tell what collections leave; it takes its counters "
                "(-XX:+UsePerfData), and not Epsilon or Shenandoah with generations");
}

void Triggers::say_in_vain(Trigger trigger, const char* option, const char* why) noexcept {
  const char* own = engine_->adapter().missing_for(trigger);
  log_line(LogLevel::kError, "%s cannot work: %s", option, own != nullptr ? own : why);
}

Triggers::HeapSource Triggers::heap_source(const CollectionFigures& figures) noexcept {
  if (HeapLevel::possible(figures)) return HeapSource::kLevel;
  return HeapFloor::possible(figures) ? HeapSource::kFloor : HeapSource::kNone;
}

Triggers::Changes Triggers::adopt(const Options& options,
                                  const CollectionFigures& figures) noexcept {
  Changes changes;
  if ((options.on & kOnGc) != 0 && (on_ & kOnGc) == 0) {
    whole_known_ = figures.whole() != kUnknownCount;
    whole_seen_ = figures.whole();
    changes.gc_in_vain = !whole_known_;
  }
  on_ = options.on;
  if (options.heap_above_percent != heap_.threshold_percent()) {
    heap_source_ = heap_source(figures);
    heap_.set(options.heap_above_percent);
    heap_level_.begin(options.heap_above_percent, figures);
    heap_floor_.begin(options.heap_above_percent, figures);
    changes.heap_in_vain = heap_.on() && heap_source_ == HeapSource::kNone;
  }
  changes.cgroup = options.cgroup_above_percent != cgroup_.threshold_percent();
  if (changes.cgroup) cgroup_.set(options.cgroup_above_percent);
  changes.period = options.every_ns != every_ns_;
  every_ns_ = options.every_ns;
  if (changes.period) next_period_ns_ = platforms::monotonic_ns() + every_ns_;
  return changes;
}

void Triggers::restart_period(std::uint64_t every_ns) noexcept {
  WorkerLoop& loop = engine_->loop();
  if (every_ns == 0) return loop.clear_timer(&Triggers::run_period, this);
  if (!loop.set_timer(&Triggers::run_period, this, every_ns, every_ns))
    log_line(LogLevel::kError, "every= cannot work: the agent's loop has no timer left");
}

void Triggers::close() noexcept {
  {
    platforms::MutexLock lock(mutex_);
    if (!open_) return;
    open_ = false;
    every_ns_ = 0;
    on_ = 0;
    heap_.set(0);
    cgroup_.set(0);
  }
  engine_->loop().clear_timer(&Triggers::run_period, this);
  engine_->loop().clear_timer(&Triggers::run_doubt, this);
  engine_->loop().clear_timer(&Triggers::run_cgroup_look, this);
  engine_->loop().clear_timer(&Triggers::run_cgroup_open, this);
}

// -- the VM's event --

HeapLevel::Reading Triggers::read_heap(const CollectionFigures& figures,
                                       std::uint64_t now_ns) noexcept {
  if (heap_source_ != HeapSource::kFloor) return heap_level_.after(figures);
  const HeapLevel::Reading heap = heap_floor_.after(figures, now_ns);
  if (heap_floor_.in_doubt() && !looks_at_heap_) {
    looks_at_heap_ = true;
    wishes_ |= kWantLooks;
  }
  return heap;
}

void Triggers::collection_finished() noexcept {
  if (engine_ == nullptr) return;
  const CollectionFigures figures = engine_->adapter().collections();
  bool news = false;
  {
    platforms::MutexLock lock(mutex_);
    if (!open_) return;
    if (whole_known_ && figures.whole() > whole_seen_) {
      whole_seen_ = figures.whole();
      if ((on_ & kOnGc) != 0) wishes_ |= kWantGc;
    }
    const std::uint64_t now_ns = platforms::monotonic_ns();
    const HeapLevel::Reading heap = read_heap(figures, now_ns);
    if (heap.counts && heap_.reached(heap.percent, now_ns)) wishes_ |= kWantHeap;
    news = wishes_ != 0;
  }
  if (news) engine_->loop().post(&Triggers::run_wishes, this);
}

// -- loop thread --

void Triggers::hear_outcomes(DumpEngine& engine) noexcept {
  if (!engine.observe(&Triggers::run_outcomes, this))
    log_line(LogLevel::kInfo, "dumps that fail are not asked for again: too many observers");
}

void Triggers::run_outcomes(void* triggers) noexcept {
  auto& self = *static_cast<Triggers*>(triggers);
  if (self.engine_ == nullptr) return;
  const auto failed = [&](std::uint32_t& number) {
    return end_of_asked(*self.engine_, number) == AskedDumpEnd::kFailed;
  };
  const bool heap = failed(self.heap_number_);
  const bool cgroup = failed(self.cgroup_number_);
  const std::uint64_t now_ns = platforms::monotonic_ns();
  platforms::MutexLock lock(self.mutex_);
  if (heap) self.heap_.failed(now_ns);
  if (cgroup) self.cgroup_.failed(now_ns);
}

bool Triggers::ask(Trigger trigger, DumpKind kind, std::uint32_t* number) noexcept {
  DumpRequest request;
  request.trigger = trigger;
  request.kind = kind;
  request.asked_at_ns = platforms::monotonic_ns();
  const GateAnswer answer = engine_->request(request, number);
  const std::string_view text = gate_answer_name(answer);
  const std::string_view name = trigger_name(trigger);
  log_line(LogLevel::kInfo, "dump (%.*s): %.*s", static_cast<int>(name.size()), name.data(),
           static_cast<int>(text.size()), text.data());
  return answer == GateAnswer::kAccepted || answer == GateAnswer::kMerged;
}

// The heap's first: both may come from one collection, and the gate then merges them into the first one's dump.
void Triggers::run_wishes(void* triggers) noexcept {
  auto& self = *static_cast<Triggers*>(triggers);
  std::uint32_t wishes = 0;
  {
    platforms::MutexLock lock(self.mutex_);
    if (!self.open_) return;
    wishes = self.wishes_;
    self.wishes_ = 0;
  }
  if ((wishes & kWantLooks) != 0)
    self.engine_->loop().set_timer(&Triggers::run_doubt, &self, kDoubtNs, kDoubtNs);
  if ((wishes & kWantHeap) != 0) {
    const bool taken = self.ask(Trigger::kHeapAbove, DumpKind::kAuto, &self.heap_number_);
    platforms::MutexLock lock(self.mutex_);
    self.heap_.answered(taken, platforms::monotonic_ns());
  }
  if ((wishes & kWantGc) != 0) self.ask(Trigger::kGc, DumpKind::kAuto);
}

void Triggers::run_doubt(void* triggers) noexcept {
  auto& self = *static_cast<Triggers*>(triggers);
  const CollectionFigures figures = self.engine_->adapter().collections();
  {
    platforms::MutexLock lock(self.mutex_);
    const HeapLevel::Reading heap = self.heap_floor_.look(figures);
    // Below the threshold: nothing to ask for.
    if (heap.counts) (void)self.heap_.reached(heap.percent, platforms::monotonic_ns());
    if (self.open_ && self.heap_floor_.in_doubt()) return;
    self.looks_at_heap_ = false;
  }
  self.engine_->loop().clear_timer(&Triggers::run_doubt, &self);
}

void Triggers::run_period(void* triggers) noexcept {
  auto& self = *static_cast<Triggers*>(triggers);
  {
    platforms::MutexLock lock(self.mutex_);
    if (!self.open_ || self.every_ns_ == 0) return;
    self.next_period_ns_ = platforms::monotonic_ns() + self.every_ns_;
  }
  self.ask(Trigger::kPeriodic, DumpKind::kSimple);
}

void Triggers::run_cgroup_open(void* triggers) noexcept {
  auto& self = *static_cast<Triggers*>(triggers);
  bool wanted = false;
  {
    platforms::MutexLock lock(self.mutex_);
    wanted = self.open_ && self.cgroup_.on();
  }
  self.watch_.close();
  if (wanted) self.watch_.open(self.cgroup_root_);
  const platforms::MemoryWatch::Fill fill = self.watch_.fullest();
  {
    platforms::MutexLock lock(self.mutex_);
    self.fill_ = fill;
  }
  if (!wanted) {
    self.engine_->loop().clear_timer(&Triggers::run_cgroup_open, &self);
    return self.engine_->loop().clear_timer(&Triggers::run_cgroup_look, &self);
  }
  if (fill.limit_bytes == 0) {
    if (!self.limit_missed_)
      log_line(LogLevel::kInfo, "cgroup-above=: no control group of this process has a limit");
    self.limit_missed_ = true;
    self.watch_.close();
    return self.await_limit();
  }
  self.limit_missed_ = false;
  self.look_at_cgroup();
}

void Triggers::run_cgroup_look(void* triggers) noexcept {
  static_cast<Triggers*>(triggers)->look_at_cgroup();
}

// Limits come and go while a container is resized: it is looked for again, seldom.
void Triggers::await_limit() noexcept {
  bool lost = false;
  {
    platforms::MutexLock lock(mutex_);
    if (!open_ || !cgroup_.on()) return;
    lost = fill_.limit_bytes != 0;
    fill_ = {};
  }
  if (lost) log_line(LogLevel::kInfo, "cgroup-above=: there is no limit any more");
  engine_->loop().set_timer(&Triggers::run_cgroup_open, this, kNoLimitNs);
}

void Triggers::look_at_cgroup() noexcept {
  const platforms::MemoryWatch::Fill fill = watch_.fullest();
  if (fill.limit_bytes == 0) return await_limit();
  bool wanted = false;
  std::uint64_t wait_ns = kFarNs;
  {
    platforms::MutexLock lock(mutex_);
    if (!open_ || !cgroup_.on()) return;
    fill_ = fill;
    const std::uint32_t threshold = cgroup_.threshold_percent();
    const std::uint32_t level =
        fill.stalled ? std::max(percent_of(fill), threshold) : percent_of(fill);
    wanted = cgroup_.reached(level, platforms::monotonic_ns());
    if (!cgroup_.spent()) wait_ns = next_look_ns(fill, threshold);
  }
  if (wanted) {
    const bool taken = ask(Trigger::kCgroupAbove, DumpKind::kAuto, &cgroup_number_);
    platforms::MutexLock lock(mutex_);
    cgroup_.answered(taken, platforms::monotonic_ns());
  }
  engine_->loop().set_timer(&Triggers::run_cgroup_look, this, wait_ns);
}

}  // namespace holdfast
