// What a thread says of itself: whose work it does. Four short texts, each of a kind.
// Shape:  from the application comes a block: the four texts in the order of the kinds, UTF-8, each ended by a zero byte; what is missing is
//         empty. Kept are kMaxAnnotationBytes of each, cut between characters; what cannot be shown on a line (control characters, bytes
//         that are no UTF-8) becomes '?'.
// Zone:   any; no allocation.   Errors: none; was_cut tells that a text was too long.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace holdfast {

enum class AnnotationKind : std::uint8_t { kUser, kApplication, kRequest, kSession };
inline constexpr std::size_t kAnnotationKinds = 4;
inline constexpr std::string_view kAnnotationWords[kAnnotationKinds] = {"user", "application",
                                                                        "request", "session"};

inline constexpr std::size_t kMaxAnnotationBytes = 100;

struct AnnotationTexts {
  char text[kAnnotationKinds][kMaxAnnotationBytes + 1] = {};
  bool was_cut = false;

  std::string_view of(AnnotationKind kind) const noexcept {
    return text[static_cast<std::size_t>(kind)];
  }
};

AnnotationTexts read_annotations(std::span<const char> block) noexcept;

// "user=alice request=/cart" of the kinds whose bit (1 << kind) is set, those that are empty left out.
inline constexpr std::size_t kMaxAnnotationLine = kAnnotationKinds * (kMaxAnnotationBytes + 16);
std::size_t write_annotations(const AnnotationTexts& from, std::uint32_t kinds,
                              std::span<char, kMaxAnnotationLine> out) noexcept;

}  // namespace holdfast
