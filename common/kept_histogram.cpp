#include "common/kept_histogram.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "platforms/pages.h"

namespace holdfast {

static_assert(KeptHistogram::kPagesBytes % 4096 == 0);

KeptHistogram::~KeptHistogram() {
  platforms::release_pages(reinterpret_cast<std::byte*>(shared_), sizeof(SharedTally));
}

Result<void> KeptHistogram::open(Reservation& reservation) noexcept {
  HF_TRY(pages, reservation.take(kPagesBytes));
  pages_ = reinterpret_cast<HistogramRow*>(pages);
  return {};
}

Result<void> KeptHistogram::take(Ledger& ledger) noexcept {
  constexpr auto kDetail = static_cast<std::int64_t>(kHeldBytes);
  if (pages_ == nullptr) return make_error(ErrorCode::kOutOfMemory, kDetail);
  if (!ledger.charge(MemoryCategory::kWorker, kHeldBytes))
    return make_error(ErrorCode::kOutOfBudget, kDetail);
  auto* const rows = reinterpret_cast<std::byte*>(pages_);
  if (!platforms::commit_pages(rows, kPagesBytes)) {
    ledger.refund(MemoryCategory::kWorker, kHeldBytes);
    return make_error(ErrorCode::kOutOfMemory, kDetail);
  }
  std::byte* const shared = platforms::shared_pages(sizeof(SharedTally));
  if (shared == nullptr) {
    platforms::decommit_pages(rows, kPagesBytes);
    ledger.refund(MemoryCategory::kWorker, kHeldBytes);
    return make_error(ErrorCode::kOutOfMemory, kDetail);
  }
  shared_ = reinterpret_cast<SharedTally*>(shared);
  return {};
}

void KeptHistogram::give_back(Ledger& ledger) noexcept {
  if (!held()) return;
  {
    platforms::MutexLock lock(mutex_);
    last_ = ClassHistogram{};
  }
  platforms::release_pages(reinterpret_cast<std::byte*>(shared_), sizeof(SharedTally));
  platforms::decommit_pages(reinterpret_cast<std::byte*>(pages_), kPagesBytes);
  ledger.refund(MemoryCategory::kWorker, kHeldBytes);
  shared_ = nullptr;
}

void KeptHistogram::tally(std::span<const ClassCount> counts) noexcept {
  shared_->tally = tally_classes(counts, shared_->rows);
}

Result<void> KeptHistogram::publish(const Catalog& catalog, const ClassHistogram& facts) noexcept {
  const ClassTally tally = shared_->tally;
  if (!sound(tally, shared_->rows, catalog.class_count()))
    return make_error(ErrorCode::kInconsistent, tally.row_count);
  const std::span<CountedClass> counted{shared_->rows, tally.row_count};
  const std::size_t rows = merge_rows(catalog, counted);
  platforms::MutexLock lock(mutex_);
  for (std::size_t i = 0; i < rows; ++i) {
    HistogramRow& row = *new (pages_ + i) HistogramRow;
    row.identity = counted[i].identity;
    row.instances = counted[i].instances;
    row.shallow_bytes = counted[i].shallow_bytes;
    keep_telling_end(catalog.class_name(ClassId{counted[i].class_index}), row.name);
  }
  const std::uint32_t refused = last_.refused;
  last_ = facts;
  last_.sequence = ++sequence_;
  last_.total_instances = tally.total_instances;
  last_.total_bytes = tally.total_bytes;
  last_.classes = tally.classes;
  last_.rows = {pages_, rows};
  const std::size_t accounts = std::min(facts.accounts.rows.size(), kMaxWatchedAccounts);
  for (std::size_t i = 0; i < accounts; ++i)
    new (account_pages() + i) WatchedAccount(facts.accounts.rows[i]);
  last_.accounts.rows = {account_pages(), accounts};
  last_.refused = refused;
  last_.refusal = {};
  return {};
}

void KeptHistogram::refuse(std::string_view why) noexcept {
  platforms::MutexLock lock(mutex_);
  keep_telling_end(why, refusal_);
  last_.refusal = refusal_;
  ++last_.refused;
}

void KeptHistogram::visit(void (*look)(void* context, const ClassHistogram& histogram) noexcept,
                          void* context) const noexcept {
  platforms::MutexLock lock(mutex_);
  look(context, last_);
}

}  // namespace holdfast
