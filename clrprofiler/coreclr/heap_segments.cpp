#include "clrprofiler/coreclr/heap_segments.h"

#include <algorithm>

#include "clrprofiler/coreclr/object_header.h"

namespace holdfast::clr {

namespace {

// Words of a segment.
enum SegmentWord : std::uint64_t {
  kAllocated = 0,
  kCommitted = 8,
  kReserved = 16,
  kFlags = 40,
  kNext = 48,
  kMemory = 32,
};
constexpr std::uint64_t kReadOnly = 1;
constexpr std::size_t kMostHeapSegments = std::size_t{1} << 20;

Error contradiction(Address at) noexcept {
  return make_error(ErrorCode::kInconsistent, static_cast<std::int64_t>(at));
}

class SegmentReader {
 public:
  SegmentReader(const GcTables& tables, std::span<const AddressRange> frozen,
                std::span<HeapSegment> out) noexcept
      : tables_(tables), frozen_(frozen), out_(out) {}

  // Counts alone where there is no room for more.
  Result<std::size_t> read() noexcept {
    const std::uint32_t heaps = tables_.heaps();
    if (heaps == 0 || heaps > kMostHeaps) return contradiction(tables_.heap_count);
    for (std::uint32_t h = 0; h < heaps; ++h) HF_CHECK_OK(read_heap(h));
    return met_;
  }

 private:
  Result<void> read_heap(std::uint32_t h) noexcept {
    const Address generations = tables_.heap_variable(h, tables_.generations);
    ephemeral_ = load<Address>(tables_.heap_variable(h, tables_.ephemeral_segment));
    ephemeral_end_ = load<Address>(tables_.heap_variable(h, tables_.alloc_allocated));
    for (std::uint8_t g = 0; g < kGenerations; ++g) {
      Address segment = load<Address>(generations + std::uint64_t{g} * tables_.generation_bytes +
                                      tables_.first_segment);
      for (; segment != 0; segment = load<Address>(segment + kNext))
        HF_CHECK_OK(read_segment(segment, g));
    }
    return {};
  }

  Result<void> read_segment(Address segment, std::uint8_t generation) noexcept {
    if (met_ == kMostHeapSegments) return make_error(ErrorCode::kTooMany, kMostHeapSegments);
    HeapSegment read;
    read.generation = generation;
    read.frozen = (load<std::uint64_t>(segment + kFlags) & kReadOnly) != 0;
    read.objects.start = load<Address>(segment + kMemory);
    read.objects.end = end_of(segment, read);
    const Address reserved = load<Address>(segment + kReserved);
    const bool sound = read.objects.start % kObjectAlignment == 0 &&
                       read.objects.end % kObjectAlignment == 0 &&
                       read.objects.start <= read.objects.end && read.objects.end <= reserved;
    if (!sound) return contradiction(segment);
    if (met_ < out_.size()) out_[met_] = read;
    ++met_;
    return {};
  }

  Address end_of(Address segment, const HeapSegment& read) const noexcept {
    if (segment == ephemeral_) return ephemeral_end_;
    if (read.frozen)
      for (const AddressRange& told : frozen_)
        if (told.start <= read.objects.start && read.objects.start <= told.end) return told.end;
    return load<Address>(segment + kAllocated);
  }

  const GcTables& tables_;
  std::span<const AddressRange> frozen_;
  std::span<HeapSegment> out_;
  std::size_t met_ = 0;
  Address ephemeral_ = 0;
  Address ephemeral_end_ = 0;
};

// In order, each once; what overlaps is no picture of a heap.
Result<std::size_t> put_in_order(std::span<HeapSegment> segments) noexcept {
  std::sort(segments.begin(), segments.end(), [](const HeapSegment& a, const HeapSegment& b) {
    return a.objects.start != b.objects.start ? a.objects.start < b.objects.start
                                              : a.generation < b.generation;
  });
  std::size_t kept = 0;
  for (const HeapSegment& segment : segments) {
    if (segment.objects.start == segment.objects.end) continue;
    if (kept > 0 && segments[kept - 1].objects.end > segment.objects.start) {
      if (segments[kept - 1].objects.start == segment.objects.start) continue;
      return contradiction(segment.objects.start);
    }
    segments[kept++] = segment;
  }
  return kept;
}

}  // namespace

Result<std::span<HeapSegment>> read_segments(const GcTables& tables,
                                             std::span<const AddressRange> frozen,
                                             Arena& arena) noexcept {
  HF_TRY(count, SegmentReader(tables, frozen, {}).read());
  HF_TRY(segments, arena.make<HeapSegment>(count));
  HF_CHECK_OK(SegmentReader(tables, frozen, segments).read());
  HF_TRY(kept, put_in_order(segments));
  return segments.first(kept);
}

const HeapSegment* find_segment(std::span<const HeapSegment> segments, Address at) noexcept {
  const auto after = std::upper_bound(
      segments.begin(), segments.end(), at,
      [](Address address, const HeapSegment& s) { return address < s.objects.start; });
  if (after == segments.begin() || !std::prev(after)->objects.holds(at)) return nullptr;
  return &*std::prev(after);
}

}  // namespace holdfast::clr
