#include "common/capture_memory.h"

#include <utility>

#include "platforms/pages.h"

namespace holdfast {

namespace {

// Shares of the capture budget that each column's address space may reach, in 1/24: see the header.
constexpr std::uint64_t kColumnShare24[CaptureMemory::kColumnCount] = {6, 6, 6, 6, 16, 8, 12, 6, 2};

std::uint64_t whole_pages(std::uint64_t bytes) noexcept {
  const std::uint64_t page = platforms::page_bytes();
  return (bytes + page - 1) / page * page;
}

std::uint64_t largest_budget(std::uint64_t memory_bytes) noexcept {
  return memory_bytes / 100 * CaptureMemory::share_percent(memory_bytes);
}

std::uint64_t column_stretch(std::uint64_t memory_bytes, std::size_t index) noexcept {
  return whole_pages(largest_budget(memory_bytes) / 24 * kColumnShare24[index]);
}

std::uint64_t catalog_stretch(std::uint64_t memory_bytes) noexcept {
  return whole_pages(memory_bytes / 8);
}
std::uint64_t work_stretch(std::uint64_t memory_bytes) noexcept {
  return whole_pages(memory_bytes);
}

// Of a reservation that exists: it fits.
std::size_t part(std::uint64_t stretch) noexcept { return static_cast<std::size_t>(stretch); }

}  // namespace

std::uint64_t CaptureMemory::address_space_bytes(std::uint64_t memory_bytes) noexcept {
  std::uint64_t sum = catalog_stretch(memory_bytes) + work_stretch(memory_bytes);
  for (std::size_t i = 0; i < kColumnCount; ++i) sum += column_stretch(memory_bytes, i);
  return sum;
}

Result<void> CaptureMemory::open(Reservation& reservation, Ledger& ledger) noexcept {
  const std::uint64_t memory = ledger.limit_bytes();
  ledger_ = &ledger;
  for (std::size_t i = 0; i < kColumnCount; ++i) {
    column_bytes_[i] = part(column_stretch(memory, i));
    HF_TRY(start, reservation.take(column_bytes_[i]));
    column_start_[i] = start;
  }
  HF_TRY(catalog,
         reservation.take_arena(part(catalog_stretch(memory)), ledger, MemoryCategory::kCatalog));
  HF_TRY(work,
         reservation.take_arena(part(work_stretch(memory)), ledger, MemoryCategory::kAnalysis));
  catalog_ = std::move(catalog);
  work_ = std::move(work);
  return {};
}

Result<void> CaptureMemory::begin_dump() noexcept {
  const std::uint64_t budget = ledger_->left_bytes() / 100 * share_percent(ledger_->limit_bytes());
  if (!ledger_->charge(MemoryCategory::kCapture, budget))
    return make_error(ErrorCode::kOutOfBudget, static_cast<std::int64_t>(budget));
  charged_capture_bytes_ = budget;
  budget_ = GrantBudget{budget, 0};
  return {};
}

void CaptureMemory::end_dump() noexcept {
  for (std::size_t i = 0; i < kColumnCount; ++i) shrink_column(i, 0);
  ledger_->refund(MemoryCategory::kCapture, charged_capture_bytes_);
  ledger_->refund(MemoryCategory::kGraph, charged_graph_bytes_);
  charged_capture_bytes_ = charged_graph_bytes_ = 0;
  budget_ = {};
  work_.reset();
  catalog_.reset();
}

Result<std::byte*> CaptureMemory::commit_column(std::size_t index) noexcept {
  if (!platforms::commit_pages(column_start_[index], column_bytes_[index]))
    return make_error(ErrorCode::kOutOfMemory, static_cast<std::int64_t>(column_bytes_[index]));
  platforms::advise_huge_pages(column_start_[index], column_bytes_[index]);
  column_committed_[index] = column_bytes_[index];
  return column_start_[index];
}

void CaptureMemory::shrink_column(std::size_t index, std::size_t used_bytes) noexcept {
  const std::size_t keep = part(whole_pages(used_bytes));
  if (column_committed_[index] <= keep) return;
  platforms::decommit_pages(column_start_[index] + keep, column_committed_[index] - keep);
  column_committed_[index] = keep;
}

void CaptureMemory::end_walk(std::uint64_t more_bytes) noexcept {
  // A column draws whole grants, and sealing appends to two columns.
  const std::uint64_t wanted = more_bytes + 2 * Column<std::uint32_t>::kGrantBytes;
  const std::uint64_t back =
      budget_.left_bytes - (wanted < budget_.left_bytes ? wanted : budget_.left_bytes);
  budget_.left_bytes -= back;
  charged_capture_bytes_ -= back;
  ledger_->refund(MemoryCategory::kCapture, back);
  ledger_->restart_peaks();
}

void CaptureMemory::release_columns_but_roots() noexcept {
  for (const CaptureColumn column :
       {kClassColumn, kUnitsColumn, kRowStartColumn, kTargetColumn, kLabelColumn})
    shrink_column(column, 0);
  settle();
  ledger_->restart_peaks();
}

void CaptureMemory::settle() noexcept {
  std::uint64_t kept = 0;
  for (std::size_t bytes : column_committed_) kept += bytes;
  // Whole pages may pass the drawn budget by a page a column: those are charged on top, and always fit, because the
  // budget is a share of what was left.
  ledger_->refund(MemoryCategory::kCapture, charged_capture_bytes_);
  charged_capture_bytes_ = 0;
  if (ledger_->charge(MemoryCategory::kGraph, kept)) charged_graph_bytes_ = kept;
}

}  // namespace holdfast
