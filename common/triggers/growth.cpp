#include "common/triggers/growth.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "common/log.h"
#include "common/time_units.h"
#include "common/triggers/asked_dump.h"
#include "platforms/clock.h"
#include "platforms/pages.h"

namespace holdfast {

namespace {

constexpr std::size_t kShownName = 64;  // bytes of a class's name in one line
// So many histograms in place in a row, although others were wished for, mean that there will be no others.
constexpr std::uint32_t kInPlaceForGood = 3;

std::size_t series_pages() noexcept {
  const std::size_t page = platforms::page_bytes();
  return (Growth::kHeldBytes + page - 1) / page * page;
}

struct RateText {
  char text[32] = "";
};
RateText rate_text(double bytes_per_minute) noexcept {
  constexpr double kKb = 1024;
  const auto tenths_of_mb = static_cast<unsigned long long>(bytes_per_minute / kKb / kKb * 10);
  RateText rate;
  if (tenths_of_mb >= 10)
    std::snprintf(rate.text, sizeof rate.text, "+%llu.%llu MB/min", tenths_of_mb / 10,
                  tenths_of_mb % 10);
  else
    std::snprintf(rate.text, sizeof rate.text, "+%llu KB/min",
                  static_cast<unsigned long long>(bytes_per_minute / kKb));
  return rate;
}

// "3 classes grow: shop.Session +12.0 MB/min (p<0.001)".
void put_finding(const GrowthJudgment& judgment, std::span<char> out) noexcept {
  char name[kShownName];
  keep_telling_end(judgment.first->name, name);
  std::snprintf(out.data(), out.size(), "%u class%s: %s %s (p<0.001)", judgment.growing,
                judgment.growing == 1 ? " grows" : "es grow", name,
                rate_text(judgment.first->bytes_per_minute).text);
}

}  // namespace

Growth::~Growth() {
  platforms::release_pages(reinterpret_cast<std::byte*>(series_), series_pages());
}

Result<void> Growth::open(DumpEngine& engine) noexcept {
  std::byte* const pages = platforms::reserve_pages(series_pages());
  if (pages == nullptr)
    return make_error(ErrorCode::kOutOfMemory, static_cast<std::int64_t>(kHeldBytes));
  series_ = reinterpret_cast<GrowthSeries*>(pages);
  engine_ = &engine;
  if (!engine.observe(&Growth::look, this))
    return make_error(ErrorCode::kTooMany, DumpEngine::kMaxObservers);
  return {};
}

void Growth::arm(bool on, std::uint64_t interval_ns) noexcept {
  if (engine_ == nullptr) return;
  {
    platforms::MutexLock lock(mutex_);
    if (!on && !wanted_) return;
    wanted_ = on;
    wanted_interval_ns_ = interval_ns;
  }
  engine_->loop().post(&Growth::apply, this);
}

std::size_t Growth::describe(std::span<char> out) const noexcept {
  platforms::MutexLock lock(mutex_);
  const std::size_t length = std::min(std::strlen(state_), out.size() - 1);
  std::memcpy(out.data(), state_, length);
  out[length] = '\0';
  return length;
}

void Growth::say(const char* format, ...) noexcept {
  platforms::MutexLock lock(mutex_);
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(state_, sizeof state_, format, arguments);
  va_end(arguments);
}

// -- loop thread --

void Growth::apply(void* growth) noexcept {
  auto& self = *static_cast<Growth*>(growth);
  bool wanted = false;
  {
    platforms::MutexLock lock(self.mutex_);
    wanted = self.wanted_;
    self.interval_ns_ = self.wanted_interval_ns_;
  }
  if (wanted && !self.armed_) self.begin();
  if (!wanted && self.armed_) self.end();
}

bool Growth::take_memory() noexcept {
  Ledger& ledger = engine_->ledger();
  if (!ledger.charge(MemoryCategory::kWorker, series_pages())) return false;
  if (platforms::commit_pages(reinterpret_cast<std::byte*>(series_), series_pages())) return true;
  ledger.refund(MemoryCategory::kWorker, series_pages());
  return false;
}

void Growth::give_memory_back() noexcept {
  platforms::decommit_pages(reinterpret_cast<std::byte*>(series_), series_pages());
  engine_->ledger().refund(MemoryCategory::kWorker, series_pages());
}

void Growth::begin() noexcept {
  const bool memory = take_memory();
  if (!memory || !engine_->begin_watching()) {
    if (memory) give_memory_back();
    log_line(LogLevel::kError, "on=growth cannot work: memory= has no room for class histograms");
    return say("off: memory= has no room for class histograms");
  }
  classes_.begin(series_);
  armed_ = true;
  sequence_seen_ = refused_seen_ = in_place_in_a_row_ = 0;
  dump_number_ = 0;
  ask_from_ns_ = sampled_at_ms_ = 0;
  whole_seen_ = kUnknownCount;
  reachable_ = news_ = false;
  engine_->loop().set_timer(&Growth::want, this, interval_ns_, interval_ns_);
  say("collects samples: 0 of %zu", kLeastGrowthSamples);
}

void Growth::end() noexcept {
  armed_ = false;
  engine_->loop().clear_timer(&Growth::want, this);
  engine_->end_watching();
  classes_.begin(nullptr);
  give_memory_back();
  say("off");
}

void Growth::want(void* growth) noexcept {
  auto& self = *static_cast<Growth*>(growth);
  if (self.armed_) self.engine_->want_histogram();
}

void Growth::look(void* growth) noexcept {
  auto& self = *static_cast<Growth*>(growth);
  if (!self.armed_) return;
  self.hear_outcome();
  self.engine_->visit_histogram(
      [](void* context, const ClassHistogram& histogram) noexcept {
        auto& me = *static_cast<Growth*>(context);
        me.on_histogram(histogram, me.engine_->adapter().collections());
      },
      growth);
  if (!self.news_) return;
  self.news_ = false;
  self.judge();
}

// Garbage that waits for the collector grows, too: without the frozen capture only what a full collection left is looked at.
bool Growth::is_clean(const ClassHistogram& histogram,
                      const CollectionFigures& collections) noexcept {
  if (histogram.reachable_only || collections.whole() == kUnknownCount) return true;
  const bool collected = whole_seen_ != kUnknownCount && collections.whole() != whole_seen_;
  whole_seen_ = collections.whole();
  return collected;
}

// The samples of one series are all of one kind; others may watch as well and wish for the other one.
bool Growth::is_wanted_kind(const ClassHistogram& histogram) noexcept {
  in_place_in_a_row_ = histogram.reachable_only ? 0 : in_place_in_a_row_ + 1;
  if (classes_.samples() == 0 || histogram.reachable_only == reachable_) {
    reachable_ = histogram.reachable_only;
    return true;
  }
  if (reachable_ && in_place_in_a_row_ < kInPlaceForGood) return false;
  reachable_ = histogram.reachable_only;
  classes_.restart();
  return true;
}

// Another's histogram is welcome, but not more often than our own would be.
void Growth::on_histogram(const ClassHistogram& histogram,
                          const CollectionFigures& collections) noexcept {
  if (histogram.refused != refused_seen_ && !histogram.refusal.empty())
    say("no histogram: %.*s", static_cast<int>(histogram.refusal.size()), histogram.refusal.data());
  refused_seen_ = histogram.refused;
  if (histogram.sequence == sequence_seen_) return;
  sequence_seen_ = histogram.sequence;
  const std::uint64_t since_ms = histogram.taken_utc_ms - sampled_at_ms_;
  const bool early = sampled_at_ms_ != 0 && histogram.taken_utc_ms > sampled_at_ms_ &&
                     since_ms < interval_ns_ / kNsPerMs / 4 * 3;
  if (early || !is_wanted_kind(histogram)) return;
  schedule(histogram);
  if (!is_clean(histogram, collections))
    return say("waits for a full collection: %zu of %zu samples", classes_.samples(),
               kLeastGrowthSamples);
  classes_.add(histogram);
  sampled_at_ms_ = histogram.taken_utc_ms;
  news_ = true;
}

void Growth::schedule(const ClassHistogram& histogram) noexcept {
  std::uint64_t shortest_ns = 0;
  {
    platforms::MutexLock lock(mutex_);
    shortest_ns = wanted_interval_ns_;
  }
  // Of the last two the dearer one: a cost that goes up and down must not pass its share on average.
  const std::uint64_t cost_ns = std::max(histogram.cost_ns, last_cost_ns_);
  last_cost_ns_ = histogram.cost_ns;
  shortest_ns = std::max(shortest_ns, affordable_interval_ns(cost_ns));
  const std::uint64_t widened_ns =
      std::min(shortest_ns * classes_.spacing_factor(), kLongestSpacingMs * kNsPerMs);
  interval_ns_ = std::max(shortest_ns, widened_ns);
  engine_->loop().set_timer(&Growth::want, this, interval_ns_, interval_ns_);
}

void Growth::judge() noexcept {
  const GrowthJudgment& judgment = classes_.judge();
  if (judgment.samples < kLeastGrowthSamples)
    return say("collects samples: %u of %zu", judgment.samples, kLeastGrowthSamples);
  if (judgment.growing == 0)
    return say("no class grows: %u samples in %llu min, %u classes", judgment.samples,
               static_cast<unsigned long long>(judgment.window_ms / 60'000), judgment.followed);
  char finding[kMaxStateText];
  put_finding(judgment, finding);
  say("%s", finding);
  const bool may_ask = dump_number_ == 0 && platforms::monotonic_ns() >= ask_from_ns_;
  if (judgment.untold != 0 && may_ask) request_dump(judgment);
}

void Growth::hear_outcome() noexcept {
  const AskedDumpEnd end = end_of_asked(*engine_, dump_number_);
  if (end == AskedDumpEnd::kDone) classes_.mark_told();
  if (end == AskedDumpEnd::kFailed)
    ask_from_ns_ = platforms::monotonic_ns() + kIntervalsAfterFailure * interval_ns_;
}

void Growth::request_dump(const GrowthJudgment& judgment) noexcept {
  DumpRequest request;
  request.trigger = Trigger::kGrowth;
  request.kind = DumpKind::kExtended;
  request.asked_at_ns = platforms::monotonic_ns();
  char finding[kMaxStateText];
  put_finding(judgment, finding);
  std::snprintf(request.reason, sizeof request.reason, "%s, in %u samples of %llu s", finding,
                judgment.samples, static_cast<unsigned long long>(judgment.window_ms / 1000));
  const GateAnswer answer = engine_->request(request, &dump_number_);
  if (answer != GateAnswer::kAccepted && answer != GateAnswer::kMerged) return;
  log_line(LogLevel::kInfo, "%s", request.reason);
  fired_.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace holdfast
