#include "cli/attach/fake_runtime.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace holdfast::cli {
namespace {

using namespace std::string_literals;

constexpr std::size_t kHeaderBytes = 20, kSizeAt = 14;

std::size_t wanted_bytes(const std::string& request) {
  if (request.size() < kHeaderBytes) return kHeaderBytes;
  return static_cast<unsigned char>(request[kSizeAt]) +
         std::size_t{static_cast<unsigned char>(request[kSizeAt + 1])} * 256;
}

std::string read_request(int connection) {
  std::string request;
  char byte = 0;
  while (request.size() < wanted_bytes(request) && ::read(connection, &byte, 1) == 1)
    request += byte;
  return request;
}

}  // namespace

int listen_for_test(const std::string& path) {
  const int made = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  const auto* generic = reinterpret_cast<const sockaddr*>(&address);
  if (::bind(made, generic, sizeof address) != 0 || ::listen(made, 8) != 0) std::abort();
  return made;
}

std::string runtime_reply(std::uint32_t result) {
  std::string reply =
      result == 0 ? "DOTNET_IPC_V1\0\x18\0\xff\0\0\0"s : "DOTNET_IPC_V1\0\x18\0\xff\xff\0\0"s;
  for (unsigned shift = 0; shift < 32; shift += 8) reply += static_cast<char>(result >> shift);
  return reply;
}

FakeRuntime::FakeRuntime(const std::string& path, std::vector<RuntimeAnswer> answers)
    : listening_(listen_for_test(path)), answers_(std::move(answers)) {
  if (::pipe(ending_) != 0) std::abort();
  thread_ = std::thread([this] { serve(); });
}

FakeRuntime::~FakeRuntime() {
  ::close(ending_[1]);
  thread_.join();
  ::close(ending_[0]);
  for (const int connection : open_) ::close(connection);
  ::close(listening_);
}

std::vector<std::string> FakeRuntime::requests() const {
  const std::lock_guard guard(lock_);
  return requests_;
}

void FakeRuntime::answer(int connection, const RuntimeAnswer& answer) {
  if (answer.after != RuntimeAnswer::After::kNeverRead) {
    std::string request = read_request(connection);
    const std::lock_guard guard(lock_);
    requests_.push_back(std::move(request));
  }
  const std::size_t step = answer.in_pieces ? 1 : std::max<std::size_t>(answer.bytes.size(), 1);
  for (std::size_t at = 0; at < answer.bytes.size(); at += step) {
    ::send(connection, answer.bytes.data() + at, step, MSG_NOSIGNAL);
    if (answer.in_pieces) ::usleep(1000);
  }
  if (answer.after == RuntimeAnswer::After::kClose)
    ::close(connection);
  else
    open_.push_back(connection);
}

void FakeRuntime::serve() {
  for (std::size_t count = 0;; ++count) {
    pollfd wanted[2] = {{listening_, POLLIN, 0}, {ending_[0], POLLIN, 0}};
    ::poll(wanted, 2, -1);
    if (wanted[1].revents != 0) return;
    const int connection = ::accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC);
    if (connection >= 0) answer(connection, answers_[std::min(count, answers_.size() - 1)]);
  }
}

}  // namespace holdfast::cli
