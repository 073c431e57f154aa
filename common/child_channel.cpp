#include "common/child_channel.h"

#include <algorithm>
#include <cstring>

#include "platforms/clock.h"

namespace holdfast {

namespace {

constexpr std::uint64_t kChannelLookNs = 100'000;

std::size_t piece_bytes(std::size_t left) noexcept {
  return std::min(left, ChildMailbox::kTextBytes);
}

}  // namespace

// Of no bytes, too, there is a piece: else the other side could not tell whether it was sent.
Result<void> ChildChannel::send(std::span<const std::byte> message) noexcept {
  std::span<const std::byte> left = message;
  do {
    HF_CHECK_OK(await(mailbox_.pieces_taken, pieces_));
    const std::size_t bytes = piece_bytes(left.size());
    if (bytes != 0) std::memcpy(mailbox_.text, left.data(), bytes);
    mailbox_.message_bytes = message.size();
    mailbox_.pieces_sent.store(++pieces_, std::memory_order_release);
    left = left.last(left.size() - bytes);
  } while (!left.empty());
  return {};
}

Result<void> ChildChannel::receive(std::span<std::byte> message) noexcept {
  std::span<std::byte> left = message;
  do {
    HF_CHECK_OK(await(mailbox_.pieces_sent, pieces_ + 1));
    const std::uint64_t told = mailbox_.message_bytes;
    if (told != message.size()) return fail(ErrorCode::kInconsistent, told);
    const std::size_t bytes = piece_bytes(left.size());
    if (bytes != 0) std::memcpy(left.data(), mailbox_.text, bytes);
    mailbox_.pieces_taken.store(++pieces_, std::memory_order_release);
    left = left.last(left.size() - bytes);
  } while (!left.empty());
  return {};
}

// Pairs with the store of the other side that makes the counter `wanted`.
Result<void> ChildChannel::await(const std::atomic<std::uint32_t>& counter,
                                 std::uint32_t wanted) noexcept {
  if (failed_) return failure_;
  const std::uint64_t began = platforms::monotonic_ns();
  for (;;) {
    // First: what a child told before it went is there once it is known to be gone.
    const bool gone = side_ == Side::kParent && mailbox_.gone.load(std::memory_order_acquire);
    if (counter.load(std::memory_order_acquire) == wanted) return {};
    if (gone) return fail(ErrorCode::kCancelled, 0);
    if (platforms::monotonic_ns() - began > patience_ns_)
      return fail(ErrorCode::kDeadline, patience_ns_);
    platforms::sleep_ns(kChannelLookNs);
  }
}

Result<void> ChildChannel::fail(ErrorCode code, std::uint64_t detail) noexcept {
  failed_ = true;
  failure_ = make_error(code, static_cast<std::int64_t>(detail));
  return failure_;
}

}  // namespace holdfast
