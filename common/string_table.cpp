#include "common/string_table.h"

#include <xxhash.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "common/utf8.h"

namespace holdfast {

namespace {

// Copies `text` to `out` (room for kMaxNameBytes), valid UTF-8, cut in the middle when it is too long.
std::size_t copy_valid(std::string_view text, char* out, std::size_t capacity) noexcept {
  std::size_t used = 0;
  while (!text.empty()) {
    const std::size_t step = utf8_step(text);
    const std::string_view piece = step == 0 ? kUtf8Replacement : text.substr(0, step);
    if (used + piece.size() > capacity) break;
    std::memcpy(out + used, piece.data(), piece.size());
    used += piece.size();
    text.remove_prefix(std::max<std::size_t>(step, 1));
  }
  return used;
}

// The first `bytes` of `text`, less what begins a code point that does not end there.
std::string_view head(std::string_view text, std::size_t bytes) noexcept {
  constexpr std::size_t kLongestCodePoint = 4;
  for (std::size_t back = 1; back < kLongestCodePoint && back <= bytes; ++back) {
    const std::size_t step = utf8_step(text.substr(bytes - back));
    if (step != 0) return text.substr(0, step > back ? bytes - back : bytes);
  }
  return text.substr(0, bytes);
}

// The last `bytes` of `text`, from the next code point on.
std::string_view tail(std::string_view text, std::size_t bytes) noexcept {
  text.remove_prefix(text.size() - bytes);
  while (!text.empty() && (static_cast<unsigned char>(text[0]) & 0xC0u) == 0x80u)
    text.remove_prefix(1);
  return text;
}

std::size_t clean_name(std::string_view text, char* out) noexcept {
  constexpr std::size_t kHalf = (StringTable::kMaxNameBytes - kEllipsis.size()) / 2;
  if (text.size() <= StringTable::kMaxNameBytes)
    return copy_valid(text, out, StringTable::kMaxNameBytes);
  std::size_t used = copy_valid(head(text, kHalf), out, kHalf);
  std::memcpy(out + used, kEllipsis.data(), kEllipsis.size());
  used += kEllipsis.size();
  return used + copy_valid(tail(text, kHalf), out + used, kHalf);
}

}  // namespace

Result<StringTable> StringTable::make(Arena& arena, std::uint32_t names,
                                      std::uint64_t text_bytes) noexcept {
  // Offsets have 32 bits: more text than they can name is never handed out.
  text_bytes = std::min<std::uint64_t>(text_bytes, UINT32_MAX);
  StringTable table;
  HF_TRY(text, arena.make<char>(text_bytes));
  HF_TRY(offset, arena.make<std::uint32_t>(std::size_t{names} + 2));
  const std::size_t slots = std::bit_ceil(std::size_t{names} * 2 + 2);
  HF_TRY(slot_array, arena.make_zeroed<std::uint32_t>(slots));
  table.text_ = text;
  table.offset_ = offset;
  table.slots_ = slot_array;
  table.offset_[0] = table.offset_[1] = 0;
  table.size_ = 1;  // the empty string
  return table;
}

Result<StringTable> StringTable::read_only_copy(Arena& arena) const noexcept {
  StringTable copy;
  HF_TRY(text, arena.make<char>(text_bytes()));
  HF_TRY(offset, arena.make<std::uint32_t>(std::size_t{size_} + 1));
  std::copy_n(text_.begin(), text.size(), text.begin());
  std::copy_n(offset_.begin(), size_ == 0 ? 0 : offset.size(), offset.begin());
  copy.text_ = text;
  copy.offset_ = offset;
  copy.size_ = size_;
  copy.dropped_ = dropped_;
  return copy;
}

StringId StringTable::intern(std::string_view raw) noexcept {
  if (raw.empty() || slots_.empty()) return StringId{0};
  char clean[kMaxNameBytes];
  const std::string_view text(clean, clean_name(raw, clean));
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = static_cast<std::size_t>(XXH3_64bits(text.data(), text.size())) & mask;
  for (; slots_[at] != 0; at = (at + 1) & mask)
    if (view(StringId{slots_[at] - 1}) == text) return StringId{slots_[at] - 1};
  const std::size_t start = offset_[size_];
  if (std::size_t{size_} + 1 >= offset_.size() || text.size() > text_.size() - start) {
    ++dropped_;
    return StringId{0};
  }
  std::memcpy(text_.data() + start, text.data(), text.size());
  offset_[size_ + 1] = static_cast<std::uint32_t>(start + text.size());
  slots_[at] = size_ + 1;
  return StringId{size_++};
}

std::string_view StringTable::view(StringId id) const noexcept {
  if (!id.valid() || id.value >= size_) return {};
  return {text_.data() + offset_[id.value], offset_[id.value + 1] - offset_[id.value]};
}

}  // namespace holdfast
