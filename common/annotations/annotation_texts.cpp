#include "common/annotations/annotation_texts.h"

#include <algorithm>
#include <cstring>

#include "common/utf8.h"

namespace holdfast {

namespace {

// Answers whether something was cut off.
bool copy_shown(std::string_view from, char (&out)[kMaxAnnotationBytes + 1]) noexcept {
  std::size_t used = 0;
  while (!from.empty()) {
    const std::size_t step = utf8_step(from);
    const bool plain = step > 1 || (step == 1 && from[0] >= ' ' && from[0] != 0x7F);
    const std::string_view piece = plain ? from.substr(0, step) : std::string_view("?");
    if (used + piece.size() > kMaxAnnotationBytes) break;
    std::memcpy(out + used, piece.data(), piece.size());
    used += piece.size();
    from.remove_prefix(std::max<std::size_t>(step, 1));
  }
  out[used] = '\0';
  return !from.empty();
}

void append(std::string_view text, std::span<char> out, std::size_t& used) noexcept {
  std::memcpy(out.data() + used, text.data(), text.size());
  used += text.size();
}

}  // namespace

AnnotationTexts read_annotations(std::span<const char> block) noexcept {
  AnnotationTexts texts;
  std::string_view rest(block.data(), block.size());
  for (auto& text : texts.text) {
    const std::size_t end = std::min(rest.find('\0'), rest.size());
    texts.was_cut |= copy_shown(rest.substr(0, end), text);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return texts;
}

std::size_t write_annotations(const AnnotationTexts& from, std::uint32_t kinds,
                              std::span<char, kMaxAnnotationLine> out) noexcept {
  std::size_t used = 0;
  for (std::size_t i = 0; i < kAnnotationKinds; ++i) {
    const std::string_view text = from.text[i];
    if ((kinds >> i & 1u) == 0 || text.empty()) continue;
    if (used > 0) append(" ", out, used);
    append(kAnnotationWords[i], out, used);
    append("=", out, used);
    append(text, out, used);
  }
  return used;
}

}  // namespace holdfast
