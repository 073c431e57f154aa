// Every handle that the runtime has given out, and what it holds.
// Why from memory: a collection tells them one by one; the child has no collection.
// Shape:  maps of buckets, linked; a bucket has one table (workstation GC) or one a processor (server GC); a table is a list of segments of 64 KB.
//         In a segment, blocks of 64 handles of one type each; a block of another type may hold a second word for each handle of this one.
//           table    flags of types, 32 bits each; then, at a multiple of 8, its first segment
//           segment  1,560 block types, 1,680 user-data blocks (a byte a block each), ... 1,920 + 6 types: next, owner; 3 bytes behind the owner the number
//                    of blocks that there is memory for; 0x1000 values
//         How many types there are differs by version: a segment's owner has to be its table, which tells it. 8 B a segment in the arena.
// Zone:   read_handle_layout(): capture. The rest: child.
// Errors: read_handle_layout(): nullptr when all is well, or what is not. read_handle_segments(): kInconsistent, kTooMany, kOutOfBudget.
// Source: dotnet/runtime, gc/handletablepriv.h and objecthandle.h;
//         measured on 9 and 10 (docs/decisions/065-clr-heap-as-memory.md).
#pragma once

#include <span>

#include "clrprofiler/coreclr/gc_tables.h"
#include "common/arena.h"

namespace holdfast::clr {

struct HandleLayout {
  std::uint32_t types = 0;   // of handles
  std::uint32_t tables = 0;  // in a bucket
};

enum class HandleType : std::uint8_t {
  kWeakShort = 0,
  kWeakLong = 1,
  kStrong = 2,
  kPinned = 3,
  kRefCounted = 5,
  kDependent = 6,
  kAsyncPinned = 7,
  kSizedRef = 8,
  kWeakNative = 9,
  kWeakInterior = 10,
};

struct Handle {
  Address handle = 0;
  Address object = 0;
  Address second = 0;  // of a dependent handle: what lives as long as the object does
  HandleType type = HandleType::kStrong;
};

namespace handle_segment {
inline constexpr std::uint64_t kBlockTypes = 1560, kUserBlocks = 1680, kTail = 1920,
                               kValues = 0x1000;
inline constexpr std::uint64_t kPerType = 6, kOwner = 8, kCommitLine = 19;
inline constexpr std::uint32_t kBlocks = 120, kHandles = 64;
inline constexpr std::uint64_t kBlockBytes = kHandles * sizeof(Address);
}  // namespace handle_segment

const char* read_handle_layout(const GcTables& tables, HandleLayout& out) noexcept;

Result<std::span<const Address>> read_handle_segments(const GcTables& tables,
                                                      const HandleLayout& layout,
                                                      Arena& arena) noexcept;

// visit(Handle), of all that hold something.
template <class Visit>
void for_each_handle(const HandleLayout& layout, Address segment, Visit visit) noexcept {
  using namespace handle_segment;
  const std::uint32_t blocks =
      load<std::uint8_t>(segment + kTail + kPerType * layout.types + kCommitLine);
  for (std::uint32_t b = 0; b < blocks && b < kBlocks; ++b) {
    Handle handle;
    const auto type = load<std::uint8_t>(segment + kBlockTypes + b);
    if (type >= layout.types) continue;  // free, or second words
    handle.type = static_cast<HandleType>(type);
    const auto user = load<std::uint8_t>(segment + kUserBlocks + b);
    const Address values = segment + kValues + b * kBlockBytes;
    const bool dependent = handle.type == HandleType::kDependent && user < blocks;
    const Address seconds = segment + kValues + user * kBlockBytes;
    for (std::uint32_t i = 0; i < kHandles; ++i) {
      handle.handle = values + i * sizeof(Address);
      handle.object = load<Address>(handle.handle);
      if (handle.object == 0) continue;
      handle.second = dependent ? load<Address>(seconds + i * sizeof(Address)) : 0;
      visit(handle);
    }
  }
}

}  // namespace holdfast::clr
