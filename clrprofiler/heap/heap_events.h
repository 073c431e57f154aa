// The runtime's heap events, read out of their payloads: packed records, as the runtime sends them.
// Why checked: a payload is somebody else's bytes; one that is shorter than it says is damaged and not looked into.
// Shape:  a record is read by its offsets, unaligned; nothing is copied before. PointerBytes: of the process that sends.
//           start(1)         u32 count, u32 depth, u32 reason, u32 type, ...
//           end(2)           u32 count, u32 depth, ...
//           suspend(9)       u32 reason, ...
//           bulk(16 to 19)   u32 index, u32 count, u16 runtime; count records of one length. The index counts the events of one kind
//                            in one walk.
//           statics(38)      u32 count, u64 domain, u16 runtime; count records of 28 bytes and a name each, UTF-16 with a zero.
// Zone:   any, stopped included (inline, no call but memcpy).
// Errors: false, and the output is as it was.
// Source: ClrEtwAll.man of the runtime, as in the table of its events (GCStart_V2, GCEnd_V1, GCBulk...).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace holdfast::clr {

enum HeapEventId : std::uint32_t {
  kGcStart = 1,
  kGcEnd = 2,
  kStopEnd = 3,    // the threads of the application run again
  kStopBegin = 9,  // they are asked to stop
  kBulkRootEdge = 16,
  kBulkDependentEdge = 17,  // GCBulkRootConditionalWeakTableElementEdge
  kBulkNode = 18,
  kBulkEdge = 19,
  kBulkStaticVariable = 38,
};

struct Payload {
  const std::uint8_t* data = nullptr;
  std::size_t bytes = 0;
};

struct GcStart {
  std::uint32_t count = 0;  // the collection's number
  std::uint32_t depth = 0;  // its generation
  std::uint32_t reason = 0;
  std::uint32_t type = 0;
};
struct GcEnd {
  std::uint32_t count = 0;
  std::uint32_t depth = 0;
};
inline constexpr std::uint32_t kGcInduced = 1;        // reason
inline constexpr std::uint32_t kGcNonConcurrent = 0;  // type
inline constexpr std::uint32_t kFullGcDepth = 2;

