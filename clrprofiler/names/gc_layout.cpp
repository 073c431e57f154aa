#include "clrprofiler/names/gc_layout.h"

#include <cstring>

namespace holdfast::clr {

namespace {

constexpr std::uint32_t kHasComponents = 0x80000000u;
constexpr std::uint32_t kHasReferences = 0x01000000u;
constexpr std::uint32_t kCollectible = 0x00200000u;
constexpr std::uint32_t kMaxBaseBytes = 1u << 28;
constexpr std::int64_t kMaxSeries = 4096;
constexpr std::uintptr_t kWord = 8;

template <class T>
T word_at(std::uintptr_t address) noexcept {
  T word;
  std::memcpy(&word, reinterpret_cast<const void*>(address), sizeof word);
  return word;
}

class Offsets {
 public:
  explicit Offsets(std::span<std::uint32_t> room) noexcept : room_(room) {}
  bool add(std::uint64_t first, std::uint64_t count) noexcept {
    if (count > room_.size() - used_) return false;
    for (std::uint64_t i = 0; i < count; ++i)
      room_[used_++] = static_cast<std::uint32_t>(first + i * kWord);
    return true;
  }
  std::span<const std::uint32_t> all() const noexcept { return room_.first(used_); }

 private:
  std::span<std::uint32_t> room_;
  std::size_t used_ = 0;
};

Error no_sense(ClassID id) noexcept {
  return make_error(ErrorCode::kInconsistent, static_cast<std::int64_t>(id));
}

// A series: its length less the base size, and where it begins. The first stands nearest to the table.
Result<void> read_series(ClassID id, std::int64_t count, std::uint32_t base,
                         Offsets& out) noexcept {
  for (std::int64_t i = 0; i < count; ++i) {
    const std::uintptr_t at = id - kWord - 2 * kWord * static_cast<std::uintptr_t>(i + 1);
    const std::int64_t bytes = word_at<std::int64_t>(at) + base;
    const auto start = word_at<std::uint64_t>(at + kWord);
    if (bytes <= 0 || bytes > base || bytes % std::int64_t{kWord} != 0 || start % kWord != 0 ||
        start < kWord || start + static_cast<std::uint64_t>(bytes) + kWord > base)
      return no_sense(id);
    if (!out.add(start, static_cast<std::uint64_t>(bytes) / kWord))
      return make_error(ErrorCode::kTooMany, bytes);
  }
  return {};
}

// One element of an array of structs: so many references, so many bytes without, again and again.
Result<void> read_element(ClassID id, std::int64_t items, std::uint32_t element_bytes,
                          Offsets& out) noexcept {
  std::uint64_t offset = 0;
  for (std::int64_t i = 0; i < items; ++i) {
    const std::uintptr_t at = id - 3 * kWord - kWord * static_cast<std::uintptr_t>(i);
    const std::uint64_t references = word_at<std::uint32_t>(at);
    const std::uint64_t skipped = word_at<std::uint32_t>(at + 4);
    if (references == 0 || (references * kWord) + skipped > element_bytes) return no_sense(id);
    if (!out.add(offset, references)) return make_error(ErrorCode::kTooMany, items);
    offset += references * kWord + skipped;
  }
  return offset == element_bytes ? Result<void>{} : no_sense(id);
}

}  // namespace

Result<GcLayout> read_gc_layout(ClassID id, std::span<std::uint32_t> room) noexcept {
  if (sizeof(void*) != kWord || id == 0 || id % kWord != 0)
    return make_error(ErrorCode::kUnsupported);
  const auto flags = word_at<std::uint32_t>(id);
  GcLayout layout;
  layout.base_bytes = word_at<std::uint32_t>(id + 4);
  if (layout.base_bytes < 2 * kWord || layout.base_bytes > kMaxBaseBytes) return no_sense(id);
  if ((flags & kHasComponents) != 0) layout.element_bytes = flags & 0xFFFFu;
  layout.collectible = (flags & kCollectible) != 0;
  if ((flags & kHasReferences) == 0) return layout;
  const auto count = word_at<std::int64_t>(id - kWord);
  if (count == 0 || count > kMaxSeries || count < -kMaxSeries) return no_sense(id);
  Offsets offsets(room);
  // The single series of an array of references is as long as the array: its length less the base size says nothing here.
  if (count > 0 && layout.element_bytes != 0) {
    if (count != 1 || layout.element_bytes != kWord || !offsets.add(0, 1)) return no_sense(id);
  } else if (count > 0) {
    HF_CHECK_OK(read_series(id, count, layout.base_bytes, offsets));
  } else {
    HF_CHECK_OK(read_element(id, -count, layout.element_bytes, offsets));
  }
  layout.offsets = offsets.all();
  return layout;
}

}  // namespace holdfast::clr
