#include "cli/talk/agent_connection.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>

#include "cli/text/number_text.h"
#include "platforms/clock.h"
#include "platforms/process.h"

namespace holdfast::cli {
namespace {

constexpr std::size_t kMaxWakers = 4;

std::string process_text(std::uint32_t pid) { return "process " + std::to_string(pid); }

Stop damaged(std::uint32_t pid, const Error& error) {
  std::string text = process_text(pid) + ": the agent's answer is damaged";
  if (error.code == ErrorCode::kNewerVersion)
    text = process_text(pid) + ": its agent speaks a newer protocol (version " +
           std::to_string(error.detail) + "); a newer holdfast is wanted";
  if (error.code == ErrorCode::kNotOurs)
    text = process_text(pid) + ": what answers there is no holdfast agent";
  return {ExitCode::kBadInput, text};
}

ExitCode code_of(control::RefusalKind kind) {
  switch (kind) {
    case control::RefusalKind::kWrongUsage:
      return ExitCode::kWrongUsage;
    case control::RefusalKind::kFailed:
      return ExitCode::kOurFault;
    case control::RefusalKind::kRefused:
    case control::RefusalKind::kNotUnderstood:
      break;
  }
  return ExitCode::kRefused;
}

// Milliseconds for poll(), rounded up; -1: for ever.
int poll_time(std::uint64_t deadline_ns) {
  if (deadline_ns == kForever) return -1;
  const std::uint64_t now = platforms::monotonic_ns();
  if (now >= deadline_ns) return 0;
  return static_cast<int>(
      std::min<std::uint64_t>((deadline_ns - now + 999'999) / 1'000'000, 3'600'000));
}

}  // namespace

control::Request request_for(control::Command command) {
  control::Request request;
  request.command = command;
  return request;
}

std::string left_out_line(std::uint32_t pid, const control::Answer& answer) {
  if (answer.left_out == 0) return {};
  return process_text(pid) + ": " + counted(answer.left_out, "row is", "rows are") +
         " left out, for which this holdfast has no room; its agent is newer\n";
}

Stop no_answer(std::uint32_t pid, std::uint64_t waited_ns) {
  return {ExitCode::kRefused, process_text(pid) + ": its agent does not answer within " +
                                  human_duration(waited_ns) + "; is the process stopped?"};
}

AgentConnection::AgentConnection(int descriptor, std::uint32_t pid)
    : descriptor_(descriptor),
      pid_(pid),
      buffer_(control::kMaxAnswerBytes),
      room_(std::make_unique<control::AnswerRoom>()) {}

AgentConnection::~AgentConnection() { ::close(descriptor_); }

void AgentConnection::send(const control::Request& request) {
  alignas(std::max_align_t) std::array<std::byte, control::kMaxRequestBytes> room;
  const auto message = control::encode_request(request, room);
  if (!message)
    throw Stop{ExitCode::kWrongUsage, "the request is too long; at most " +
                                          human_bytes(control::kMaxRequestBytes) + " are sent"};
  std::span<const std::byte> left = *message;
  while (!left.empty()) {
    const auto sent = ::send(descriptor_, left.data(), left.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return;  // next() tells what the agent said before it hung up
    left = left.subspan(static_cast<std::size_t>(sent));
  }
}

void AgentConnection::hung_up() const {
  if (!platforms::process_alive(pid_))
    throw Stop{ExitCode::kRefused, process_text(pid_) + " has ended"};
  throw Stop{ExitCode::kRefused,
             process_text(pid_) + ": its agent hung up; it may be ending or serve too many"};
}

void AgentConnection::refused() const {
  throw Stop{code_of(answer_.refusal.kind),
             process_text(pid_) + ": " + std::string(answer_.refusal.text)};
}

// What an older command asks for is answered in the old way; beside that a newer agent may say more.
void AgentConnection::check_unknown(const control::Answer& answer) const {
  if (answer.last)
    throw Stop{ExitCode::kRefused, process_text(pid_) +
                                       ": its agent is newer and answers in a way (" +
                                       std::to_string(static_cast<unsigned>(answer.kind)) +
                                       ") that only a newer holdfast knows"};
}

void AgentConnection::drop(std::size_t bytes) {
  if (bytes == 0) return;
  std::memmove(buffer_.data(), buffer_.data() + bytes, filled_ - bytes);
  filled_ -= bytes;
}

// True when the buffer has an answer of a kind that is known. What stands before it is passed over, however much it is.
bool AgentConnection::decode_whole() {
  std::size_t passed = 0;
  for (;;) {
    const std::span<const std::byte> begun(buffer_.data() + passed, filled_ - passed);
    const std::uint64_t bytes = control::message_bytes(begun);
    if (bytes > buffer_.size()) throw damaged(pid_, make_error(ErrorCode::kTooMany));
    if (bytes == 0 || bytes > begun.size()) {
      drop(passed);
      return false;
    }
    // A message is read at an aligned place: it moves over the end of what was passed over.
    std::byte* const place =
        buffer_.data() + passed / control::kMessageAlignment * control::kMessageAlignment;
    if (place != begun.data()) std::memmove(place, begun.data(), bytes);
    const auto answer = control::decode_answer({place, bytes}, *room_);
    if (!answer) throw damaged(pid_, answer.error());
    passed += static_cast<std::size_t>(bytes);
    if (answer->kind > control::AnswerKind::kHistogram) {
      check_unknown(*answer);
      continue;
    }
    answer_ = *answer;
    decoded_ = passed;
    ended_ = answer_.last;
    if (answer_.kind == control::AnswerKind::kRefused) refused();
    return true;
  }
}

// False: nothing came after all.
bool AgentConnection::receive() {
  const auto got =
      ::recv(descriptor_, buffer_.data() + filled_, buffer_.size() - filled_, MSG_DONTWAIT);
  if (got < 0 && (errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK)) return false;
  if (got <= 0) hung_up();
  filled_ += static_cast<std::size_t>(got);
  return true;
}

AgentConnection::Heard AgentConnection::next(std::uint64_t deadline_ns,
                                             std::span<const int> wakers) {
  drop(decoded_);
  decoded_ = 0;
  if (ended_) hung_up();
  while (!decode_whole()) {
    std::array<pollfd, kMaxWakers + 1> watched{};
    std::size_t count = 0;
    watched[count++] = {descriptor_, POLLIN, 0};
    for (const int waker : wakers.first(std::min(wakers.size(), kMaxWakers)))
      watched[count++] = {waker, POLLIN, 0};
    const int ready = ::poll(watched.data(), count, poll_time(deadline_ns));
    if (ready < 0 && errno != EINTR)
      throw Stop{ExitCode::kOurFault, std::string("poll: ") + std::strerror(errno)};
    // What was said before comes first: who interrupts a dump may have been told already that others wait for it.
    if (watched[0].revents != 0 && receive()) continue;
    for (std::size_t i = 1; i < count; ++i)
      if (watched[i].revents != 0 && ready > 0) return Heard::kWoken;
    if (ready == 0 && platforms::monotonic_ns() >= deadline_ns) return Heard::kTimeout;
  }
  return Heard::kAnswer;
}

const control::Answer& AgentConnection::ask(const control::Request& request,
                                            control::AnswerKind kind) {
  send(request);
  if (next(platforms::monotonic_ns() + kAnswerTimeoutNs) == Heard::kTimeout)
    throw no_answer(pid_, kAnswerTimeoutNs);
  if (answer_.kind != kind) throw damaged(pid_, make_error(ErrorCode::kDamaged));
  return answer_;
}

}  // namespace holdfast::cli
