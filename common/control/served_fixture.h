// An engine with a scripted VM and a control socket in a directory of its own, and a client that can be rude.
// Zone:   tests.   Errors: the test ends.
#pragma once

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

#include "common/control/control_server.h"
#include "common/control/messages_fixture.h"
#include "common/control/socket_name.h"
#include "common/fake_vm_adapter.h"
#include "common/resting_bytes_for_test.h"
#include "platforms/clock.h"
#include "platforms/comes_true_for_test.h"
#include "platforms/local_socket.h"
#include "platforms/process.h"
#include "platforms/scratch_for_test.h"

namespace holdfast::control {

inline constexpr std::uint64_t kMsForTest = 1'000'000;
inline constexpr std::uint64_t kPatienceNs = 20'000 * kMsForTest;

using platforms::comes_true;

struct Served {
  platforms::ScratchDirectory scratch;
  ScriptedVm vm;
  DumpEngine engine;
  ControlServer server;
  Options options;
  std::uint64_t resting_bytes = 0;  // of the ledger, nobody connected

  explicit Served(const ControlCalls& calls = {}, const HistogramSource* source = nullptr) {
    analyses = 0;
    hold_analysis = false;
    options.cooldown_ns = 0;
    REQUIRE(engine.open(options, std::uint64_t{64} << 20, vm, {&count_analysis}).ok());
    REQUIRE(server.open(engine, places(), calls).ok());
    if (source != nullptr) server.use_histograms(*source);
    REQUIRE(engine.vm_ready().ok());
    server.start();
    REQUIRE(comes_true([&] { return server.serving(); }));
    resting_bytes = holdfast::resting_bytes(engine);
  }
  ~Served() {
    server.close();
    vm.hold = false;
    hold_analysis = false;
    engine.close(platforms::monotonic_ns() + kPatienceNs);
  }
  SocketPlaces places() const {
    SocketPlaces all;
    all.add(scratch.path(), "/run", true);
    return all;
  }
  std::string name() const {
    return "holdfast-" + std::to_string(platforms::process_id()) + ".sock";
  }
  std::string path() const { return scratch.file("run/" + name()); }
};

class RudeClient {
 public:
  explicit RudeClient(const std::string& path) : descriptor_(platforms::connect_to(path.c_str())) {}
  ~RudeClient() { leave(); }
  RudeClient(const RudeClient&) = delete;
  RudeClient& operator=(const RudeClient&) = delete;

  bool connected() const { return descriptor_ >= 0; }
  int descriptor() const { return descriptor_; }
  void leave() {
    if (connected()) platforms::close_socket(descriptor_);
    descriptor_ = -1;
  }
  bool send(std::span<const std::byte> bytes) {
    return platforms::send_some(descriptor_, bytes.data(), bytes.size()) ==
           static_cast<std::int64_t>(bytes.size());
  }
  bool ask(const Request& request) {
    alignas(kMessageAlignment) std::byte room[kMaxRequestBytes];
    const auto message = encode_request(request, room);
    return message.ok() && send(*message);
  }
  bool ask(Command command) {
    Request request;
    request.command = command;
    return ask(request);
  }

  // The next answer; false: the end of the stream, or nothing in time. It lives until the next one.
  bool next(Answer& out, std::uint64_t within_ns = kPatienceNs) {
    const std::uint64_t deadline = platforms::monotonic_ns() + within_ns;
    if (!read_until(kSizeBytes, deadline)) return false;
    const std::uint64_t told = message_bytes({buffer_.bytes.get(), kSizeBytes});
    if (told > kMaxAnswerBytes || !read_until(told, deadline)) return false;
    const auto bytes = static_cast<std::size_t>(told);
    have_ = 0;
    const auto answer = decode_answer({buffer_.bytes.get(), bytes}, *room_);
    if (answer) out = *answer;
    return answer.ok();
  }
  // Was the connection ended without a further byte?
  bool ends(std::uint64_t within_ns = kPatienceNs) {
    return comes_true([&] { return read_some(1) == 0; }, within_ns) && have_ == 0;
  }
  bool ended() const { return ended_; }

 private:
  std::int64_t read_some(std::uint64_t wanted) {
    const std::int64_t got = platforms::receive_some(descriptor_, buffer_.bytes.get() + have_,
                                                     static_cast<std::size_t>(wanted - have_));
    if (got > 0) have_ += static_cast<std::uint64_t>(got);
    ended_ = got == 0 || (got < 0 && got != -kAgain);
    return ended_ ? 0 : got;
  }
  bool read_until(std::uint64_t wanted, std::uint64_t deadline) {
    while (have_ < wanted) {
      const std::int64_t got = read_some(wanted);
      if (got == 0 || platforms::monotonic_ns() >= deadline) return false;
      if (got < 0) platforms::sleep_ns(kMsForTest / 4);
    }
    return true;
  }
  static constexpr int kAgain = 11;

  int descriptor_;
  std::uint64_t have_ = 0;
  bool ended_ = false;
  MessageBuffer buffer_;
  std::unique_ptr<AnswerRoom> room_ = std::make_unique<AnswerRoom>();
};

}  // namespace holdfast::control
