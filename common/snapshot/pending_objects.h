// Objects that the trace has marked and not yet looked into.
// Why: the newest is taken first, so the pile stays small on most heaps; but an object's header is fetched when it is added and
//      read only some objects later, which hides most of the memory's latency.
// Shape:  a ring of kAhead addresses in front of a stack of chunks from the arena; 8 B an object at most, chunks are kept.
// Zone:   child.
// Errors: push() answers false when the arena has no room for another chunk.
#pragma once

#include <cstdint>

#include "common/arena.h"
#include "common/prefetch.h"

namespace holdfast {

class PendingObjects {
 public:
  explicit PendingObjects(Arena& arena) noexcept : arena_(arena) {}

  bool push(std::uint64_t object) noexcept {
    prefetch(reinterpret_cast<const void*>(object));
    if (ring_used_ < kAhead) {
      ring_[(ring_first_ + ring_used_++) % kAhead] = object;
      return true;
    }
    if (top_ == nullptr || top_->used == kChunkObjects) {
      if (!grow()) return false;
    }
    top_->objects[top_->used++] = object;
    return true;
  }
  // 0 when nothing is pending.
  std::uint64_t pop() noexcept {
    if (ring_used_ == 0) return 0;
    const std::uint64_t object = ring_[ring_first_];
    if (top_ != nullptr && top_->used != 0) {
      const std::uint64_t next = top_->objects[--top_->used];
      prefetch(reinterpret_cast<const void*>(next));
      ring_[ring_first_] = next;
      if (top_->used == 0 && top_->below != nullptr) retire();
    } else {
      --ring_used_;
    }
    ring_first_ = (ring_first_ + 1) % kAhead;
    return object;
  }

 private:
  static constexpr std::size_t kAhead = 16;
  static constexpr std::size_t kChunkObjects = 8190;
  struct Chunk {
    Chunk* below;
    std::size_t used;
    std::uint64_t objects[kChunkObjects];
  };

  bool grow() noexcept {
    Chunk* chunk = spare_;
    if (chunk != nullptr) {
      spare_ = chunk->below;
    } else {
      auto made = arena_.make<Chunk>(1);
      if (!made) return false;
      chunk = &(*made)[0];
    }
    chunk->below = top_;
    chunk->used = 0;
    top_ = chunk;
    return true;
  }
  void retire() noexcept {
    Chunk* chunk = top_;
    top_ = chunk->below;
    chunk->below = spare_;
    spare_ = chunk;
  }

  Arena& arena_;
  Chunk* top_ = nullptr;
  Chunk* spare_ = nullptr;
  std::uint64_t ring_[kAhead] = {};
  std::size_t ring_first_ = 0;
  std::size_t ring_used_ = 0;
};

}  // namespace holdfast
