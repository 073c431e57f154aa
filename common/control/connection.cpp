#include "common/control/connection.h"

#include <cerrno>
#include <cstring>

#include "platforms/clock.h"
#include "platforms/file.h"

namespace holdfast::control {

using platforms::Interest;

bool Connection::open(int descriptor, int ready_set, std::uint32_t number,
                      ControlMemory& memory) noexcept {
  if (platforms::watch_ready(ready_set, descriptor, number + 1, Interest::kRead) != 0) {
    platforms::close_quietly(descriptor);
    return false;
  }
  *this = Connection{};
  memory_ = &memory;
  descriptor_ = descriptor;
  ready_set_ = ready_set;
  number_ = number;
  reading_ = true;
  interest_ = Interest::kRead;
  deadline_ns_ = platforms::monotonic_ns() + kRequestTimeoutNs;
  return true;
}

void Connection::close() noexcept {
  if (!in_use()) return;
  platforms::forget_ready(ready_set_, descriptor_);
  platforms::close_quietly(descriptor_);
  memory_->give_back_backlog(number_);
  *this = Connection{};
}

std::span<const std::byte> Connection::message() const noexcept {
  return memory_->request_room(number_).first(received_);
}

Connection::Received Connection::receive() noexcept {
  return reading_ ? receive_request() : receive_behind();
}

// One read a turn: the system tells again when there is more, and nobody keeps the loop for himself.
Connection::Received Connection::receive_request() noexcept {
  const std::span<std::byte> room = memory_->request_room(number_);
  const std::int64_t got =
      platforms::receive_some(descriptor_, room.data() + received_, room.size() - received_);
  if (got == -EAGAIN) return Received::kMore;
  if (got <= 0) return Received::kBroken;
  received_ += static_cast<std::size_t>(got);
  const std::uint64_t wanted = message_bytes(message());
  if (wanted > room.size() || (wanted != 0 && received_ > wanted)) return Received::kBroken;
  if (wanted == 0 || received_ < wanted) return Received::kMore;
  reading_ = false;
  deadline_ns_ = kNoDeadline;
  return Received::kWhole;
}

// Behind its request a peer has nothing to say; its end is no reason not to answer.
Connection::Received Connection::receive_behind() noexcept {
  std::byte unsolicited;
  const std::int64_t got = platforms::receive_some(descriptor_, &unsolicited, 1);
  if (got == -EAGAIN) return Received::kMore;
  if (got != 0) return Received::kBroken;
  peer_ended_ = true;
  return listen_for(blocked() ? Interest::kWrite : resting_interest()) ? Received::kMore
                                                                       : Received::kBroken;
}

Interest Connection::resting_interest() const noexcept {
  return peer_ended_ ? Interest::kNothing : Interest::kRead;
}

bool Connection::listen_for(Interest interest) noexcept {
  if (interest == interest_) return true;
  interest_ = interest;
  return platforms::change_ready(ready_set_, descriptor_, number_ + 1, interest) == 0;
}

bool Connection::send(std::span<const std::byte> message) noexcept {
  std::int64_t sent = platforms::send_some(descriptor_, message.data(), message.size());
  if (sent == -EAGAIN) sent = 0;
  if (sent < 0) return false;
  const auto rest = message.subspan(static_cast<std::size_t>(sent));
  if (rest.empty()) return true;
  backlog_ = memory_->take_backlog(number_, rest.size());
  if (backlog_ == nullptr) return false;
  std::memcpy(backlog_, rest.data(), rest.size());
  backlog_bytes_ = rest.size();
  backlog_sent_ = 0;
  deadline_ns_ = platforms::monotonic_ns() + kStallTimeoutNs;
  return listen_for(Interest::kWrite);
}

bool Connection::flush() noexcept {
  if (!blocked()) return true;
  const std::int64_t sent =
      platforms::send_some(descriptor_, backlog_ + backlog_sent_, backlog_bytes_ - backlog_sent_);
  if (sent == -EAGAIN) return true;
  if (sent < 0) return false;
  backlog_sent_ += static_cast<std::size_t>(sent);
  deadline_ns_ = platforms::monotonic_ns() + kStallTimeoutNs;
  if (backlog_sent_ < backlog_bytes_) return true;
  memory_->give_back_backlog(number_);
  backlog_ = nullptr;
  deadline_ns_ = kNoDeadline;
  return listen_for(resting_interest());
}

}  // namespace holdfast::control
