#include "jvmti/exact/count_rows.h"

#include "platforms/pages.h"

namespace holdfast::jvmti {

struct CountRows::Header {
  std::uint32_t account;
  std::uint32_t principal;
  TaggedRow lane;       // the first row of its lane
  TaggedRow next_free;  // a free lane's first row: the next free lane
};

struct CountRows::Counts {
  std::uint64_t objects;
  std::uint64_t bytes;
};

namespace {

// Objects whose class found no place; their bytes are unknown, unless they are arrays.
constexpr std::uint32_t kOtherClasses = 0;
constexpr std::size_t kClassTableBytes = std::size_t{CountRows::kMaxClasses} * sizeof(CountedClass);

std::size_t whole_pages(std::size_t bytes) noexcept {
  const std::size_t page = platforms::page_bytes();
  return (bytes + page - 1) / page * page;
}

template <class T>
T seen(const T& value) noexcept {
  return __atomic_load_n(&value, __ATOMIC_RELAXED);
}

}  // namespace

CountRows::~CountRows() {
  if (rows_ != nullptr) platforms::release_pages(rows_, row_bytes_ * kMaxRows);
  if (classes_ != nullptr)
    platforms::release_pages(reinterpret_cast<std::byte*>(classes_), whole_pages(kClassTableBytes));
}

Result<void> CountRows::open(std::uint32_t accounts, Ledger& ledger,
                             MemoryCategory category) noexcept {
  accounts_ = accounts;
  ledger_ = &ledger;
  category_ = category;
  counts_offset_ = static_cast<std::uint32_t>(
      whole_pages(kNextOffset + std::size_t{accounts} * sizeof(TaggedRow)));
  row_bytes_ = counts_offset_ + whole_pages(std::size_t{kMaxClasses} * sizeof(Counts));
  std::byte* const table = platforms::reserve_pages(whole_pages(kClassTableBytes));
  if (table == nullptr) return make_error(ErrorCode::kOutOfMemory);
  classes_ = reinterpret_cast<CountedClass*>(table);
  rows_ = platforms::reserve_pages(row_bytes_ * kMaxRows);
  if (rows_ == nullptr || !platforms::commit_pages(table, whole_pages(kClassTableBytes)))
    return make_error(ErrorCode::kOutOfMemory);
  const platforms::MutexLock lock(changing_);
  classes_[class_count_++] = CountedClass{};
  shared_lane_ = new_row(kUnaccounted, kUnaccounted, 0);
  if (shared_lane_ == 0) return make_error(ErrorCode::kOutOfMemory);
  return {};
}

// -- where things stand --

CountRows::Header& CountRows::header(std::uint32_t row) const noexcept {
  return *reinterpret_cast<Header*>(rows_ + row_bytes_ * row);
}

CountRows::Header& CountRows::header_of(TaggedRow row) const noexcept {
  return *reinterpret_cast<Header*>(row & ~kTagMask);
}

CountRows::Counts& CountRows::counts(std::uint32_t row, std::uint32_t class_index) const noexcept {
  auto* const first = reinterpret_cast<Counts*>(rows_ + row_bytes_ * row + counts_offset_);
  return first[class_index];
}

std::uint64_t* CountRows::next_of(Header& header, AccountId account) const noexcept {
  return reinterpret_cast<std::uint64_t*>(reinterpret_cast<std::byte*>(&header) + kNextOffset) +
         account;
}

std::uint32_t CountRows::place(std::uint32_t class_index) const noexcept {
  return counts_offset_ + class_index * static_cast<std::uint32_t>(sizeof(Counts)) - 1;
}

// -- rows and lanes --

// What a row touches at most: its header, the rows entered from it, the counts of the classes so far.
std::uint64_t CountRows::row_pages() const noexcept {
  const std::size_t page = platforms::page_bytes();
  return 2 + (class_count_ * sizeof(Counts) + page - 1) / page;
}

bool CountRows::charge_row() noexcept {
  return ledger_->charge(category_, row_pages() * platforms::page_bytes());
}

// `lane` 0: the row begins one. 0: there is no room.
TaggedRow CountRows::new_row(AccountId account, AccountId principal, TaggedRow lane) noexcept {
  if (row_count_ == kMaxRows || !charge_row()) return 0;
  std::byte* const memory = rows_ + row_bytes_ * row_count_;
  if (!platforms::commit_pages(memory, row_bytes_)) {
    ledger_->refund(category_, row_pages() * platforms::page_bytes());
    return 0;
  }
  const bool shared = row_count_ == 0 || lane == shared_lane_;
  const TaggedRow row = reinterpret_cast<std::uint64_t>(memory) | (shared ? kSharedTag : kOwnTag);
  Header& made = header(row_count_++);
  made.account = account;
  made.principal = principal;
  made.lane = lane == 0 ? row : lane;
  return row;
}

TaggedRow CountRows::row_for_thread(bool own_lane) noexcept {
  const platforms::MutexLock lock(changing_);
  if (!own_lane) return shared_lane_;
  if (free_lanes_ != 0) {
    const TaggedRow lane = free_lanes_;
    free_lanes_ = header_of(lane).next_free;
    return lane;
  }
  const TaggedRow lane = lane_count_ < kMaxLanes ? new_row(kUnaccounted, kUnaccounted, 0) : 0;
  if (lane == 0) {
    ++losses_.shared_threads;
    return shared_lane_;
  }
  ++lane_count_;
  return lane;
}

// Rows of a shared lane are entered by several threads at once, so a row is looked for again under the lock.
TaggedRow CountRows::row_entered(TaggedRow from, AccountId account) noexcept {
  const platforms::MutexLock lock(changing_);
  Header& left = header_of(from);
  if (left.account == account || account >= accounts_) return from;
  std::uint64_t* const known = next_of(left, account);
  if (*known != 0) return *known;
  const std::uint32_t rows = row_count_;
  TaggedRow row = 0;
  for (std::uint32_t i = 0; i < rows && row == 0; ++i) {
    const Header& other = header(i);
    if (other.lane == left.lane && other.account == account && other.principal == left.account)
      row = reinterpret_cast<std::uint64_t>(&other) | (from & kTagMask);
  }
  if (row == 0) row = new_row(account, left.account, left.lane);
  if (row == 0) {
    ++losses_.rows_missing;
    row = from;
  }
  __atomic_store_n(known, row, __ATOMIC_RELEASE);
  return row;
}

void CountRows::thread_ended(TaggedRow row) noexcept {
  if ((row & kTagMask) != kOwnTag) return;
  const platforms::MutexLock lock(changing_);
  const TaggedRow lane = header_of(row).lane;
  header_of(lane).next_free = free_lanes_;
  free_lanes_ = lane;
}

// -- classes --

std::uint32_t CountRows::add_class(const CountedClass& counted) noexcept {
  const platforms::MutexLock lock(changing_);
  const std::size_t classes_a_page = platforms::page_bytes() / sizeof(Counts);
  const bool new_page = class_count_ % classes_a_page == 0;
  const bool room = class_count_ < kMaxClasses &&
                    (!new_page || ledger_->charge(category_, row_count_ * platforms::page_bytes()));
  if (!counted.name.valid() || !room) {
    ++losses_.classes_missing;
    return place(kOtherClasses);
  }
  classes_[class_count_] = counted;
  return place(class_count_++);
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
