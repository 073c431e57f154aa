#include "common/accounts/account_book.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "platforms/clock.h"

namespace holdfast {

namespace {

constexpr std::uint64_t kShareOfMemory = 8;
// Below that a book is not worth its name: it takes what it takes.
constexpr std::uint32_t kLeastRows = 1u << 10;

// A collection that tells of dead objects may wait for the book: copied under one lock is what takes 100 us.
constexpr std::size_t kRowsAtOnce = 1024;
constexpr std::size_t kSamplesAtOnce = 8192;
constexpr int kTriesInPieces = 3;              // then all at once
constexpr std::size_t kFollowedAtOnce = 2048;  // each with its row, which is a cache miss

std::size_t names_bytes(std::size_t names, std::size_t text_bytes) noexcept {
  constexpr std::size_t kBytesPerName = 4 + 4 * 4;  // offset; two to four slots, a power of two
  return names * kBytesPerName + text_bytes + 4 * Arena::kAlignment;
}

std::size_t live_counts_bytes(std::size_t rows, std::size_t accounts) noexcept {
  return (rows + accounts) * sizeof(AmountSum) + Arena::kAlignment;
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
  return AllocationRows::arena_bytes(rows, accounts) +
         std::max(LiveSamples::arena_bytes(live_samples), live_counts_bytes(rows, accounts)) +
         names_bytes(std::size_t{names} + accounts, text_bytes + accounts_text_bytes) +
         accounts * sizeof(StringId);
}

std::size_t AccountRoom::figures_bytes(std::uint32_t accounts,
                                       std::size_t accounts_text_bytes) const noexcept {
  constexpr std::size_t kPiecesOfArena = 8;
  return LiveSamples::arena_bytes(live_samples) +
         (std::size_t{rows} + accounts) * (sizeof(AccountRow) + sizeof(AmountSum)) +
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
  if (settings.mode == AccountMode::kExactLive) {
    HF_TRY(counts, arena_.make_zeroed<AmountSum>(std::size_t{room.rows} + accounts));
    live_counts_ = counts;
  } else {
    HF_CHECK_OK(live_.make(room.live_samples, settings.chance_seed, arena_));
    if (settings.ages) HF_CHECK_OK(lives_.make(room.names + accounts, arena_));
  }
  HF_CHECK_OK(annotations_.open(
      arena_, (settings.dimensions & kByAnnotations) >> kFirstAnnotationBit, settings.filter));
  pace_.open(settings.sample_interval_bytes, settings.steady, settings.chance_seed,
             settings.ages ? SamplingPace::kPurseNs : 0);
  began_utc_ms_ = platforms::utc_ms();
  settings_ = settings;  // it is open
  return {};
}

void AccountBook::close() noexcept {
  platforms::MutexLock lock(writing_);
  settings_ = {};
  patterns_ = {};
  rows_ = {};
  live_ = {};
  lives_ = {};
  names_ = {};
  account_names_ = {};
  live_counts_ = {};
  arena_.reset();
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

AccountBook::LiveTag AccountBook::sampled(const AllocationKey& key, std::uint64_t shallow_bytes,
                                          const SampleMoment& moment) noexcept {
  platforms::MutexLock lock(writing_);
  if (!is_open() || key.account >= patterns_.count() || shallow_bytes == 0) {
    ++losses_.samples_dropped;
    return 0;
  }
  const bool counts = !counts_allocations(settings_.mode);
  const std::uint32_t row = row_of(key, counts ? 1 : 0);
  if (counts) {
    AllocationRow& of = rows_.row(row);
    ++of.samples;
    of.allocated.add_sample(sample_weight(shallow_bytes, pace_.interval_bytes(moment.raises)),
                            shallow_bytes);
  }
  lives_.born(key.class_name, moment.born, moment.at_ms,
              passed_over_.load(std::memory_order_relaxed));
  return live_known_ ? live_.add(row, shallow_bytes, moment) : 0;
}

void AccountBook::died(LiveTag tag, std::uint64_t collections) noexcept {
  platforms::MutexLock lock(writing_);
  const LiveSamples::Slot* const slot = live_.find(tag);
  if (slot == nullptr) return;
  if (lives_.is_on() && collections != 0) {
    const double weight = sample_weight(slot->shallow_bytes, pace_.interval_bytes(slot->raises));
    lives_.died(rows_.row(slot->row).key.class_name, LiveSamples::age(*slot, collections),
                weight / live_.kept_share());
  }
  live_.remove(tag);
}

bool AccountBook::life_of(StringId class_name, ClassLife& out) noexcept {
  platforms::MutexLock lock(writing_);
  const ClassLife* const life = lives_.find(class_name);
  if (life != nullptr) out = *life;
  return life != nullptr;
}

LivesSpan AccountBook::lives_span() noexcept {
  platforms::MutexLock lock(writing_);
  LivesSpan span = lives_.span();
  span.samples += passed_over_.load(std::memory_order_relaxed);
  return span;
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

bool AccountBook::visit_followed(std::uint64_t now,
                                 void (*look)(void* context, const Followed&) noexcept,
                                 void* context) noexcept {
  double share = 0;
  std::size_t next = 0;
  for (bool more = true; more;) {
    platforms::MutexLock lock(writing_);
    if (next == 0) share = live_.kept_share();
    if (live_.kept_share() != share) return false;
    const std::span<const LiveSamples::Slot> slots = live_.slots();
    const std::size_t stop = std::min(slots.size(), next + kFollowedAtOnce);
    for (; next < stop; ++next) {
      const LiveSamples::Slot& slot = slots[next];
      if (!slot.lives()) continue;
      const double weight = sample_weight(slot.shallow_bytes, pace_.interval_bytes(slot.raises));
      look(context, {rows_.row(slot.row).key.class_name, slot.shallow_bytes, weight / share,
                     LiveSamples::age(slot, now)});
    }
    more = next < slots.size();
  }
  return true;
}

// -- exact modes --

std::uint32_t AccountBook::allocated(const AllocationKey& key,
                                     std::uint64_t shallow_bytes) noexcept {
  platforms::MutexLock lock(writing_);
  if (!is_open()) return 0;
  AllocationKey known = key;
  if (key.account >= patterns_.count()) known.account = kUnaccounted;
  const std::uint32_t row = row_of(known, 1);
  rows_.row(row).allocated.add_counted(1, shallow_bytes);
  return row;
}

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

void AccountBook::begin_live() noexcept {
  std::fill(live_counts_.begin(), live_counts_.end(), AmountSum{});
}

void AccountBook::lives(std::uint32_t row, std::uint64_t shallow_bytes,
                        std::uint32_t halvings) noexcept {
  if (row < live_counts_.size())
    live_counts_[row].add_sample(std::ldexp(1.0, static_cast<int>(halvings)), shallow_bytes);
}

// -- capture --

namespace {

AccountRow copied(AllocationRow& row) noexcept {
  row.at_read = row.allocated;
  const AllocationKey& key = row.key;
  return {key.account,
          key.principal,
          key.class_name,
          key.method,
          key.thread,
          key.annotation,
          row.allocated.rounded(),
          row.allocated.since(row.reported).rounded(),
          AccountAmount{},
          row.samples};
}

}  // namespace

std::size_t AccountBook::copy_own(std::span<AccountRow> room) noexcept {
  std::size_t used = 0;
  for (bool more = true; more;) {
    platforms::MutexLock lock(writing_);
    const std::size_t end = std::min(rows_.own().size(), room.size());
    const std::size_t stop = std::min(end, used + kRowsAtOnce);
    for (; used < stop; ++used) {
      AllocationRow& row = rows_.own()[used];
      row.copied_to = static_cast<std::uint32_t>(used);
      room[used] = copied(row);
    }
    more = used < end;
  }
  return used;
}

void AccountBook::copy_rest(std::span<AccountRow> room, std::size_t& used) noexcept {
  for (std::size_t next = 0; next < patterns_.count();) {
    platforms::MutexLock lock(writing_);
    const std::size_t stop = std::min<std::size_t>(patterns_.count(), next + kRowsAtOnce);
    for (; next < stop; ++next) {
      AllocationRow& row = rows_.rest()[next];
      if (!took_something(row)) continue;
      row.copied_to = static_cast<std::uint32_t>(used);
      room[used++] = copied(row);
    }
  }
}

// False: they were thinned meanwhile, so that those here do not stand for the same number each.
bool AccountBook::copy_live_in_pieces(std::span<LiveSamples::Slot> out, double& share) noexcept {
  {
    platforms::MutexLock lock(writing_);
    share = live_.kept_share();
  }
  for (std::size_t next = 0; next < out.size();) {
    platforms::MutexLock lock(writing_);
    const std::size_t count = std::min(kSamplesAtOnce, out.size() - next);
    std::copy_n(live_.slots().begin() + static_cast<std::ptrdiff_t>(next), count,
                out.begin() + static_cast<std::ptrdiff_t>(next));
    next += count;
  }
  platforms::MutexLock lock(writing_);
  return live_.kept_share() == share;
}

Result<std::span<const LiveSamples::Slot>> AccountBook::copy_live(Arena& arena,
                                                                  double& share) noexcept {
  std::size_t count = 0;
  {
    platforms::MutexLock lock(writing_);
    count = live_.slots().size();
  }
  HF_TRY(out, arena.make_filled<LiveSamples::Slot>(count, LiveSamples::Slot{}));
  for (int tries = 0; tries < kTriesInPieces; ++tries)
    if (copy_live_in_pieces(out, share)) return std::span<const LiveSamples::Slot>(out);
  platforms::MutexLock lock(writing_);
  share = live_.kept_share();
  std::copy_n(live_.slots().begin(), count, out.begin());
  return std::span<const LiveSamples::Slot>(out);
}

void AccountBook::sum_samples(std::span<const LiveSamples::Slot> live, double share,
                              std::span<AmountSum> sums, std::size_t own) noexcept {
  AllocationRows seen;
  {
    platforms::MutexLock lock(writing_);
    seen = rows_;  // rows stay where they are, and copied_to is written here alone
  }
  for (const LiveSamples::Slot& slot : live) {
    if (!slot.lives()) continue;
    if (!seen.is_rest(slot.row) && slot.row >= own) continue;  // there was no room for so many
    const double weight = sample_weight(slot.shallow_bytes, pace_.interval_bytes(slot.raises));
    sums[seen.row(slot.row).copied_to].add_sample(weight / share, slot.shallow_bytes);
  }
}

// A row is copied as the first of its number, or, of those for the rest, only if it took something.
void AccountBook::sum_live_counts(std::span<AmountSum> sums, std::size_t own) noexcept {
  const std::size_t rest = live_counts_.size() - patterns_.count();
  std::copy_n(live_counts_.begin(), std::min(own, rest), sums.begin());
  for (std::size_t account = 0; account < patterns_.count(); ++account) {
    const AmountSum& lives = live_counts_[rest + account];
    if (lives.objects == 0) continue;
    platforms::MutexLock lock(writing_);
    sums[rows_.rest()[account].copied_to] = lives;
  }
}

// Rows after what lives: so no row has more that lives than were ever allocated.
Result<std::span<AccountRow>> AccountBook::copy_rows(std::span<const LiveSamples::Slot> live,
                                                     double share, std::span<AccountRow> room,
                                                     Arena& arena) noexcept {
  HF_TRY(sums, arena.make_filled<AmountSum>(room.size(), AmountSum{}));
  std::size_t used = copy_own(room.first(room.size() - patterns_.count()));
  const std::size_t own = used;
  copy_rest(room, used);
  if (live_counts_.empty())
    sum_samples(live, share, sums, own);
  else
    sum_live_counts(sums, own);
  for (std::size_t i = 0; i < used; ++i) room[i].live = sums[i].rounded();
  return room.first(used);
}

Result<void> AccountBook::copy_all(Arena& arena, AccountFigures& out) noexcept {
  std::size_t rows = 0;
  {
    platforms::MutexLock lock(writing_);
    rows = std::min(rows_.own().size() + kRowsAtOnce, rows_.own_capacity());
  }
  // Touched here, because the first touch of a page costs more than what is then copied into it.
  HF_TRY(room, arena.make_filled<AccountRow>(rows + patterns_.count(), AccountRow{}));
  double share = 1;
  HF_TRY(live, copy_live(arena, share));
  HF_TRY(copied_rows, copy_rows(live, share, room, arena));
  out.rows = arena.shrink_last(room, copied_rows.size());
  StringTable names;
  {
    platforms::MutexLock lock(writing_);
    names = names_;  // what it holds by now is never written again
  }
  HF_TRY(strings, names.read_only_copy(arena));
  HF_TRY(accounts, arena.make<StringId>(account_names_.size()));
  std::copy(account_names_.begin(), account_names_.end(), accounts.begin());
  out.strings = strings;
  out.accounts = accounts;
  return {};
}

Result<AccountFigures> AccountBook::read(Arena& arena) noexcept {
  const Arena::Mark before = arena.mark();
  AccountFigures out;
  if (const Result<void> made = copy_all(arena, out); !made) {
    arena.rewind(before);
    return made.error();
  }
  platforms::MutexLock lock(writing_);
  out.mode = settings_.mode;
  out.dimensions = settings_.dimensions;
  const bool samples = settings_.mode != AccountMode::kExactLive;
  out.sample_interval_bytes = samples ? pace_.interval_bytes(pace_.raises()) : 0;
  out.live_known = live_known_;
  out.began_utc_ms = began_utc_ms_;
  out.last_report_utc_ms = last_report_utc_ms_;
  out.losses = losses_;
  out.losses.live_thinned += live_.given_up();
  out.losses.annotations_other = annotations_.figures().other;
  out.sample_only = settings_.sample_only;
  out.passed_over = passed_over_.load(std::memory_order_relaxed);
  return out;
}

void AccountBook::reported(std::uint64_t utc_ms) noexcept {
  platforms::MutexLock lock(writing_);
  for (AllocationRow& row : rows_.own()) row.reported = row.at_read;
  for (AllocationRow& row : rows_.rest()) row.reported = row.at_read;
  last_report_utc_ms_ = utc_ms;
}

}  // namespace holdfast
