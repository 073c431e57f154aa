// The memory ledger: every byte of ours is charged to a category, and the sum never passes the limit.
// Why: memory= is a promise to the user; the report prints these figures and they must add up.
// Shape:  one 64-bit atomic per category and one for the total. sum of categories <= total <= limit at any moment, and
//         total == sum of categories when nobody is charging.
// Zone:   any but stopped (there only what was charged before is used up).
// Errors: charge() answers false and changes nothing.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace holdfast {

enum class MemoryCategory : std::uint8_t {
  kCatalog,   // class, loader, field, thread names
  kCapture,   // columns that the capture fills
  kGraph,     // the sealed snapshot
  kAnalysis,  // scratch and results of passes
  kReport,    // the report under construction
  kWorker,    // the event loop and its allocator
  kAccounts,  // the book of allocations, and the figures that a dump takes along
};
inline constexpr std::size_t kMemoryCategoryCount = 7;
std::string_view memory_category_name(
    MemoryCategory category) noexcept;  // "catalog", "capture", ...

class Ledger {
 public:
  explicit Ledger(std::uint64_t limit_bytes) noexcept : limit_bytes_(limit_bytes) {}

  // Before the first charge: memory= is known only after the options are read.
  void set_limit(std::uint64_t limit_bytes) noexcept { limit_bytes_ = limit_bytes; }
  bool charge(MemoryCategory category, std::uint64_t bytes) noexcept;
  void refund(MemoryCategory category, std::uint64_t bytes) noexcept;

  std::uint64_t limit_bytes() const noexcept { return limit_bytes_; }
  std::uint64_t total_bytes() const noexcept { return total_.load(std::memory_order_relaxed); }
  std::uint64_t left_bytes() const noexcept { return limit_bytes_ - total_bytes(); }
  std::uint64_t category_bytes(MemoryCategory category) const noexcept;
  std::uint64_t peak_bytes() const noexcept { return peak_.load(std::memory_order_relaxed); }
  std::uint64_t category_peak_bytes(MemoryCategory category) const noexcept;
  void restart_peaks() noexcept;  // at the start of a dump

 private:
  std::uint64_t limit_bytes_;
  std::atomic<std::uint64_t> total_{0};
  std::atomic<std::uint64_t> peak_{0};
  std::array<std::atomic<std::uint64_t>, kMemoryCategoryCount> categories_{};
  std::array<std::atomic<std::uint64_t>, kMemoryCategoryCount> category_peaks_{};
};

}  // namespace holdfast
