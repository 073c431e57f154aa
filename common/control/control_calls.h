// What the control socket asks of its owner, the agent, and what it counts.
// Shape:  function pointers with one context; each may be nullptr, and then what it stands for is answered without it.
// Zone:   worker (all are called on the loop's thread and come back at once).   Errors: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "common/control/messages.h"
#include "common/options.h"

namespace holdfast::control {

struct ControlCalls {
  void* context = nullptr;
  // Fills in the state of each trigger, how many; the texts live until the next call. Without it: what on= names.
  std::size_t (*triggers)(void* context, std::span<TriggerState> out) noexcept = nullptr;
  // `set` has changed the engine's options to these: triggers are to be armed anew.
  void (*changed)(void* context, const Options& options) noexcept = nullptr;
  // A person wants the agent out of the process, and was told that it goes. Another thread has to end it: ControlServer::close()
  // waits for the thread that calls this. Without it `detach` is refused.
  void (*detach_requested)(void* context) noexcept = nullptr;
};

struct ControlCounts {
  std::uint32_t connections = 0;  // served since the start
  std::uint32_t connections_refused =
      0;                       // other users, too many, or cut off for what they sent or did not
  std::uint32_t watchers = 0;  // now
};

}  // namespace holdfast::control
