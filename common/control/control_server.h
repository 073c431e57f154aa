// The control socket: listens on the engine's loop, and lets people of the same user ask and command.
// Why: the command must reach an agent that runs already, in whatever container, without disturbing the application.
// Shape:  open() at load, start() once the engine's vm_ready() has worked, close() before the engine's close(). One descriptor on the
//         loop stands for all (platforms/local_socket.h); at most kMaxConnections at once, further ones are closed as they come; one
//         timer for the nearest deadline. Memory: control_memory.h; a peer can make us hold no more than that.
//         A process that the application forks has the descriptors but no loop: it serves nobody, and close() there removes nothing.
// Zone:   load (open), event (start, close; never on the loop's thread), worker (the rest).
// Errors: open(): kOutOfBudget, kOutOfMemory, kTooMany (observers): the agent goes on without a socket. Where no directory will do, or
//         the system refuses, one line at level info, and no socket. Peers are cut off and counted.
#pragma once

#include <atomic>
#include <cstdint>

#include "common/control/client.h"
#include "common/control/control_calls.h"
#include "common/control/control_commands.h"
#include "common/control/control_memory.h"
#include "common/control/control_socket.h"
#include "common/dump_engine.h"

namespace holdfast::control {

// accept() without descriptors left: the one who waits goes on waiting, and nothing is asked for this long.
inline constexpr std::uint64_t kAcceptPauseNs = 1'000'000'000;
inline constexpr int kMaxAcceptsATurn = 32;

class ControlServer {
 public:
  ControlServer() = default;
  ControlServer(const ControlServer&) = delete;
  ControlServer& operator=(const ControlServer&) = delete;
  ~ControlServer() { close(); }

  // Reserves, and asks the engine for its news: before engine.vm_ready(). With control=off nothing is done, and that is no error.
  // The engine must outlive this object.
  Result<void> open(DumpEngine& engine, const Options& options, const ControlCalls& calls) noexcept;
  // In other places than the usual ones.
  Result<void> open(DumpEngine& engine, const SocketPlaces& places,
                    const ControlCalls& calls) noexcept;
  // After engine.vm_ready(): the socket is there a moment later.
  void start() noexcept;
  // Ends every connection, removes the socket and gives all memory back; waits for the loop. May be called twice.
  void close() noexcept;

  // Other histograms than the engine's; between open() and start().
  void use_histograms(const HistogramSource& source) noexcept { commands_.use_histograms(source); }

  bool serving() const noexcept { return serving_.load(std::memory_order_acquire); }

 private:
  void begin_serving() noexcept;
  Result<void> listen() noexcept;
  void stop_serving() noexcept;
  void on_ready() noexcept;
  bool hear_clients() noexcept;
  void on_client(Client& client, const platforms::Ready& ready) noexcept;
  void receive(Client& client) noexcept;
  void on_news() noexcept;
  static void alarm_task(void* server) noexcept;  // one address: a timer is known by it
  void on_alarm() noexcept;
  void accept_all() noexcept;
  void admit(int descriptor) noexcept;
  std::size_t free_place() const noexcept;  // kMaxConnections: none
  void pause_accepting() noexcept;
  void settle(Client& client) noexcept;
  void cut_off(Client& client) noexcept;
  void end(Client& client) noexcept;
  void set_alarm() noexcept;

  DumpEngine* engine_ = nullptr;
  ControlCalls calls_;
  std::uint32_t owner_ = 0;  // the process that opened it
  SocketPlaces places_;
  // -- the loop's --
  ControlMemory memory_;
  ControlSocket socket_;
  ControlCommands commands_;
  ControlCounts counts_;
  Client clients_[kMaxConnections];
  int ready_set_ = -1;
  std::uint64_t accept_again_ns_ = kNoDeadline;
  std::uint64_t alarm_ns_ = kNoDeadline;
  std::atomic<bool> serving_{false};

  platforms::Mutex mutex_;
  platforms::Condition changed_;
  bool stopped_ HF_GUARDED_BY(mutex_) = false;
};

}  // namespace holdfast::control
