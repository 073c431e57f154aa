// Which of the walks that arrive in one session is the one that was asked for.
// Why: while the forced collection waits for one that runs in the background, every collection in between walks the whole heap into
//      our session, too, and so does a tool with a session of its own. Taking them all for one made 12 million objects of 2 million.
// Shape:  a walk counts between the start and the end of one collection: full, induced, not concurrent, the same number in both. A walk
//         without nodes (the application's own GC.Collect()) is none. After the first accepted end everything is ignored.
//           waiting --start of the right kind--> inside --its end, nodes seen--> done
//              ^------------ any other start ------'   (and an end that saw no nodes)
// Zone:   any, stopped included (inline).
// Errors: none; a session that ends without done() has no walk.
// Source: observed on .NET 8, 9 and 10.
#pragma once

#include <cstdint>

#include "clrprofiler/heap/heap_events.h"

namespace holdfast::clr {

class WalkFilter {
 public:
  // What the recorder does at a start.
  enum class AtStart : std::uint8_t { kIgnore, kBegin };

  AtStart start(const GcStart& start) noexcept {
    if (done()) return AtStart::kIgnore;
    // A session that accounts are told in hears it, too, and each event is delivered once for each session.
    if (inside() && start.count == count_ && !nodes_seen_) return AtStart::kIgnore;
    if (state_ == State::kInside) ++foreign_walks_;  // it never ended
    const bool wanted =
        start.depth == kFullGcDepth && start.reason == kGcInduced && start.type == kGcNonConcurrent;
    state_ = wanted ? State::kInside : State::kWaiting;
    count_ = start.count;
    nodes_seen_ = false;
    return wanted ? AtStart::kBegin : AtStart::kIgnore;
  }

  // A collection in the background ends while others come and go: only the number tells whose end it is.
  void end(const GcEnd& end) noexcept {
    if (state_ != State::kInside || end.count != count_ || end.depth != kFullGcDepth) return;
    state_ = nodes_seen_ ? State::kDone : State::kWaiting;
  }

  // Nodes arrived. False: they belong to a walk that is not ours.
  bool nodes() noexcept {
    if (state_ == State::kWaiting && !nodes_seen_) ++foreign_walks_;
    nodes_seen_ = true;
    return inside();
  }

  bool inside() const noexcept { return state_ == State::kInside; }
  bool done() const noexcept { return state_ == State::kDone; }
  // The number of the collection that the last walk belongs to.
  std::uint32_t collection() const noexcept { return count_; }
  // Walks that came and were thrown away.
  std::uint32_t foreign_walks() const noexcept { return foreign_walks_; }

 private:
  enum class State : std::uint8_t { kWaiting, kInside, kDone };
  State state_ = State::kWaiting;
  bool nodes_seen_ = false;
  std::uint32_t count_ = 0;
  std::uint32_t foreign_walks_ = 0;
};

}  // namespace holdfast::clr
