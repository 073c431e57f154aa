// Which samples are taken: the patterns of `sample-only=`, read once.
// Shape:  KIND:PATTERN joined with '+'. `class:` takes the patterns of classes that `accounts=` takes (a.b, a.b.*, *), the others a text, or its
//         beginning with '*' behind it; `*` alone is any text but none. Patterns of one kind are alternatives, kinds must all match.
//         kMostPatterns of annotations; 112 B each.
// Zone:   make(): load. The rest: any, no lock, no allocation.
// Errors: make(): kUnsupported with `error` filled: one line that names the pattern and what is allowed; kOutOfBudget.
#pragma once

#include <cstdint>
#include <string_view>

#include "common/accounts/account_patterns.h"
#include "common/annotations/annotation_texts.h"

namespace holdfast {

class SampleFilter {
 public:
  static constexpr std::size_t kMostPatterns = 64;

  // Empty text: everything passes.
  static Result<SampleFilter> make(std::string_view text, Arena& arena,
                                   PatternError& error) noexcept;

  bool looks_at_classes() const noexcept { return classes_.has_any(); }
  bool looks_at_annotations() const noexcept { return kinds_ != 0; }
  bool passes_class(std::string_view name) const noexcept {
    return !looks_at_classes() || classes_.match(name, {}) != kUnaccounted;
  }
  bool passes(const AnnotationTexts& texts) const noexcept;

 private:
  struct Pattern {
    std::uint8_t kind = 0;
    bool is_beginning = false;
    std::string_view text;
    bool matches(std::string_view whole) const noexcept;
  };

  bool add_annotation(std::string_view kind, std::string_view pattern) noexcept;
  Result<void> add_classes(std::string_view patterns, Arena& arena, PatternError& error) noexcept;

  AccountPatterns classes_;
  Pattern patterns_[kMostPatterns];
  std::size_t count_ = 0;
  std::uint32_t kinds_ = 0;  // that patterns are of
};

}  // namespace holdfast