template <class T>
T read_at(const std::uint8_t* at) noexcept {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

template <std::size_t PointerBytes>
std::uint64_t read_pointer(const std::uint8_t* at) noexcept {
  static_assert(PointerBytes == 4 || PointerBytes == 8);
  if constexpr (PointerBytes == 8) return read_at<std::uint64_t>(at);
  return read_at<std::uint32_t>(at);
}

inline bool read_gc_start(Payload payload, GcStart& out) noexcept {
  if (payload.bytes < 4 * sizeof(std::uint32_t)) return false;
  const std::uint8_t* at = payload.data;
  out = GcStart{read_at<std::uint32_t>(at), read_at<std::uint32_t>(at + 4),
                read_at<std::uint32_t>(at + 8), read_at<std::uint32_t>(at + 12)};
  return true;
}

inline bool read_gc_end(Payload payload, GcEnd& out) noexcept {
  if (payload.bytes < 2 * sizeof(std::uint32_t)) return false;
  out = GcEnd{read_at<std::uint32_t>(payload.data), read_at<std::uint32_t>(payload.data + 4)};
  return true;
}

// Of the threads' stop: a collection's own, or what it prepares for in the background; not a debugger's or a profiler's.
inline bool is_stop_for_collection(Payload payload) noexcept {
  constexpr std::uint32_t kForCollection = 1, kForPreparation = 6;
  if (payload.bytes < sizeof(std::uint32_t)) return false;
  const auto reason = read_at<std::uint32_t>(payload.data);
  return reason == kForCollection || reason == kForPreparation;
}

// -- records of one length --

template <std::size_t PointerBytes>
struct NodeRecord {
  static constexpr std::size_t kBytes = PointerBytes + 24;
  std::uint64_t address;
  std::uint64_t bytes;
  std::uint64_t type;  // a ClassID
  std::uint64_t edges;

  static NodeRecord read(const std::uint8_t* at) noexcept {
    return {read_pointer<PointerBytes>(at), read_at<std::uint64_t>(at + PointerBytes),
            read_at<std::uint64_t>(at + PointerBytes + 8),
            read_at<std::uint64_t>(at + PointerBytes + 16)};
  }
};

// The field's number, always 0, is not read.
template <std::size_t PointerBytes>
struct EdgeRecord {
  static constexpr std::size_t kBytes = PointerBytes + 4;
  std::uint64_t target;

  static EdgeRecord read(const std::uint8_t* at) noexcept {
    return {read_pointer<PointerBytes>(at)};
  }
};

enum class EventRootKind : std::uint8_t { kStack, kFinalizer, kHandle, kOther, kSizedRef };
enum EventRootFlag : std::uint32_t {
  kRootPinning = 1,
  kRootWeak = 2,
  kRootInterior = 4,
  kRootRefCounted = 8,
};

template <std::size_t PointerBytes>
struct RootEdgeRecord {
  static constexpr std::size_t kBytes = 2 * PointerBytes + 5;
  std::uint64_t object;
  std::uint8_t kind;
  std::uint32_t flags;
  std::uint64_t id;  // stack: FunctionID; handle: its address

  static RootEdgeRecord read(const std::uint8_t* at) noexcept {
    return {read_pointer<PointerBytes>(at), at[PointerBytes],
            read_at<std::uint32_t>(at + PointerBytes + 1),
            read_pointer<PointerBytes>(at + PointerBytes + 5)};
  }
};

template <std::size_t PointerBytes>
struct DependentRecord {
  static constexpr std::size_t kBytes = 3 * PointerBytes;
  std::uint64_t key;
  std::uint64_t value;
  std::uint64_t id;

  static DependentRecord read(const std::uint8_t* at) noexcept {
    return {read_pointer<PointerBytes>(at), read_pointer<PointerBytes>(at + PointerBytes),
            read_pointer<PointerBytes>(at + 2 * PointerBytes)};
  }
};

// A bulk event whose records are all there.
template <class Record>
class BulkEvent {
 public:
  static constexpr std::size_t kHeaderBytes = 10;

  static bool read(Payload payload, BulkEvent& out) noexcept {
    if (payload.bytes < kHeaderBytes) return false;
    const auto count = read_at<std::uint32_t>(payload.data + 4);
    if ((payload.bytes - kHeaderBytes) / Record::kBytes < count) return false;
    out.index_ = read_at<std::uint32_t>(payload.data);
    out.count_ = count;
    out.records_ = payload.data + kHeaderBytes;
    return true;
  }

  std::uint32_t index() const noexcept { return index_; }
  std::uint32_t count() const noexcept { return count_; }
  // i < count()
  Record record(std::uint32_t i) const noexcept {
    return Record::read(records_ + std::size_t{i} * Record::kBytes);
  }

 private:
  std::uint32_t index_ = 0;
  std::uint32_t count_ = 0;
  const std::uint8_t* records_ = nullptr;
};

// -- static variables --

struct StaticVariableRecord {
  std::uint64_t slot;
  std::uint64_t object;
  std::uint64_t type;  // the object's, not the owner's
  std::uint32_t flags;
  const std::uint8_t* name;  // UTF-16, not aligned, without the zero
  std::uint32_t name_units;
};
inline constexpr std::uint32_t kStaticThreadLocal = 1;

// Records of different lengths, so each is checked when its turn comes.
class StaticVariables {
 public:
  static constexpr std::size_t kHeaderBytes = 14;

  static bool read(Payload payload, StaticVariables& out) noexcept {
    if (payload.bytes < kHeaderBytes) return false;
    out.left_ = read_at<std::uint32_t>(payload.data);
    out.at_ = payload.data + kHeaderBytes;
    out.end_ = payload.data + payload.bytes;
    return true;
  }

  std::uint32_t left() const noexcept { return left_; }
  // The next one, while left() > 0. False when it is not all there: the payload is damaged from here on.
  bool next(StaticVariableRecord& out) noexcept {
    if (static_cast<std::size_t>(end_ - at_) < kRecordBytes) return false;
    const std::uint8_t* name = at_ + kRecordBytes;
    const auto most_units = static_cast<std::size_t>(end_ - name) / 2;
    std::size_t units = 0;
    while (units < most_units && read_at<std::uint16_t>(name + 2 * units) != 0) ++units;
    if (units == most_units) return false;
    out = StaticVariableRecord{read_at<std::uint64_t>(at_),
                               read_at<std::uint64_t>(at_ + 8),
                               read_at<std::uint64_t>(at_ + 16),
                               read_at<std::uint32_t>(at_ + 24),
                               name,
                               static_cast<std::uint32_t>(units)};
    at_ = name + 2 * (units + 1);
    --left_;
    return true;
  }

 private:
  static constexpr std::size_t kRecordBytes = 28;  // the name follows
  std::uint32_t left_ = 0;
  const std::uint8_t* at_ = nullptr;
  const std::uint8_t* end_ = nullptr;
};

}  // namespace holdfast::clr
