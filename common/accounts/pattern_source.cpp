#include "common/accounts/pattern_source.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "common/options.h"
#include "common/shown_text.h"
#include "platforms/file.h"

namespace holdfast {

namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::string_view kSpace = " \t\r\v\f";

std::string_view trimmed(std::string_view text) noexcept {
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

}  // namespace

Result<void> AccountPatterns::Source::open(std::string_view value, Arena& arena,
                                           PatternError& error) noexcept {
  value_ = value;
  is_file_ = !value.empty() && (value[0] == '/' || value[0] == '.');
  if (is_file_) {
    HF_CHECK_OK(read(arena, error));
  } else {
    HF_TRY(kept, arena.make<char>(value.size()));
    std::copy(value.begin(), value.end(), kept.begin());
    text_ = {kept.data(), kept.size()};
  }
  rest_ = text_;
  return {};
}

Result<void> AccountPatterns::Source::read(Arena& arena, PatternError& error) noexcept {
  char path[kMaxOptionText];
  if (value_.size() >= sizeof path) return refuse_all(error, "the path is too long");
  std::memcpy(path, value_.data(), value_.size());
  path[value_.size()] = '\0';
  HF_TRY(room, arena.make<char>(kMaxPatternFileBytes + 1));
  const std::int64_t got = platforms::read_small_file(path, room.data(), room.size());
  if (got < 0) {
    char why[128];
    std::snprintf(why, sizeof why, "this file cannot be read (%s)",
                  std::strerror(static_cast<int>(-got)));
    return refuse_all(error, why);
  }
  if (static_cast<std::size_t>(got) > kMaxPatternFileBytes)
    return refuse_all(error, "this file is larger than 2 MB");
  const std::span<char> kept = arena.shrink_last(room, static_cast<std::size_t>(got));
  text_ = {kept.data(), kept.size()};
  if (text_.substr(0, kByteOrderMark.size()) == kByteOrderMark)
    text_.remove_prefix(kByteOrderMark.size());
  return {};
}

std::uint32_t AccountPatterns::Source::most_patterns() const noexcept {
  const auto marks = std::count(text_.begin(), text_.end(), is_file_ ? '\n' : '+');
  return static_cast<std::uint32_t>(std::min<std::ptrdiff_t>(marks + 1, kMaxAccounts));
}

std::string_view AccountPatterns::Source::take_piece() noexcept {
  const std::size_t end = rest_.find(is_file_ ? '\n' : '+');
  std::string_view piece = rest_.substr(0, end);
  at_end_ = end == std::string_view::npos;
  if (!at_end_) rest_.remove_prefix(end + 1);
  ++line_;
  return trimmed(is_file_ ? piece.substr(0, piece.find('#')) : piece);
}

bool AccountPatterns::Source::next(std::string_view& piece) noexcept {
  while (!at_end_) {
    piece = take_piece();
    if (!is_file_ || !piece.empty()) return true;
  }
  return false;
}

Error AccountPatterns::Source::refuse(PatternError& error, std::string_view piece,
                                      const char* why) const noexcept {
  if (is_file_)
    std::snprintf(error.text, sizeof error.text, "accounts=%s: line %u: %s: %s",
                  ShownText(value_).text, line_, ShownText(piece).text, why);
  else
    std::snprintf(error.text, sizeof error.text, "accounts=%s: %s: %s", ShownText(value_).text,
                  piece.empty() ? "(nothing between two '+')" : ShownText(piece).text, why);
  return make_error(ErrorCode::kUnsupported, line_);
}

Error AccountPatterns::Source::refuse_all(PatternError& error, const char* why) const noexcept {
  std::snprintf(error.text, sizeof error.text, "accounts=%s: %s", ShownText(value_).text, why);
  return make_error(ErrorCode::kUnsupported, line_);
}

}  // namespace holdfast
