// Messages of any length between a dump's child and its parent, through the mailbox's text.
// Why: some VMs cannot say everything before the pause; what is asked afterwards, and what is answered, fits into no table that could be
//      made at load.
// Shape:  one channel on each side, as long as the mailbox's life. Each send of n bytes is met by a receive of n bytes on the other side;
//         who speaks next is agreed between the callers, and both know how long the message is (so a length is a message of its own).
//         A message goes in pieces of at most kTextBytes, one at a time: sent = taken + 1 while a piece waits, sent = taken while the
//         text is free. Each side counts for itself and takes only the next number, and never more bytes than it asked for.
// Zone:   child (its end), capture (the parent's).
// Errors: kDeadline: the other side was silent for patience_ns. kInconsistent (detail: the bytes it spoke of): a message of another
//         length. kCancelled, parent only: the child is gone, and why its watcher knows. The first error is answered from then on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "common/child_mailbox.h"
#include "common/result.h"

namespace holdfast {

class ChildChannel {
 public:
  enum class Side : std::uint8_t { kChild, kParent };

  ChildChannel(ChildMailbox& mailbox, Side side, std::uint64_t patience_ns) noexcept
      : mailbox_(mailbox), side_(side), patience_ns_(patience_ns) {}

  // Comes back when the last piece lies there, not when it was taken.
  Result<void> send(std::span<const std::byte> message) noexcept;
  Result<void> receive(std::span<std::byte> message) noexcept;

 private:
  Result<void> await(const std::atomic<std::uint32_t>& counter, std::uint32_t wanted) noexcept;
  Result<void> fail(ErrorCode code, std::uint64_t detail) noexcept;

  ChildMailbox& mailbox_;
  const Side side_;
  const std::uint64_t patience_ns_;
  std::uint32_t pieces_ = 0;  // that went through here, either way
  bool failed_ = false;
  Error failure_{};
};

}  // namespace holdfast
