#include "cli/demo/shop_visitor.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>

#include "platforms/clock.h"

namespace holdfast::cli {
namespace {

constexpr std::uint64_t kMillisecondNs = 1'000'000, kAnswerNs = 20'000 * kMillisecondNs;
constexpr std::size_t kMaxAnswer = std::size_t{1} << 20;
constexpr std::string_view kEndOfHead = "\r\n\r\n";
constexpr std::string_view kLength = "\ncontent-length:";

}  // namespace

std::int64_t content_length(const std::string& head) {
  std::string text = head;
  std::ranges::transform(text, text.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  std::size_t at = text.find(kLength);
  if (at == std::string::npos) return -1;
  at = text.find_first_not_of(' ', at + kLength.size());
  std::uint32_t length = 0;
  if (at == std::string::npos) return -1;
  const auto read = std::from_chars(text.data() + at, text.data() + text.size(), length);
  return read.ec == std::errc{} ? std::int64_t{length} : -1;
}

bool ShopVisitor::said(int error) {
  trouble_ = error == 0 ? "it closed the connection" : std::strerror(error);
  return false;
}

bool ShopVisitor::open(std::uint16_t port) {
  stream_ = platforms::connect_loopback(port);
  return stream_.valid() || said(stream_.error());
}

// What a signal interrupts goes on, in what is left of the time. The time of a Ctrl-Z does not count.
template <class Step>
std::int64_t ShopVisitor::in_time(const Step& step) {
  for (;;) {
    const std::uint64_t now = platforms::monotonic_ns();
    const std::uint64_t left_ns = now < end_ns_ ? end_ns_ - now : 0;
    const std::int64_t bytes =
        step(static_cast<unsigned>(left_ns / kMillisecondNs), interrupts_.descriptor());
    if (bytes != -EINTR) return bytes;
    const std::uint64_t heard = platforms::monotonic_ns();
    interrupted_ = interrupts_.end_wanted();
    if (interrupted_) return bytes;
    end_ns_ += platforms::monotonic_ns() - heard;
  }
}

bool ShopVisitor::send(const std::string& request) {
  for (std::size_t at = 0; at < request.size();) {
    const std::int64_t bytes = in_time([&](unsigned milliseconds, int waker) {
      return platforms::send_some_to(stream_.get(), request.data() + at, request.size() - at,
                                     milliseconds, waker);
    });
    if (bytes < 0) return said(static_cast<int>(-bytes));
    at += static_cast<std::size_t>(bytes);
  }
  return true;
}

bool ShopVisitor::receive() {
  char part[4096];
  const std::int64_t bytes = in_time([&](unsigned milliseconds, int waker) {
    return platforms::receive_some(stream_.get(), part, sizeof part, milliseconds, waker);
  });
  if (bytes <= 0) return said(static_cast<int>(-bytes));
  buffer_.append(part, static_cast<std::size_t>(bytes));
  return buffer_.size() <= kMaxAnswer || said(EMSGSIZE);
}

bool ShopVisitor::get(const std::string& path) {
  end_ns_ = platforms::monotonic_ns() + kAnswerNs;
  if (!send("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n")) return false;
  std::size_t end = std::string::npos;
  while ((end = buffer_.find(kEndOfHead)) == std::string::npos)
    if (!receive()) return false;
  const std::string head = buffer_.substr(0, end + kEndOfHead.size());
  const std::int64_t length = content_length(head);
  const std::string status = head.substr(0, head.find('\r'));
  if (length < 0 || status.find(" 200 ") == std::string::npos) {
    trouble_ = status;
    return false;
  }
  const std::size_t whole = head.size() + static_cast<std::size_t>(length);
  while (buffer_.size() < whole)
    if (!receive()) return false;
  buffer_.erase(0, whole);
  return true;
}

}  // namespace holdfast::cli
