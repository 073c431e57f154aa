// Memory for a FlatBufferBuilder: one block that exists already, handed out once.
// Why: inside a VM the builder must not touch malloc, and must not grow: with exceptions off it has no lawful way to fail. So
//      whoever builds asks for room first (ReportSpace, control/message_room); should that arithmetic be wrong, this aborts
//      rather than write astray.
// Shape:  allocate() is called once, by the builder's first byte.   Zone: any.   Errors: aborts.
#pragma once

#include <flatbuffers/flatbuffers.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

namespace holdfast {

class OneBlockAllocator final : public flatbuffers::Allocator {
 public:
  explicit OneBlockAllocator(std::span<std::byte> block) noexcept : block_(block) {}
  std::uint8_t* allocate(std::size_t bytes) noexcept override {
    if (given_ || bytes > block_.size()) std::abort();
    given_ = true;
    return reinterpret_cast<std::uint8_t*>(block_.data());
  }
  void deallocate(std::uint8_t* /*memory*/, std::size_t /*bytes*/) noexcept override {}

 private:
  std::span<std::byte> block_;
  bool given_ = false;
};

}  // namespace holdfast
