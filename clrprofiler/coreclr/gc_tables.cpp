#include "clrprofiler/coreclr/gc_tables.h"

namespace holdfast::clr {

namespace {

// Words of the collector's table.
enum Word : std::uint32_t {
  kVersion = 0,  // byte 0: major
  kGenerationBytes = 1,
  kGenerationCount = 2,
  kWorkstationGenerations = 6,
  kBackgroundState = 9,
  kEphemeralSegment = 10,
  kAllocAllocated = 15,
  kFinalizeQueue = 18,
  kHeapCount = 22,
  kHeapArray = 23,
  kHandleTables = 29,
  kHeapOffsets = 30,
  kGenerationOffsets = 31,
};
constexpr std::uint32_t kWords = 32;
// Of the table of offsets in a heap, and of that in a generation: numbers of 32 bits.
enum HeapOffset : std::uint32_t {
  kHeapAllocAllocated = 0,
  kHeapEphemeralSegment = 1,
  kHeapFinalizeQueue = 2,
  kHeapGenerations = 18,
};
constexpr std::uint32_t kFirstSegmentOffset = 1;

constexpr std::uint8_t kKnownMajor = 2;
constexpr std::uint32_t kMostEntries = 64;
constexpr std::uint64_t kLeastGenerationBytes = 0x80;
constexpr std::uint64_t kMostGenerationBytes = 0x400;
constexpr std::int32_t kMostHeapOffset = 1 << 20;

class Finder {
 public:
  explicit Finder(GcTables& out) noexcept : out_(out) {}

  const char* find(Address entries) noexcept {
    for (std::uint32_t i = 0; i < kMostEntries; ++i) {
      const auto variable = read_word(entries + sizeof(Address) * i);
      if (!variable) break;
      const auto table = read_word(*variable);
      if (table && is_collector(*table)) return read_all();
    }
    return "the collector's table for debuggers";
  }

 private:
  bool is_collector(Address table) noexcept {
    for (std::uint32_t i = 0; i < kWords; ++i) {
      const auto word = read_word(table + sizeof(std::uint64_t) * i);
      if (!word) return false;
      words_[i] = *word;
    }
    return static_cast<std::uint8_t>(words_[kVersion]) == kKnownMajor &&
           words_[kVersion] <= UINT16_MAX && words_[kGenerationCount] == kGenerations &&
           words_[kGenerationBytes] >= kLeastGenerationBytes &&
           words_[kGenerationBytes] <= kMostGenerationBytes;
  }

  const char* read_all() noexcept {
    out_.generation_bytes = static_cast<std::uint32_t>(words_[kGenerationBytes]);
    out_.background_state = words_[kBackgroundState];
    out_.handle_tables = words_[kHandleTables];
    const auto segment =
        read_number(words_[kGenerationOffsets] + sizeof(std::int32_t) * kFirstSegmentOffset);
    if (!segment || *segment < 0 || static_cast<std::uint32_t>(*segment) >= out_.generation_bytes)
      return "the segments of a generation";
    out_.first_segment = static_cast<std::uint32_t>(*segment);
    if (!read_word(out_.handle_tables)) return "the handle tables";
    if (!read_number(out_.background_state)) return "the state of the collection in the background";
    return words_[kHeapCount] == 0 ? read_workstation() : read_server();
  }

  const char* read_workstation() noexcept {
    out_.alloc_allocated = words_[kAllocAllocated];
    out_.ephemeral_segment = words_[kEphemeralSegment];
    out_.finalize_queue = words_[kFinalizeQueue];
    out_.generations = words_[kWorkstationGenerations];
    for (const Address variable :
         {out_.alloc_allocated, out_.ephemeral_segment, out_.finalize_queue, out_.generations})
      if (!read_word(variable)) return "the heap of workstation GC";
    return nullptr;
  }

  const char* read_server() noexcept {
    const auto heaps = read_number(words_[kHeapCount]);
    const auto array = read_word(words_[kHeapArray]);
    if (!heaps || *heaps <= 0 || static_cast<std::uint32_t>(*heaps) > kMostHeaps || !array)
      return "the heaps of server GC";
    out_.heap_count = words_[kHeapCount];
    out_.heap_array = *array;
    if (!read_heap_offset(kHeapAllocAllocated, out_.alloc_allocated) ||
        !read_heap_offset(kHeapEphemeralSegment, out_.ephemeral_segment) ||
        !read_heap_offset(kHeapFinalizeQueue, out_.finalize_queue) ||
        !read_heap_offset(kHeapGenerations, out_.generations))
      return "where things stand in a heap of server GC";
    for (std::int32_t h = 0; h < *heaps; ++h) {
      const auto heap =
          read_word(out_.heap_array + sizeof(Address) * static_cast<std::uint32_t>(h));
      if (!heap || !read_word(*heap + out_.generations)) return "a heap of server GC";
    }
    return nullptr;
  }

  bool read_heap_offset(HeapOffset which, std::uint64_t& out) noexcept {
    const auto offset = read_number(words_[kHeapOffsets] + sizeof(std::int32_t) * which);
    if (!offset || *offset <= 0 || *offset >= kMostHeapOffset) return false;
    out = static_cast<std::uint64_t>(*offset);
    return true;
  }

  GcTables& out_;
  std::uint64_t words_[kWords] = {};
};

}  // namespace

const char* read_gc_tables(const void* table, GcTables& out) noexcept {
  out = GcTables{};
  const auto entries = reinterpret_cast<std::uintptr_t>(table);
  if (entries == 0) return "g_dacTable";
  return Finder(out).find(entries);
}

}  // namespace holdfast::clr
