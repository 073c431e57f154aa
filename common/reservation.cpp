#include "common/reservation.h"

#include "platforms/pages.h"

namespace holdfast {

namespace {

// 0 when the rounded number would not fit.
std::size_t rounded_to_pages(std::size_t bytes) noexcept {
  const std::size_t page = platforms::page_bytes();
  return bytes > SIZE_MAX - page ? 0 : (bytes + page - 1) / page * page;
}

}  // namespace

Reservation::~Reservation() { platforms::release_pages(start_, bytes_); }

Result<void> Reservation::open(std::uint64_t address_space_bytes) noexcept {
  const std::size_t bytes = address_space_bytes > SIZE_MAX
                                ? 0
                                : rounded_to_pages(static_cast<std::size_t>(address_space_bytes));
  if (start_ != nullptr)
    return make_error(ErrorCode::kTooMany, static_cast<std::int64_t>(bytes_));  // one, once
  start_ = bytes == 0 ? nullptr : platforms::reserve_pages(bytes);
  if (start_ == nullptr)
    return make_error(ErrorCode::kOutOfMemory, static_cast<std::int64_t>(address_space_bytes));
  bytes_ = bytes;
  return {};
}

Result<std::byte*> Reservation::take(std::size_t bytes) noexcept {
  const std::size_t wanted = rounded_to_pages(bytes);
  if (wanted < bytes || wanted > bytes_ - taken_)
    return make_error(ErrorCode::kTooMany, static_cast<std::int64_t>(bytes_));
  std::byte* const stretch = start_ + taken_;
  taken_ += wanted;
  return stretch;
}

Result<Arena> Reservation::take_arena(std::size_t bytes, Ledger& ledger,
                                      MemoryCategory category) noexcept {
  HF_TRY(start, take(bytes));
  return Arena(start, rounded_to_pages(bytes), ledger, category);
}

}  // namespace holdfast
