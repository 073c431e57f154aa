// Builds one sentence of evidence in a fixed buffer: text, counts with separators, bytes with a unit, shares.
// Why not snprintf: no locale, no allocation, and a cut never splits a character of UTF-8.
// Shape:  at most Evidence::kMaxText - 1 bytes; what does not fit is left out, whole piece by whole piece.
// Zone:   worker, child, offline.   Errors: none.
#pragma once

#include <cstdint>
#include <string_view>

#include "analysis/results.h"

namespace holdfast::analysis {

class Sentence {
 public:
  static constexpr std::size_t kMaxName = 90;  // of a class; longer names lose their middle

  explicit Sentence(Evidence& out) noexcept : out_(out) { out_.text[0] = '\0'; }
  Sentence& text(std::string_view piece) noexcept;
  Sentence& name(std::string_view class_name) noexcept;
  Sentence& count(std::uint64_t number) noexcept;  // 12,345
  Sentence& bytes(
      std::uint64_t number) noexcept;  // 48.2 MB (1024-based, as the command prints them)
  Sentence& share(std::uint64_t part,
                  std::uint64_t whole) noexcept;  // 12 %, 7.2 %, less than 0.1 %

 private:
  Sentence& one_decimal(double number) noexcept;

  Evidence& out_;
  std::size_t size_ = 0;
};

}  // namespace holdfast::analysis
