// A runtime's diagnostics socket for tests: a thread that listens in this process, takes requests, and answers as it is told.
// Shape:  one answer a connection, the last one for all that follow; what was asked is kept.   Zone: tests.   Errors: the test ends.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace holdfast::cli {

struct RuntimeAnswer {
  enum class After : std::uint8_t { kStayOpen, kClose, kNeverRead };
  std::string bytes;
  After after = After::kStayOpen;
  bool in_pieces = false;  // one byte at a time
};

class FakeRuntime {
 public:
  FakeRuntime(const std::string& path, std::vector<RuntimeAnswer> answers);
  ~FakeRuntime();
  FakeRuntime(const FakeRuntime&) = delete;
  FakeRuntime& operator=(const FakeRuntime&) = delete;
  std::vector<std::string> requests() const;

 private:
  void serve();
  void answer(int connection, const RuntimeAnswer& answer);
  int listening_;
  int ending_[2];
  std::vector<RuntimeAnswer> answers_;
  std::vector<int> open_;
  mutable std::mutex lock_;  // of requests_
  std::vector<std::string> requests_;
  std::thread thread_;
};

// A descriptor that listens at the path, and nobody behind it.
int listen_for_test(const std::string& path);

// "DOTNET_IPC_V1", and an HRESULT.
std::string runtime_reply(std::uint32_t result);

}  // namespace holdfast::cli
