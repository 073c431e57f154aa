#include "jvmti/exact/count_rows.h"

#include "platforms/pages.h"

namespace holdfast::jvmti {

struct CountRows::Header {
  std::uint32_t account;
  std::uint32_t principal;
  std::uint32_t lane;
};

struct CountRows::Counts {
  std::uint64_t objects;
  std::uint64_t bytes;
};

struct CountRows::Slot {
  AccountState state;
  RowAddress row;
};

namespace {

// Objects whose class found no place; their bytes are unknown, unless they are arrays.
constexpr std::uint32_t kOtherClasses = 0;
constexpr std::uint32_t kSharedLane = 0;
constexpr std::uint32_t kCountsOffset = 64;
constexpr std::size_t kSlotBytes = std::size_t{1} << CountRows::kSlotShift;
constexpr std::size_t kLaneBytes = CountRows::kSlots * kSlotBytes;
constexpr std::size_t kAllLanesBytes = (CountRows::kMaxLanes + 1) * kLaneBytes;
constexpr std::size_t kClassTableBytes = std::size_t{CountRows::kMaxClasses} * sizeof(CountedClass);

std::size_t whole_pages(std::size_t bytes) noexcept {
  const std::size_t page = platforms::page_bytes();
  return (bytes + page - 1) / page * page;
}

template <class T>
T seen(const T& value) noexcept {
  return __atomic_load_n(&value, __ATOMIC_RELAXED);
}

std::uint32_t place(std::uint32_t class_index) noexcept { return kCountsOffset + class_index * 16; }

}  // namespace

CountRows::~CountRows() {
  if (rows_ != nullptr) platforms::release_pages(rows_, row_bytes_ * kMaxRows);
  if (lanes_ != nullptr) platforms::release_pages(lanes_, kAllLanesBytes);
  if (classes_ != nullptr)
    platforms::release_pages(reinterpret_cast<std::byte*>(classes_), whole_pages(kClassTableBytes));
}

Result<void> CountRows::open(std::uint32_t accounts, Ledger& ledger,
                             MemoryCategory category) noexcept {
  static_assert(sizeof(Slot) == kSlotBytes && sizeof(Counts) == 16);
  accounts_ = accounts;
  ledger_ = &ledger;
  category_ = category;
  row_bytes_ = whole_pages(kCountsOffset + std::size_t{kMaxClasses} * sizeof(Counts));
  std::byte* const table = platforms::reserve_pages(whole_pages(kClassTableBytes));
  if (table == nullptr) return make_error(ErrorCode::kOutOfMemory);
  classes_ = reinterpret_cast<CountedClass*>(table);
  lanes_ = platforms::reserve_pages(kAllLanesBytes);
  rows_ = platforms::reserve_pages(row_bytes_ * kMaxRows);
  if (lanes_ == nullptr || rows_ == nullptr ||
      !platforms::commit_pages(table, whole_pages(kClassTableBytes)))
    return make_error(ErrorCode::kOutOfMemory);
  const platforms::MutexLock lock(changing_);
  classes_[class_count_++] = CountedClass{};
  if (!new_lane()) return make_error(ErrorCode::kOutOfMemory);
  return {};
}

// -- where things stand --

CountRows::Header& CountRows::header(std::uint32_t row) const noexcept {
  return *reinterpret_cast<Header*>(rows_ + row_bytes_ * row);
}

CountRows::Counts& CountRows::counts(std::uint32_t row, std::uint32_t class_index) const noexcept {
  return *reinterpret_cast<Counts*>(rows_ + row_bytes_ * row + place(class_index));
}

CountRows::Slot* CountRows::slots(std::uint32_t lane) const noexcept {
  return reinterpret_cast<Slot*>(lanes_ + kLaneBytes * lane);
}

std::uint32_t CountRows::number_of(TaggedLane lane) const noexcept {
  const auto first = reinterpret_cast<std::uint64_t>(lanes_);
  return static_cast<std::uint32_t>(((lane & ~kTagMask) - first) / kLaneBytes);
}

// -- lanes --

// False: there is no room.
bool CountRows::new_lane() noexcept {
  if (lane_count_ > kMaxLanes || !ledger_->charge(category_, kLaneBytes)) return false;
  const std::uint32_t lane = lane_count_;
  const RowAddress outside =
      platforms::commit_pages(lanes_ + kLaneBytes * lane, kLaneBytes) ? new_row(lane, 0) : 0;
  if (outside == 0) return ledger_->refund(category_, kLaneBytes), false;
  slots(lane)[0].row = outside;
  ++lane_count_;
  return true;
}

TaggedLane CountRows::lane_for_thread(bool own_lane) noexcept {
  const auto tagged = [&](std::uint32_t lane) noexcept {
    return reinterpret_cast<std::uint64_t>(slots(lane)) |
           (lane == kSharedLane ? kSharedTag : kOwnTag);
  };
  const platforms::MutexLock lock(changing_);
  if (!own_lane) return tagged(kSharedLane);
  if (free_lane_ != 0) {
    const std::uint32_t lane = free_lane_;
    free_lane_ = next_free_[lane];
    return tagged(lane);
  }
  if (new_lane()) return tagged(lane_count_ - 1);
  ++losses_.shared_threads;
  return tagged(kSharedLane);
}

void CountRows::thread_ended(TaggedLane lane) noexcept {
  if ((lane & kTagMask) != kOwnTag) return;
  const platforms::MutexLock lock(changing_);
  const std::uint32_t number = number_of(lane);
  next_free_[number] = free_lane_;
  free_lane_ = number;
}

// -- rows --

// What a row touches at most: the counts of the classes so far, behind its header.
std::uint64_t CountRows::row_pages() const noexcept {
  const std::size_t page = platforms::page_bytes();
  return (place(class_count_) + page - 1) / page;
}

bool CountRows::charge_row() noexcept {
  return ledger_->charge(category_, row_pages() * platforms::page_bytes());
}

// 0: there is no room.
RowAddress CountRows::new_row(std::uint32_t lane, AccountState state) noexcept {
  if (row_count_ == kMaxRows || !charge_row()) return 0;
  std::byte* const memory = rows_ + row_bytes_ * row_count_;
  if (!platforms::commit_pages(memory, row_bytes_)) {
    ledger_->refund(category_, row_pages() * platforms::page_bytes());
    return 0;
  }
  header(row_count_++) = {static_cast<std::uint32_t>(state),
                          static_cast<std::uint32_t>(state >> 32u), lane};
  return reinterpret_cast<std::uint64_t>(memory);
}

// 0: it has none yet.
RowAddress CountRows::find_row(std::uint32_t lane, AccountState state) const noexcept {
  const std::uint32_t home = home_slot(state);
  for (std::uint32_t i = 0; i < kProbes; ++i) {
    const Slot& slot = slots(lane)[(home + i) & (kSlots - 1)];
    if (slot.row != 0 && slot.state == state) return slot.row;
  }
  for (std::uint32_t i = 0; i < row_count_; ++i) {
    const Header& row = header(i);
    if (row.lane == lane && account_state(row.account, row.principal) == state)
      return reinterpret_cast<std::uint64_t>(&row);
  }
  return 0;
}

RowAddress CountRows::row_instead(std::uint32_t lane, AccountState state) const noexcept {
  for (std::uint32_t i = 0; i < row_count_; ++i)
    if (header(i).lane == lane && header(i).account == static_cast<std::uint32_t>(state))
      return reinterpret_cast<std::uint64_t>(&header(i));
  return slots(lane)[0].row;
}

// Others read a shared lane's slots meanwhile: the row has to be there before its state is. A state whose slots are taken is asked for again
// each time: more than kSlots / 2 pairs of accounts in one thread.
void CountRows::keep(std::uint32_t lane, AccountState state, RowAddress row) noexcept {
  const std::uint32_t home = home_slot(state);
  for (std::uint32_t i = 0; i < kProbes; ++i) {
    Slot& slot = slots(lane)[(home + i) & (kSlots - 1)];
    if (slot.row != 0) continue;
    __atomic_store_n(&slot.row, row, __ATOMIC_RELAXED);
    __atomic_store_n(&slot.state, state, __ATOMIC_RELEASE);
    return;
  }
}

RowAddress CountRows::row_of(TaggedLane lane, AccountState state) noexcept {
  const platforms::MutexLock lock(changing_);
  const std::uint32_t number = number_of(lane);
  RowAddress row = find_row(number, state);
  if (row != 0) return row;
  row = static_cast<std::uint32_t>(state) < accounts_ ? new_row(number, state) : 0;
  if (row == 0) {
    ++losses_.rows_missing;
    row = row_instead(number, state);
  }
  keep(number, state, row);
  return row;
}

// -- classes --

std::uint32_t CountRows::add_class(const CountedClass& counted) noexcept {
  const platforms::MutexLock lock(changing_);
  const std::uint64_t pages_before = row_pages();
  const std::size_t page = platforms::page_bytes();
  const bool new_page = (place(class_count_ + 1) + page - 1) / page > pages_before;
  const bool room =
      class_count_ < kMaxClasses && (!new_page || ledger_->charge(category_, row_count_ * page));
  if (!counted.name.valid() || !room) {
    ++losses_.classes_missing;
    return place(kOtherClasses);
  }
  classes_[class_count_] = counted;
  return place(class_count_++);
}

// Classes are written before their place is handed out, and never again.
CountedClass CountRows::class_at(std::uint32_t place) const noexcept {
  const std::uint32_t index = (place - kCountsOffset) / 16;
  return classes_[place >= kCountsOffset && index < kMaxClasses ? index : kOtherClasses];
}

CountRows::Losses CountRows::losses() const noexcept {
  const platforms::MutexLock lock(changing_);
  return losses_;
}

// Threads go on counting meanwhile: each count is one that was true at a moment of this call.
void CountRows::visit(Visitor visitor, void* context) const noexcept {
  std::uint32_t rows = 0;
  std::uint32_t classes = 0;
  {
    const platforms::MutexLock lock(changing_);
    rows = row_count_;
    classes = class_count_;
  }
  for (std::uint32_t row = 0; row < rows; ++row)
    for (std::uint32_t each = 0; each < classes; ++each) {
      const Counts& count = counts(row, each);
      const std::uint64_t objects = seen(count.objects);
      if (objects == 0) continue;
      const std::uint64_t bytes = classes_[each].instance_bytes != 0
                                      ? objects * classes_[each].instance_bytes
                                      : seen(count.bytes);
      visitor(context, header(row).account, header(row).principal, classes_[each], objects, bytes);
    }
}

}  // namespace holdfast::jvmti
