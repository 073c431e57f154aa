#include "common/annotations/sample_filter.h"

#include <algorithm>
#include <cstdio>

#include "common/shown_text.h"

namespace holdfast {

namespace {

constexpr std::string_view kClassWord = "class";
constexpr char kWanted[] =
    "wanted is class:a.b (a package or class), class:a.b.*, user:TEXT, application:TEXT, "
    "request:TEXT or session:TEXT, where a * at the end of TEXT stands for any end";

Error refuse(std::string_view piece, const char* why, PatternError& error) noexcept {
  std::snprintf(error.text, sizeof error.text, "sample-only=: %s: %s", ShownText(piece).text, why);
  return make_error(ErrorCode::kUnsupported);
}

}  // namespace

bool SampleFilter::Pattern::matches(std::string_view whole) const noexcept {
  if (!is_beginning) return whole == text;
  return !whole.empty() && whole.substr(0, text.size()) == text;
}

bool SampleFilter::add_annotation(std::string_view kind, std::string_view pattern) noexcept {
  const auto* const word =
      std::find(std::begin(kAnnotationWords), std::end(kAnnotationWords), kind);
  if (word == std::end(kAnnotationWords)) return false;
  Pattern& added = patterns_[count_++];
  added.kind = static_cast<std::uint8_t>(word - kAnnotationWords);
  added.is_beginning = pattern.back() == '*';
  added.text = pattern.substr(0, pattern.size() - (added.is_beginning ? 1 : 0));
  kinds_ |= 1u << added.kind;
  return true;
}

// No file, and nothing but classes.
Result<void> SampleFilter::add_classes(std::string_view patterns, Arena& arena,
                                       PatternError& error) noexcept {
  if (patterns.empty()) return {};
  PatternError why;
  const bool odd =
      patterns[0] == '/' || patterns[0] == '.' || patterns.find(':') != std::string_view::npos;
  if (odd) return refuse(patterns, kWanted, error);
  Result<AccountPatterns> made = AccountPatterns::make(patterns, arena, why);
  if (made) return classes_ = *made, Result<void>();
  return why.text[0] == '\0' ? made.error() : refuse(patterns, kWanted, error);
}

Result<SampleFilter> SampleFilter::make(std::string_view text, Arena& arena,
                                        PatternError& error) noexcept {
  SampleFilter filter;
  if (text.empty()) return filter;
  if (text.back() == '+') return refuse(text, kWanted, error);
  HF_TRY(kept, arena.make<char>(text.size()));
  HF_TRY(classes, arena.make<char>(text.size()));
  std::copy(text.begin(), text.end(), kept.begin());
  std::size_t used = 0;
  for (std::string_view rest(kept.data(), kept.size()); !rest.empty();) {
    const std::string_view piece = rest.substr(0, rest.find('+'));
    rest.remove_prefix(std::min(piece.size() + 1, rest.size()));
    const std::size_t colon = std::min(piece.find(':'), piece.size());
    const std::string_view pattern = piece.substr(std::min(colon + 1, piece.size()));
    if (pattern.empty()) return refuse(piece, kWanted, error);
    if (piece.substr(0, colon) == kClassWord) {
      if (used > 0) classes[used++] = '+';
      std::copy(pattern.begin(), pattern.end(), &classes[used]);
      used += pattern.size();
    } else if (filter.count_ == kMostPatterns) {
      return refuse(piece, "there are more than 64 patterns", error);
    } else if (!filter.add_annotation(piece.substr(0, colon), pattern)) {
      return refuse(piece, kWanted, error);
    }
  }
  HF_CHECK_OK(filter.add_classes({classes.data(), used}, arena, error));
  return filter;
}

bool SampleFilter::passes(const AnnotationTexts& texts) const noexcept {
  std::uint32_t matched = 0;
  for (std::size_t i = 0; i < count_; ++i)
    if (patterns_[i].matches(texts.text[patterns_[i].kind])) matched |= 1u << patterns_[i].kind;
  return matched == kinds_;
}

}  // namespace holdfast
