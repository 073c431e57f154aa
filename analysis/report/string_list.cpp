#include "analysis/report/string_list.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "analysis/checksum.h"
#include "analysis/report/utf8.h"
#include "common/text_tail.h"
#include "common/utf8.h"

namespace holdfast::analysis {
namespace {

constexpr std::size_t kOffsetBytes = 4;
constexpr std::size_t kFrontBytes = (kMaxReportNameBytes - kEllipsis.size()) / 2;
constexpr std::size_t kEndBytes = kMaxReportNameBytes - kEllipsis.size() - kFrontBytes;

// Length word, text and terminator rounded up to 4, and the offset in the list of strings.
std::uint64_t encoded_text_bytes(std::string_view text) noexcept {
  const std::size_t length = std::min(text.size(), kMaxReportNameBytes);
  return kOffsetBytes + (length + 1 + 3) / 4 * 4 + kOffsetBytes;
}

std::uint64_t hash(std::string_view text) noexcept {
  return checksum(std::as_bytes(std::span(text.data(), text.size())));
}

// Paths, host names and the like may be anything; what is no UTF-8 keeps its ASCII.
std::string_view ascii_only(std::string_view text, char* out) noexcept {
  const std::size_t length = std::min(text.size(), kMaxReportNameBytes);
  for (std::size_t i = 0; i < length; ++i)
    out[i] = static_cast<unsigned char>(text[i]) < 0x80 ? text[i] : '?';
  return {out, length};
}

std::string_view without_middle(std::string_view text, char* out) noexcept {
  const std::size_t front = whole_characters(text, kFrontBytes);
  std::size_t end_start = text.size() - kEndBytes;
  while (end_start < text.size() && whole_characters(text, end_start) != end_start) ++end_start;
  const std::string_view end = text_tail(text, end_start);
  std::memcpy(out, text.data(), front);
  std::memcpy(out + front, kEllipsis.data(), kEllipsis.size());
  std::memcpy(out + front + kEllipsis.size(), end.data(), end.size());
  return {out, front + kEllipsis.size() + end.size()};
}

}  // namespace

Result<StringList> StringList::make(Arena& arena, std::uint32_t capacity) noexcept {
  StringList list;
  const std::uint32_t entries = capacity + 2;  // "" and "…"
  HF_TRY(texts, arena.make<std::string_view>(entries));
  HF_TRY(slots, arena.make_filled<std::uint32_t>(std::bit_ceil(std::size_t{entries} * 2), 0));
  list.texts_ = texts;
  list.slots_ = slots;
  list.limit_bytes_ = UINT64_MAX;
  list.add("");
  return list;
}

std::uint32_t StringList::add(std::string_view text) noexcept {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = static_cast<std::size_t>(hash(text)) & mask;
  while (slots_[slot] != 0) {
    if (texts_[slots_[slot] - 1] == text) return slots_[slot] - 1;
    slot = (slot + 1) & mask;
  }
  const bool last_entry = size_ + 1 >= texts_.size();  // kept for "…"
  if (last_entry || encoded_bytes_ + encoded_text_bytes(text) > limit_bytes_) {
    ++cut_;
    return placeholder();
  }
  if (text.size() > kMaxReportNameBytes) ++cut_;
  return append(text, slot);
}

std::uint32_t StringList::append(std::string_view text, std::size_t slot) noexcept {
  texts_[size_] = text;
  encoded_bytes_ += encoded_text_bytes(text);
  slots_[slot] = ++size_;
  return size_ - 1;
}

// Not in the hash table: it may be asked for when that is as full as it gets.
std::uint32_t StringList::placeholder() noexcept {
  if (placeholder_ == 0) {
    texts_[size_] = kEllipsis;
    encoded_bytes_ += encoded_text_bytes(kEllipsis);
    placeholder_ = size_++;
  }
  return placeholder_;
}

std::string_view StringList::text(std::uint32_t id,
                                  std::span<char, kMaxReportNameBytes> buffer) const noexcept {
  const std::string_view whole = texts_[id];
  if (!valid_utf8(whole)) return ascii_only(whole, buffer.data());
  return whole.size() <= kMaxReportNameBytes ? whole : without_middle(whole, buffer.data());
}

}  // namespace holdfast::analysis
