#include "common/ages/age_watch.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <utility>

#include "common/log.h"
#include "common/triggers/asked_dump.h"
#include "common/triggers/growing_classes.h"
#include "platforms/clock.h"

namespace holdfast {

namespace {

constexpr std::uint64_t kAskAgainNs = 60'000'000'000;
// A look that is refused has cost something, too, and nobody says how much.
constexpr std::int64_t kRefusedLookNs = 50'000'000;
// More names than any book has.
constexpr std::uint32_t kMostNames = 128u << 10;

std::size_t arena_bytes() noexcept { return sampled_ages_bytes(kMostNames); }

}  // namespace

Result<void> AgeWatch::open(DumpEngine& engine) noexcept {
  HF_CHECK_OK(reservation_.open(arena_bytes() + (std::size_t{128} << 10)));
  HF_TRY(arena, reservation_.take_arena(arena_bytes(), engine.ledger(), MemoryCategory::kWorker));
  if (!engine.observe(&AgeWatch::look, this))
    return make_error(ErrorCode::kTooMany, DumpEngine::kMaxObservers);
  arena_ = std::move(arena);
  engine_ = &engine;
  return {};
}

void AgeWatch::start() noexcept {
  if (engine_ != nullptr) engine_->loop().post(&AgeWatch::begin, this);
}

void AgeWatch::close() noexcept {
  if (engine_ != nullptr) engine_->loop().post(&AgeWatch::end, this);
}

std::size_t AgeWatch::describe(std::span<char> out) const noexcept {
  platforms::MutexLock lock(mutex_);
  const std::size_t length = std::min(std::strlen(state_), out.size() - 1);
  std::memcpy(out.data(), state_, length);
  out[length] = '\0';
  return length;
}

void AgeWatch::say(const char* format, ...) noexcept {
  platforms::MutexLock lock(mutex_);
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(state_, sizeof state_, format, arguments);
  va_end(arguments);
}

// -- loop thread --

void AgeWatch::begin(void* watch) noexcept {
  auto& self = *static_cast<AgeWatch*>(watch);
  if (self.on_) return;
  AccountBook& book = self.engine_->accounts();
  if (!book.is_open() || book.most_live_samples() == 0)
    return self.say("cannot work: no objects are sampled here");  // why was said at load
  if (self.engine_->adapter().collection_count() == kUnknownCount)
    return self.refuse("this VM does not tell its collections");
  if (book.settings().filter.looks_at_annotations())
    return self.refuse(
        "sample-only= leaves out threads, so samples do not tell how many were born");
  if (!self.engine_->begin_watching())
    return self.refuse("memory= has no room for class histograms");
  self.on_ = true;
  self.classes_.restart();
  self.since_ = self.seen_ = self.engine_->adapter().collection_count();
  self.credit_.begin(platforms::monotonic_ns());
  self.engine_->loop().set_timer(&AgeWatch::tick, watch, kTickNs, kTickNs);
  self.verdict_ = AgeVerdict{};
  self.verdict_.on = true;
  self.publish();
}

void AgeWatch::refuse(const char* why) noexcept {
  say("cannot work: %s", why);
  log_line(LogLevel::kError, "ages=on does not tell which classes pile up: %s", why);
}

void AgeWatch::end(void* watch) noexcept {
  auto& self = *static_cast<AgeWatch*>(watch);
  if (!self.on_) return;
  self.on_ = false;
  self.engine_->loop().clear_timer(&AgeWatch::tick, watch);
  self.engine_->end_watching();
  self.say("off");
}

void AgeWatch::tick(void* watch) noexcept {
  auto& self = *static_cast<AgeWatch*>(watch);
  const std::uint64_t now = self.engine_->adapter().collection_count();
  const std::uint64_t began_ns = platforms::monotonic_ns();
  if (!self.on_ || now == self.seen_ || now == kUnknownCount || began_ns < self.read_from_ns_)
    return;
  self.seen_ = now;
  self.read_samples(now);
  const std::uint64_t read_ns = platforms::monotonic_ns();
  const LookWorth worth = self.classes_.wants_look(now);
  if (self.credit_.can_pay(worth, read_ns)) self.asked_ = self.engine_->want_histogram();
  const std::uint64_t divisor =
      worth >= LookWorth::kPromising ? kPromisingReadDivisor : kReadDivisor;
  self.read_from_ns_ = read_ns + divisor * (read_ns - began_ns);
}

void AgeWatch::read_samples(std::uint64_t now) noexcept {
  AccountBook& book = engine_->accounts();
  const Result<SampledAges> ages = read_sampled_ages(book, classes_.question(since_, now), arena_);
  if (ages) classes_.choose(*ages, book.names());
  arena_.reset();
  verdict_.collections = now - since_;
  verdict_.candidates = static_cast<std::uint32_t>(classes_.candidates());
  publish();
}

void AgeWatch::look(void* watch) noexcept {
  auto& self = *static_cast<AgeWatch*>(watch);
  if (!self.on_) return;
  self.hear_outcome();
  struct Seen {
    AgeWatch& watch;
    std::uint64_t whole_collections;
  } seen{self, self.engine_->adapter().collections().whole()};
  self.engine_->visit_histogram(
      [](void* context, const ClassHistogram& histogram) noexcept {
        const auto& to = *static_cast<Seen*>(context);
        to.watch.on_histogram(histogram, to.whole_collections);
      },
      &seen);
  if (self.news_) self.judge();
}

void AgeWatch::on_histogram(const ClassHistogram& histogram,
                            std::uint64_t whole_collections) noexcept {
  if (histogram.refused != refused_seen_ && asked_) {
    credit_.pay(kRefusedLookNs);
    asked_ = false;
  }
  refused_seen_ = histogram.refused;
  if (histogram.sequence == sequence_seen_) return;
  sequence_seen_ = histogram.sequence;
  if (asked_) credit_.pay(static_cast<std::int64_t>(histogram.cost_ns));  // else another pays
  asked_ = false;
  const bool collected = whole_collections == kUnknownCount || whole_collections != whole_seen_;
  whole_seen_ = whole_collections;
  if (!histogram.reachable_only && !collected) return;
  if (!classes_.is_due(histogram.collections)) return;  // another's, right behind ours
  classes_.add(histogram);
  verdict_.utc_ms = histogram.taken_utc_ms;
  news_ = true;
}

void AgeWatch::judge() noexcept {
  news_ = false;
  verdict_.looks = static_cast<std::uint32_t>(classes_.looks());
  verdict_.count = static_cast<std::uint32_t>(classes_.judge(verdict_.suspects));
  publish();
  log_finding();
  ask_for_dump();
}

void AgeWatch::publish() noexcept {
  engine_->age_board().publish(verdict_);
  if (verdict_.count == 0)
    return say("no class piles up: %llu collections, %u candidates, %u looks",
               static_cast<unsigned long long>(verdict_.collections), verdict_.candidates,
               verdict_.looks);
  const AgeSuspect& first = verdict_.suspects[0];
  say("%u class%s up: %s, %llu more in %llu collections, %u %% sure", verdict_.count,
      verdict_.count == 1 ? " piles" : "es pile", first.name,
      static_cast<unsigned long long>(first.more_instances),
      static_cast<unsigned long long>(first.collections), first.confidence_percent);
}

// Once, until another is the first.
void AgeWatch::log_finding() noexcept {
  if (verdict_.count == 0 || std::strcmp(logged_, verdict_.suspects[0].name) == 0) return;
  std::memcpy(logged_, verdict_.suspects[0].name, sizeof logged_);
  char line[kMaxStateText];
  describe(line);
  log_line(LogLevel::kInfo, "ages, after %llu collections: %s",
           static_cast<unsigned long long>(verdict_.collections), line);
}

// -- one extended dump for what was found --

const AgeSuspect* AgeWatch::first_untold() const noexcept {
  const auto suspects = std::span(verdict_.suspects).first(verdict_.count);
  const auto first = std::find_if(suspects.begin(), suspects.end(),
                                  [this](const AgeSuspect& of) { return classes_.is_untold(of); });
  return first == suspects.end() ? nullptr : &*first;
}

bool AgeWatch::awaits_telling(const AgeSuspect* first) noexcept {
  const std::uint64_t now_ns = platforms::monotonic_ns();
  if (first == nullptr || is_telling(first->name)) {
    await_until_ = 0;
    return false;
  }
  if (await_until_ == 0) {
    await_until_ = verdict_.collections + kAwaitFactor * first->collections;
    await_until_ns_ = now_ns + kMostAwaitNs;
  }
  return verdict_.collections < await_until_ && now_ns < await_until_ns_;
}

void AgeWatch::hear_outcome() noexcept {
  const AskedDumpEnd end = end_of_asked(*engine_, dump_number_);
  if (end == AskedDumpEnd::kDone) classes_.mark_told();
  if (end == AskedDumpEnd::kFailed) ask_from_ns_ = platforms::monotonic_ns() + kAskAgainNs;
}

void AgeWatch::ask_for_dump() noexcept {
  const bool wanted = (engine_->options().on & kOnGrowth) != 0;
  const bool may = dump_number_ == 0 && platforms::monotonic_ns() >= ask_from_ns_;
  const AgeSuspect* const first = first_untold();
  if (!wanted || !may || awaits_telling(first) || first == nullptr) return;
  DumpRequest request;
  request.trigger = Trigger::kGrowth;
  request.kind = DumpKind::kExtended;
  request.asked_at_ns = platforms::monotonic_ns();
  std::snprintf(request.reason, sizeof request.reason,
                "%s piles up: %llu more in %llu collections, in %u ages or more, %u %% sure",
                first->name, static_cast<unsigned long long>(first->more_instances),
                static_cast<unsigned long long>(first->collections), first->ages,
                first->confidence_percent);
  const GateAnswer answer = engine_->request(request, &dump_number_);
  if (answer == GateAnswer::kAccepted || answer == GateAnswer::kMerged)
    log_line(LogLevel::kInfo, "%s", request.reason);
}

}  // namespace holdfast
