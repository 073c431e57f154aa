// What each command of the control socket does, and what is told while it lasts.
// Shape:  begin() once a request; look() whenever the engine has news, the peer has taken its backlog, or look_at_ns has come; end() gives
//         back what the client held. A dump tells each stage that the peer has not been told, the newest only; it goes on when the
//         peer does not wait for it. Watching takes kMaxAnswerBytes while anybody watches, and the engine's own memory for it.
// Zone:   worker (the loop).
// Errors: told to the peer as a Refusal; a peer that cannot be told is marked broken.
#pragma once

#include <cstdint>
#include <string_view>

#include "common/control/client.h"
#include "common/control/control_calls.h"
#include "common/control/control_memory.h"
#include "common/control/histogram_source.h"
#include "common/dump_engine.h"

namespace holdfast::control {

// The engine tells when something has changed; this is how long a lost telling costs.
inline constexpr std::uint64_t kLookAnywayNs = 500'000'000;
// A histogram that has not come by then is asked for again: the VM refused that one.
inline constexpr std::uint64_t kWishAgainNs = 60'000'000'000;

class ControlCommands {
 public:
  void open(DumpEngine& engine, ControlMemory& memory, const ControlCalls& calls,
            ControlCounts& counts) noexcept;
  void use_histograms(const HistogramSource& source) noexcept { histograms_ = source; }
  // False: that was no request; nothing was answered.
  bool begin(Client& client, std::span<const std::byte> message) noexcept;
  void look(Client& client) noexcept;
  void end(Client& client) noexcept;

 private:
  void obey(Client& client, const Request& request) noexcept;
  void ping(Client& client) noexcept;
  void status(Client& client) noexcept;
  void dump(Client& client, const Request& request) noexcept;
  void cancel(Client& client, const Request& request) noexcept;
  void set(Client& client, const Request& request) noexcept;
  void watch(Client& client, const Request& request) noexcept;
  void detach(Client& client) noexcept;
  void tell_progress(Client& client) noexcept;
  void wish(Client& client, std::uint64_t now_ns) noexcept;
  void tell_histogram(Client& client, std::uint64_t now_ns) noexcept;

  void answer(Client& client, const Answer& answer) noexcept;
  void done(Client& client, std::string_view text) noexcept;
  void refuse(Client& client, RefusalKind kind, std::string_view text) noexcept;

  DumpEngine* engine_ = nullptr;
  ControlMemory* memory_ = nullptr;
  ControlCalls calls_;
  ControlCounts* counts_ = nullptr;
  HistogramSource histograms_;
  std::uint64_t opened_at_ns_ = 0;
};

}  // namespace holdfast::control
