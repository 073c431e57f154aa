#include "common/accounts/account_book.h"

#include <algorithm>
#include <utility>

#include "platforms/clock.h"

namespace holdfast {

namespace {

constexpr std::uint64_t kShareOfMemory = 8;
// Below that a book is not worth its name: it takes what it takes.
constexpr std::uint32_t kLeastRows = 1u << 10;

std::size_t names_bytes(std::size_t names, std::size_t text_bytes) noexcept {
  constexpr std::size_t kBytesPerName = 4 + 4 * 4;  // offset; two to four slots, a power of two
  return names * kBytesPerName + text_bytes + 4 * Arena::kAlignment;
}

}  // namespace

// -- room --

AccountRoom AccountRoom::within(std::uint64_t memory_bytes) noexcept {
  AccountRoom room;
  while (room.rows > kLeastRows && room.book_bytes(1, 0) > memory_bytes / kShareOfMemory) {
    room.rows /= 2;
    room.live_samples /= 2;
    room.names /= 2;
    room.text_bytes /= 2;
  }
  return room;
}

std::size_t AccountRoom::book_bytes(std::uint32_t accounts,
                                    std::size_t accounts_text_bytes) const noexcept {
  return AllocationRows::arena_bytes(rows, accounts) + LiveSamples::arena_bytes(live_samples) +
         names_bytes(std::size_t{names} + accounts, text_bytes + accounts_text_bytes) +
         accounts * sizeof(StringId);
}

std::size_t AccountRoom::figures_bytes(std::uint32_t accounts,
                                       std::size_t accounts_text_bytes) const noexcept {
  constexpr std::size_t kPiecesOfArena = 6;
  return (std::size_t{rows} + accounts) * (sizeof(AccountRow) + sizeof(AmountSum)) +
         names_bytes(std::size_t{names} + accounts, text_bytes + accounts_text_bytes) +
         accounts * sizeof(StringId) + kPiecesOfArena * Arena::kAlignment;
}

// -- load --

Result<void> AccountBook::open(Arena arena, const AccountPatterns& patterns,
                               const AccountSettings& settings, const AccountRoom& room) noexcept {
  platforms::MutexLock lock(writing_);
  arena_ = std::move(arena);
  patterns_ = patterns;
  const std::uint32_t accounts = patterns.count();
  std::size_t accounts_text = 0;
  for (AccountId i = 0; i < accounts; ++i) accounts_text += patterns.name(i).size();
  HF_TRY(names, StringTable::make(arena_, room.names + accounts, room.text_bytes + accounts_text));
  names_ = names;
  HF_CHECK_OK(name_accounts());
  HF_CHECK_OK(rows_.make(room.rows, accounts, other_classes_, arena_));
  HF_CHECK_OK(live_.make(room.live_samples, settings.chance_seed, arena_));
  began_utc_ms_ = platforms::utc_ms();
  settings_ = settings;  // it is open
  return {};
}

Result<void> AccountBook::name_accounts() noexcept {
  HF_TRY(ids, arena_.make_filled<StringId>(patterns_.count(), StringId{0}));
  for (AccountId i = 0; i < patterns_.count(); ++i) ids[i] = names_.intern(patterns_.name(i));
  account_names_ = ids;
  other_classes_ = names_.intern(kOtherClassesName);
  other_ = names_.intern(kOtherName);
  return {};
}

// -- event --

StringId AccountBook::name(std::string_view text) noexcept {
  platforms::MutexLock lock(writing_);
  const StringId id = names_.intern(text);
  return id == StringId{0} && !text.empty() ? other_ : id;
}

// A class whose name found no room is one of the others.
std::uint32_t AccountBook::row_of(const AllocationKey& key, std::uint64_t count) noexcept {
  const std::uint32_t row =
      key.class_name == other_ ? rows_.rest_of(key.account) : rows_.find_or_add(key);
  if (rows_.is_rest(row)) losses_.rows_full += count;
  return row;
}

AccountBook::LiveTag AccountBook::sampled(const AllocationKey& key,
                                          std::uint64_t shallow_bytes) noexcept {
  platforms::MutexLock lock(writing_);
  if (!is_open() || key.account >= patterns_.count() || shallow_bytes == 0) {
    ++losses_.samples_dropped;
    return 0;
  }
  const bool counts = settings_.mode == AccountMode::kSampled;
  const std::uint32_t row = row_of(key, counts ? 1 : 0);
  if (counts) {
    AllocationRow& of = rows_.row(row);
    ++of.samples;
    of.allocated.add_sample(sample_weight(shallow_bytes, settings_.sample_interval_bytes),
                            shallow_bytes);
  }
  return live_known_ ? live_.add(row, shallow_bytes) : 0;
}

void AccountBook::died(LiveTag tag) noexcept {
  platforms::MutexLock lock(writing_);
  live_.remove(tag);
}

bool AccountBook::follows(LiveTag tag) noexcept {
  platforms::MutexLock lock(writing_);
  return live_.has(tag);
}

std::uint32_t AccountBook::most_live_samples() noexcept {
  platforms::MutexLock lock(writing_);
  return live_.capacity();
}

void AccountBook::lose(std::uint64_t AccountLosses::*what, std::uint64_t count) noexcept {
  platforms::MutexLock lock(writing_);
  losses_.*what += count;
}

void AccountBook::set_live_known(bool known) noexcept {
  platforms::MutexLock lock(writing_);
  live_known_ = known;
}

// -- exact mode --

void AccountBook::begin_counts() noexcept {
  platforms::MutexLock lock(writing_);
  for (AllocationRow& row : rows_.own()) row.allocated = {};
  for (AllocationRow& row : rows_.rest()) row.allocated = {};
  losses_.rows_full = 0;
}

void AccountBook::counted(const AllocationKey& key, std::uint64_t objects,
                          std::uint64_t bytes) noexcept {
  platforms::MutexLock lock(writing_);
  if (!is_open() || key.account >= patterns_.count()) return;
  rows_.row(row_of(key, 1)).allocated.add_counted(objects, bytes);
}

// -- capture --

Result<std::span<AccountRow>> AccountBook::copy_rows(Arena& arena) noexcept {
  const auto rest_count = static_cast<std::size_t>(
      std::count_if(rows_.rest().begin(), rows_.rest().end(), took_something));
  HF_TRY(room, arena.make<AccountRow>(rows_.own().size() + rest_count));
  std::uint32_t used = 0;
  const auto copy = [&](AllocationRow& row) {
    row.at_read = row.allocated;
    row.copied_to = used;
    const AllocationKey& key = row.key;
    room[used++] = {key.account,
                    key.principal,
                    key.class_name,
                    key.method,
                    key.thread,
                    row.allocated.rounded(),
                    row.allocated.since(row.reported).rounded(),
                    AccountAmount{},
                    row.samples};
  };
  for (AllocationRow& row : rows_.own()) copy(row);
  for (AllocationRow& row : rows_.rest())
    if (took_something(row)) copy(row);
  return room;
}

// `out` as copy_rows left it.
Result<void> AccountBook::add_live(std::span<AccountRow> out, Arena& arena) noexcept {
  const ArenaScope scratch(arena);
  HF_TRY(sums, arena.make_filled<AmountSum>(out.size(), AmountSum{}));
  const double share = live_.kept_share();
  for (const LiveSamples::Slot& slot : live_.slots()) {
    if (!slot.lives()) continue;
    const double weight = sample_weight(slot.shallow_bytes, settings_.sample_interval_bytes);
    sums[rows_.row(slot.row).copied_to].add_sample(weight / share, slot.shallow_bytes);
  }
  for (std::size_t i = 0; i < out.size(); ++i) out[i].live = sums[i].rounded();
  return {};
}

Result<void> AccountBook::copy_all(Arena& arena, AccountFigures& out) noexcept {
  HF_TRY(rows, copy_rows(arena));
  HF_CHECK_OK(add_live(rows, arena));
  HF_TRY(strings, names_.read_only_copy(arena));
  HF_TRY(accounts, arena.make<StringId>(account_names_.size()));
  std::copy(account_names_.begin(), account_names_.end(), accounts.begin());
  out.rows = rows;
  out.strings = strings;
  out.accounts = accounts;
  return {};
}

Result<AccountFigures> AccountBook::read(Arena& arena) noexcept {
  platforms::MutexLock lock(writing_);
  const Arena::Mark before = arena.mark();
  AccountFigures out;
  if (const Result<void> copied = copy_all(arena, out); !copied) {
    arena.rewind(before);
    return copied.error();
  }
  out.mode = settings_.mode;
  out.dimensions = settings_.dimensions;
  out.sample_interval_bytes = settings_.sample_interval_bytes;
  out.live_known = live_known_;
  out.began_utc_ms = began_utc_ms_;
  out.last_report_utc_ms = last_report_utc_ms_;
  out.losses = losses_;
  out.losses.live_thinned += live_.given_up();
  return out;
}

void AccountBook::reported(std::uint64_t utc_ms) noexcept {
  platforms::MutexLock lock(writing_);
  for (AllocationRow& row : rows_.own()) row.reported = row.at_read;
  for (AllocationRow& row : rows_.rest()) row.reported = row.at_read;
  last_report_utc_ms_ = utc_ms;
}

}  // namespace holdfast
