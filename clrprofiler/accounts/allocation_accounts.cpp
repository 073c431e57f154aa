#include "clrprofiler/accounts/allocation_accounts.h"

#include <algorithm>
#include <utility>

#include "common/log.h"
#include "platforms/clock.h"

namespace holdfast::clr {

namespace {

// The ring is full after so long only where more than 2 GB are allocated a second, all of them sampled.
constexpr std::uint64_t kRoundNs = 25'000'000;
constexpr std::uint64_t kExitWaitNs = 1'000'000'000;
constexpr std::size_t kStackBytes = std::size_t{512} << 10;
// A round's price: some 40 us. All that a book follows are asked for within seconds.
constexpr std::uint32_t kLooksEachRound = 2'000;
// A claim is filled within microseconds, unless its thread is not given a processor.
constexpr std::uint64_t kClaimLookNs = 20'000;
constexpr std::uint64_t kClaimPatienceNs = 200'000'000;

}  // namespace

// -- begin and end --

Result<void> AllocationAccounts::open(ProfilerInfo& info, AccountBook& book) noexcept {
  book_ = &book;
  const std::uint32_t room = book.most_live_samples() + SampleRing::kSlots;
  handles_.open(info, room);
  HF_CHECK_OK(ring_.open(arena_));
  HF_CHECK_OK(live_.open(handles_, book, room, arena_));
  HF_CHECK_OK(writer_.open(info, book, handles_, live_, arena_));
  book.set_live_known(handles_.available());
  return {};
}

// A stretch of its own, because in no other VM accounts take that.
Result<void> AllocationAccounts::reserve(Ledger& ledger) noexcept {
  HF_CHECK_OK(reservation_.open(kArenaBytes));
  HF_TRY(arena, reservation_.take_arena(kArenaBytes, ledger, MemoryCategory::kAccounts));
  arena_ = std::move(arena);
  return {};
}

Result<void> AllocationAccounts::begin(ProfilerInfo& info, AccountBook& book, bool ages) noexcept {
  HF_CHECK_OK(open(info, book));
  AllocationSession::Settings settings;
  settings.by_stack = book.patterns().has_any();
  settings.collections = ages;
  settings.by_thread = (book.settings().dimensions & kByThread) != 0;
  if (book.annotations().wanted()) {
    if (!marks_.open())
      log_line(LogLevel::kError,
               "accounts-by=, sample-only=: the system has no key for threads left, so nothing "
               "that they say is heard");
    settings.annotations = &book.annotations();
    settings.marks = &marks_;
  }
  HF_CHECK_OK(session_.begin(info, ring_, handles_, book.pace(), settings));
  const int refused = thread_.start("hf-accounts", kStackBytes, &AllocationAccounts::run, this);
  if (refused == 0) {
    running_.store(true, std::memory_order_release);
    return {};
  }
  session_.end();
  return make_error(ErrorCode::kOutOfMemory, refused);
}

void AllocationAccounts::end_thread(std::uint64_t most_wait_ns) noexcept {
  const std::uint64_t now = platforms::monotonic_ns();
  const std::uint64_t until = now + std::min(most_wait_ns, UINT64_MAX - now);
  if (wait_for_end(until))
    thread_.join();
  else
    thread_.detach();
}

bool AllocationAccounts::wait_for_end(std::uint64_t until_ns) noexcept {
  platforms::MutexLock lock(mutex_);
  asked_.last = true;
  changed_.notify_all();
  bool in_time = true;
  while (!ended_ && in_time) in_time = changed_.wait_until(mutex_, until_ns);
  return ended_;
}

void AllocationAccounts::end() noexcept {
  if (!running()) return;
  session_.end();
  end_thread(UINT64_MAX);
  running_.store(false, std::memory_order_release);
  live_.close();
  writer_.close();
  marks_.close();
}

void AllocationAccounts::end_with_runtime() noexcept {
  if (!running()) return;
  session_.stop_listening();
  leaving_.store(true, std::memory_order_relaxed);
  end_thread(kExitWaitNs);
  running_.store(false, std::memory_order_release);
}

// -- whoever wants something --

bool AllocationAccounts::ask(bool look_at_all, bool unload, std::uint64_t most_wait_ns) noexcept {
  platforms::MutexLock lock(mutex_);
  const std::uint64_t wanted = ++asked_.number;
  asked_.look_at_all |= look_at_all;
  asked_.unload |= unload;
  changed_.notify_all();
  const std::uint64_t until = platforms::monotonic_ns() + most_wait_ns;
  bool in_time = true;
  while (done_ < wanted && !ended_ && in_time) in_time = changed_.wait_until(mutex_, until);
  return done_ >= wanted || ended_;
}

bool AllocationAccounts::settle(std::uint64_t most_wait_ns) noexcept {
  return running() && ask(true, false, most_wait_ns);
}

void AllocationAccounts::pass_unload(std::uint64_t most_wait_ns) noexcept {
  if (!running() || ask(false, true, most_wait_ns)) return;
  dropping_.store(true, std::memory_order_relaxed);
}

void AllocationAccounts::annotate(std::span<const char> block) noexcept {
  if (!running() || !book_->annotations().wanted()) return;
  marks_.set(book_->annotations().mark_of(block));
}

// -- the thread --

void AllocationAccounts::run(void* accounts) noexcept {
  auto& self = *static_cast<AllocationAccounts*>(accounts);
  Round round;
  while (!round.last) {
    round = self.next_round();
    if (!self.leaving_.load(std::memory_order_relaxed)) self.carry_out(round);
  }
  platforms::MutexLock lock(self.mutex_);
  self.ended_ = true;
  self.changed_.notify_all();
}

AllocationAccounts::Round AllocationAccounts::next_round() noexcept {
  platforms::MutexLock lock(mutex_);
  if (asked_.number == done_ && !asked_.last)
    changed_.wait_until(mutex_, platforms::monotonic_ns() + kRoundNs);
  const Round round = asked_;
  asked_.look_at_all = asked_.unload = false;
  return round;
}

void AllocationAccounts::carry_out(const Round& round) noexcept {
  book_samples();
  if (round.look_at_all)
    live_.look_at_all(session_.collections());
  else
    live_.look(kLooksEachRound, session_.collections());
  {
    platforms::MutexLock lock(mutex_);
    done_ = round.number;
    changed_.notify_all();
  }
  if (round.unload) writer_.forget();
}

void AllocationAccounts::drop(const AllocationSample& sample) noexcept {
  book_->lose(&AccountLosses::samples_dropped);
  if (sample.handle != nullptr) handles_.destroy(sample.handle);
}

void AllocationAccounts::book_samples() noexcept {
  const std::uint64_t until = ring_.claimed();
  const std::uint64_t patience = platforms::monotonic_ns() + kClaimPatienceNs;
  while (ring_.read() < until) {
    const AllocationSample* const sample = ring_.front();
    if (sample == nullptr) {
      if (platforms::monotonic_ns() >= patience) break;
      platforms::sleep_ns(kClaimLookNs);
      continue;
    }
    if (leaving_.load(std::memory_order_relaxed)) return;
    if (dropping_.load(std::memory_order_relaxed))
      drop(*sample);
    else
      writer_.write(*sample);
    ring_.pop();
  }
  if (const std::uint64_t lost = session_.take_lost(); lost != 0)
    book_->lose(&AccountLosses::samples_dropped, lost);
  if (const std::uint64_t left_out = session_.take_passed_over(); left_out != 0)
    book_->pass_over(left_out);
}

}  // namespace holdfast::clr
