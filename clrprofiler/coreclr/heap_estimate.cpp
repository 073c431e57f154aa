#include "clrprofiler/coreclr/heap_estimate.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "clrprofiler/coreclr/object_header.h"

namespace holdfast::clr {

namespace {

constexpr std::size_t kMostFollowed = std::size_t{1} << 20;
constexpr std::size_t kMostSampled = 64;
constexpr std::size_t kMostStretches = 4;
constexpr std::size_t kStretchBytes = 16 << 10;
constexpr std::uint32_t kMostSaneBase = 1 << 20;

// Words of a segment, as far as they are wanted.
struct SegmentHead {
  Address allocated, committed, reserved, unused, memory, flags, next;
};

template <class T>
std::optional<T> copy_of(Address at) noexcept {
  T value;
  if (!platforms::copy_if_readable(at, &value, sizeof value)) return std::nullopt;
  return value;
}

// What of a class an object's size takes.
struct ClassSize {
  Address type = 0;
  std::uint32_t flags = 0;
  std::uint32_t base_bytes = 0;
};

class Estimator {
 public:
  explicit Estimator(const GcTables& tables) noexcept : tables_(tables) {}

  std::optional<HeapEstimate> run() noexcept {
    if (!for_each_segment([this](const SegmentHead&, Address) { ++segments_; })) return {};
    const std::size_t every = segments_ / kMostSampled + 1;
    std::size_t i = 0;
    const bool whole = for_each_segment([&](const SegmentHead& segment, Address end) {
      found_.used_bytes += end - segment.memory;
      found_.committed_bytes += std::max(segment.committed, end) - segment.memory;
      if (i++ % every == 0) sample(segment.memory, end);
    });
    if (!whole) return {};
    if (objects_ > 0)
      found_.bytes_per_object =
          std::max<std::uint64_t>(static_cast<std::uint64_t>(sampled_bytes_ / objects_), 1);
    return found_;
  }

 private:
  // visit(segment, where its objects end). False: the lists could not be followed to their ends.
  template <class Visit>
  bool for_each_segment(Visit visit) noexcept {
    const std::uint32_t heaps =
        tables_.server() ? copy_of<std::uint32_t>(tables_.heap_count).value_or(0) : 1;
    if (heaps == 0 || heaps > kMostHeaps) return false;
    std::size_t met = 0;
    for (std::uint32_t h = 0; h < heaps; ++h) {
      const Address heap =
          tables_.server()
              ? copy_of<Address>(tables_.heap_array + sizeof(Address) * std::uint64_t{h})
                    .value_or(0)
              : 0;
      if (tables_.server() && heap == 0) return false;
      const auto ephemeral = copy_of<Address>(heap + tables_.ephemeral_segment);
      const auto ephemeral_end = copy_of<Address>(heap + tables_.alloc_allocated);
      if (!ephemeral || !ephemeral_end) return false;
      bool ephemeral_met = false;  // libclrgc.so has it under several generations
      for (std::uint32_t g = 0; g < kGenerations; ++g) {
        auto at =
            copy_of<Address>(heap + tables_.generations +
                             std::uint64_t{g} * tables_.generation_bytes + tables_.first_segment);
        for (; at && *at != 0;) {
          const auto segment = copy_of<SegmentHead>(*at);
          if (!segment || ++met > kMostFollowed) return false;
          const Address end = *at == *ephemeral ? *ephemeral_end : segment->allocated;
          const bool again = *at == *ephemeral && ephemeral_met;
          ephemeral_met = ephemeral_met || *at == *ephemeral;
          if (!again && end > segment->memory && end <= segment->reserved) visit(*segment, end);
          at = segment->next;
        }
        if (!at) return false;
      }
    }
    return true;
  }

  void sample(Address start, Address end) noexcept {
    std::uint64_t objects = 0, reads = 0;
    Address at = start;
    while (at < end && reads < kMostStretches) {
      const std::size_t bytes = std::min<std::uint64_t>(kStretchBytes, end - at);
      if (!platforms::copy_if_readable(at, buffer_.data(), bytes)) break;
      ++reads;
      const std::uint64_t before = objects;
      const Address next = over_objects(at, bytes, objects);
      if (objects == before) break;  // no object: room of an allocation context, or what moves
      at = next;
    }
    if (objects == 0) return;
    // Of the whole segment as of its start.
    sampled_bytes_ += static_cast<double>(end - start);
    objects_ += static_cast<double>(end - start) * static_cast<double>(objects) /
                static_cast<double>(std::min(at, end) - start);
  }

  // Answers where the first object is that was not looked at.
  Address over_objects(Address at, std::size_t bytes, std::uint64_t& objects) noexcept {
    constexpr std::size_t kHeadBytes = 2 * sizeof(std::uint64_t);
    std::uint64_t offset = 0;
    while (offset + kHeadBytes <= bytes) {
      std::uint64_t head[2];
      std::memcpy(head, buffer_.data() + offset, sizeof head);
      const std::uint64_t size =
          size_of(head[0] & ~Address{7}, static_cast<std::uint32_t>(head[1]));
      if (size == 0) break;
      ++objects;
      offset += size;
    }
    return at + offset;
  }

  // 0: no class.
  std::uint64_t size_of(Address type, std::uint32_t components) noexcept {
    constexpr std::uint32_t kHasComponents = 0x80000000u, kComponentBytes = 0xFFFFu;
    if (type == 0) return 0;
    ClassSize& known = classes_[(type >> 4) % classes_.size()];
    if (known.type != type) {
      const auto words = copy_of<std::uint64_t>(type);
      if (!words) return 0;
      known = {type, static_cast<std::uint32_t>(*words), static_cast<std::uint32_t>(*words >> 32)};
    }
    if (known.base_bytes < kLeastObjectBytes - 8 || known.base_bytes > kMostSaneBase) return 0;
    std::uint64_t bytes = known.base_bytes;
    if ((known.flags & kHasComponents) != 0)
      bytes += std::uint64_t{known.flags & kComponentBytes} * components;
    return room_of(std::max(bytes, kLeastObjectBytes));
  }

  const GcTables& tables_;
  HeapEstimate found_;
  std::size_t segments_ = 0;
  double sampled_bytes_ = 0, objects_ = 0;
  std::array<ClassSize, 256> classes_{};
  std::array<std::byte, kStretchBytes> buffer_;
};

}  // namespace

std::optional<HeapEstimate> estimate_heap(const GcTables& tables) noexcept {
  if (tables.generation_bytes == 0) return {};
  return Estimator(tables).run();
}

}  // namespace holdfast::clr
