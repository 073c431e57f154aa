#include "cli/talk/fake_agent.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>

namespace holdfast::cli {
namespace {

bool read_all(int descriptor, std::byte* into, std::size_t bytes) {
  while (bytes > 0) {
    const auto got = ::recv(descriptor, into, bytes, 0);
    if (got <= 0) return false;
    into += got;
    bytes -= static_cast<std::size_t>(got);
  }
  return true;
}

}  // namespace

bool FakePeer::raw(std::string_view bytes) const {
  while (!bytes.empty()) {
    const auto sent = ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

bool FakePeer::answer(const control::Answer& answer) const {
  std::vector<std::max_align_t> room(control::kMaxAnswerBytes / sizeof(std::max_align_t));
  const auto message = control::encode_answer(answer, std::as_writable_bytes(std::span(room)));
  if (!message) std::abort();
  return raw({reinterpret_cast<const char*>(message->data()), message->size()});
}

bool FakePeer::client_there(int milliseconds) const {
  pollfd watched{descriptor_, POLLIN, 0};
  return ::poll(&watched, 1, milliseconds) == 0;
}

FakeAgent::FakeAgent(Script script, std::uint32_t pid)
    : script_(std::move(script)), pid_(pid == 0 ? static_cast<std::uint32_t>(::getpid()) : pid) {}

FakeAgent::~FakeAgent() {
  for (std::thread& thread : threads_) thread.join();
}

int FakeAgent::connect() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) std::abort();
  const std::lock_guard lock(mutex_);
  threads_.emplace_back([this, end = ends[1]] { serve(end); });
  return ends[0];
}

void FakeAgent::serve(int descriptor) {
  alignas(std::max_align_t) std::byte message[control::kMaxRequestBytes];
  if (read_all(descriptor, message, control::kSizeBytes)) {
    const auto bytes = control::message_bytes({message, control::kSizeBytes});
    if (bytes <= sizeof message &&
        read_all(descriptor, message + control::kSizeBytes, bytes - control::kSizeBytes)) {
      const auto request = control::decode_request({message, bytes});
      if (!request) std::abort();
      {
        const std::lock_guard lock(mutex_);
        heard_.push_back(request->command);
      }
      FakePeer peer(descriptor);
      script_(*request, peer);
    }
  }
  ::close(descriptor);
}

std::vector<control::Command> FakeAgent::heard() {
  const std::lock_guard lock(mutex_);
  return heard_;
}

AgentDoor FakeAgent::door() {
  return {[this](const std::string&) { return pid_; },
          [this](std::uint32_t) { return present ? connect() : AgentDoor::kNoAgent; },
          [this](std::uint32_t, const AgentWishes& wished) {
            wishes = wished;
            present = true;
            return connect();
          }};
}

control::Answer refusal(control::RefusalKind kind, std::string_view text) {
  control::Answer answer;
  answer.kind = control::AnswerKind::kRefused;
  answer.refusal = {kind, text};
  return answer;
}

control::Answer done(std::string_view text) {
  control::Answer answer;
  answer.kind = control::AnswerKind::kDone;
  answer.text = text;
  return answer;
}

control::Answer progress(const DumpProgress& dump) {
  control::Answer answer;
  answer.kind = control::AnswerKind::kProgress;
  answer.progress = dump;
  answer.last = ended(dump);
  return answer;
}

}  // namespace holdfast::cli
