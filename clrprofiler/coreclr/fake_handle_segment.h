// For tests only: a segment of handles, 64 KB, as the collector lays it out.
// Zone:   tests.   Errors: none; tests break what they want to.
#pragma once

#include <cstring>
#include <vector>

#include "clrprofiler/coreclr/handle_tables.h"

namespace holdfast::clr {

struct FakeHandleSegment {
  static constexpr std::uint32_t kTypes = 13;  // of .NET 9 and 10

  std::vector<std::uint8_t> bytes = std::vector<std::uint8_t>(1 << 16, 0);

  FakeHandleSegment() { std::memset(bytes.data() + handle_segment::kBlockTypes, 0xFF, 240); }
  Address address() const { return reinterpret_cast<std::uintptr_t>(bytes.data()); }
  void word(std::uint64_t at, std::uint64_t value) {
    std::memcpy(&bytes[at], &value, sizeof value);
  }
  void own(Address table, Address next = 0) {
    const std::uint64_t tail = handle_segment::kTail + handle_segment::kPerType * kTypes;
    word(tail, next);
    word(tail + handle_segment::kOwner, table);
  }
  void commit(std::uint8_t blocks) {
    bytes[handle_segment::kTail + handle_segment::kPerType * kTypes + handle_segment::kCommitLine] =
        blocks;
  }
  void block(std::uint32_t b, HandleType type) {
    bytes[handle_segment::kBlockTypes + b] = static_cast<std::uint8_t>(type);
  }
  void second_words(std::uint32_t b, std::uint8_t in) {
    bytes[handle_segment::kUserBlocks + b] = in;
  }
  void value(std::uint32_t b, std::uint32_t i, std::uint64_t value) {
    word(handle_segment::kValues + b * handle_segment::kBlockBytes + i * 8, value);
  }
};

}  // namespace holdfast::clr
