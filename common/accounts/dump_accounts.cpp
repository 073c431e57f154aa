#include "common/accounts/dump_accounts.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "common/time_units.h"
#include "common/vm_adapter.h"
#include "platforms/clock.h"

namespace holdfast {

namespace {

// As much text as a file of patterns can have.
constexpr std::uint32_t kMostAccounts = kMaxAccounts + 1;

// Its classes are patterns of accounts; twice its text beside these.
constexpr std::size_t kFilterBytes = AccountPatterns::kMostBytes + 2 * kMaxOptionText;

std::size_t book_stretch(const AccountRoom& room) noexcept {
  return AccountPatterns::kMostBytes + room.book_bytes(kMostAccounts, kMaxPatternFileBytes) +
         ClassLives::arena_bytes(room.names + kMostAccounts) + kFilterBytes +
         ThreadAnnotations::arena_bytes();
}
std::size_t figures_stretch(const AccountRoom& room) noexcept {
  return room.figures_bytes(kMostAccounts, kMaxPatternFileBytes) +
         watched_accounts_bytes(kMostAccounts) + sampled_ages_bytes(room.names + kMostAccounts);
}

// What is counted is neither told apart nor chosen by what threads say: nobody looks at a single object.
Result<void> check_sampled(const Options& options, PatternError& error) noexcept {
  if (!counts_allocations(options.accounts_mode) || options.accounts[0] == '\0') return {};
  const bool by_annotations = (options.accounts_by & kByAnnotations) != 0;
  if (!by_annotations && options.sample_only[0] == '\0') return {};
  std::snprintf(error.text, sizeof error.text,
                by_annotations
                    ? "accounts-by=: user, application, request and session are told of samples "
                      "alone, wanted is accounts-mode=sampled"
                    : "sample-only=: in exact modes everything is counted, wanted is "
                      "accounts-mode=sampled");
  return make_error(ErrorCode::kUnsupported);
}

}  // namespace

std::uint64_t DumpAccounts::address_space_bytes(std::uint64_t memory_bytes) noexcept {
  constexpr std::size_t kRounding = std::size_t{128} << 10;  // of two stretches to pages of 64 KB
  const AccountRoom room = AccountRoom::within(memory_bytes);
  return book_stretch(room) + figures_stretch(room) + kRounding;
}

Result<void> DumpAccounts::reserve(Reservation& reservation, Ledger& ledger) noexcept {
  room_ = AccountRoom::within(ledger.limit_bytes());
  HF_TRY(book, reservation.take_arena(book_stretch(room_), ledger, MemoryCategory::kAccounts));
  HF_TRY(figures,
         reservation.take_arena(figures_stretch(room_), ledger, MemoryCategory::kAccounts));
  book_arena_ = std::move(book);
  figures_arena_ = std::move(figures);
  return {};
}

Result<void> DumpAccounts::open(const Options& options, PatternError& error) noexcept {
  told_ = options.accounts[0] != '\0';
  HF_CHECK_OK(check_sampled(options, error));
  HF_TRY(filter, SampleFilter::make(options.sample_only, book_arena_, error));
  HF_TRY(patterns, told_ ? AccountPatterns::make(options.accounts, book_arena_, error)
                         : AccountPatterns::none(book_arena_));
  AccountSettings settings;
  settings.mode = options.accounts_mode;
  settings.dimensions = options.accounts_by;
  settings.sample_interval_bytes = options.sample_bytes;
  settings.steady = options.sample_steady;
  settings.filter = filter;
  settings.sample_only = options.sample_only;
  settings.ages = ages_on_ = options.ages != AgesChoice::kOff;
  return book_.open(std::move(book_arena_), patterns, settings, room_);
}

void DumpAccounts::take(VmAdapter& adapter, std::uint64_t pause_limit_ns, Notes& notes) noexcept {
  if (!told_ || !book_.is_open() || taken_) return;
  stopped_ns_ = adapter.tell_accounts(book_, pause_limit_ns, notes);
  Result<AccountFigures> read = book_.read(figures_arena_);
  taken_ = read.ok();
  if (taken_) figures_ = *read;
  note_missing(notes);
}

void DumpAccounts::take_ages(VmAdapter& adapter, const AgeVerdict& verdict, Notes& notes) noexcept {
  if (!ages_on_ || ages_taken_) return;
  ages_ = DumpAges{};
  ages_.verdict = verdict;
  ages_taken_ = true;
  const std::uint64_t now = adapter.collection_count();
  if (!book_.is_open() || now == kUnknownCount) return;
  const AgeQuestion question{
      now - std::min(now, verdict.collections), now, {}, platforms::monotonic_ns() / kNsPerMs};
  const Result<SampledAges> read = read_sampled_ages(book_, question, figures_arena_);
  ages_.sampled_told = read.ok();
  if (!read) return notes.add("ages of samples are left out: memory= has no room to sum them up");
  ages_.sampled = *read;
  ages_.names = book_.names();
  const SamplingPace& pace = book_.pace();
  ages_.sample_interval_bytes = pace.interval_bytes(pace.raises());
}

WatchedAccounts DumpAccounts::summed_up() noexcept {
  WatchedAccounts none;
  none.on = none.left_out = told_ && book_.is_open();
  if (!taken_) return none;
  const Result<WatchedAccounts> accounts = sum_up(figures_, figures_arena_);
  return accounts ? *accounts : none;
}

void DumpAccounts::note_missing(Notes& notes) const noexcept {
  if (told_ && book_.is_open() && !taken_)
    notes.add("accounts are left out: memory= has no room for a copy of them");
}

void DumpAccounts::end_dump(bool reported) noexcept {
  if (taken_ && reported) book_.reported(platforms::utc_ms());
  taken_ = ages_taken_ = false;
  stopped_ns_ = 0;
  figures_ = AccountFigures{};
  figures_arena_.reset();
}

}  // namespace holdfast
