#include "analysis/import/ibm_text_lines.h"

#include <algorithm>
#include <charconv>

namespace holdfast::analysis {
namespace {

constexpr std::size_t kSniffedBytes = std::size_t{64} << 10;
constexpr std::string_view kVersion = "// Version:";
constexpr std::string_view kEnd = "// EOF:";
constexpr std::string_view kHash = " [hashcode = ";

bool is_blank(char c) noexcept { return c == ' ' || c == '\t' || c == '\r'; }

std::string_view without_end_blanks(std::string_view text) noexcept {
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

bool take_prefix(std::string_view& text, std::string_view prefix) noexcept {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

}  // namespace

bool take_address(std::string_view& text, std::uint64_t& address) noexcept {
  constexpr std::ptrdiff_t kMostDigits = 16;
  if (!text.starts_with("0x") && !text.starts_with("0X")) return false;
  const char* const begin = text.data() + 2;
  const char* const end = text.data() + text.size();
  const auto [behind, error] = std::from_chars(begin, end, address, 16);
  if (error != std::errc() || behind - begin > kMostDigits) return false;
  if (behind != end && !is_blank(*behind)) return false;
  text.remove_prefix(static_cast<std::size_t>(behind - text.data()));
  return true;
}

bool parse_object_line(std::string_view rest, IbmObjectLine& line) noexcept {
  if (!take_prefix(rest, "[")) return false;
  const char* const end = rest.data() + rest.size();
  const auto [behind, error] = std::from_chars(rest.data(), end, line.shallow_bytes);
  if (error != std::errc() || behind == end || *behind != ']') return false;
  rest.remove_prefix(static_cast<std::size_t>(behind - rest.data()) + 1);
  rest = without_end_blanks(skip_blanks(rest));
  line.class_object = take_prefix(rest, "CLS ") || take_prefix(rest, "class ");
  if (!line.class_object) take_prefix(rest, "OBJ ");
  if (rest.ends_with(']'))
    if (const std::size_t hash = rest.rfind(kHash); hash != std::string_view::npos)
      rest = rest.substr(0, hash);
  line.kind = without_end_blanks(skip_blanks(rest)).substr(0, kMostKindBytes);
  return !line.kind.empty();
}

bool parse_end_comment(std::string_view comment, std::uint64_t& objects) noexcept {
  if (!take_prefix(comment, kEnd)) return false;
  const std::size_t colon = comment.rfind(':');
  if (colon == std::string_view::npos) return false;
  comment = skip_blanks(comment.substr(colon + 1));
  return std::from_chars(comment.data(), comment.data() + comment.size(), objects).ec ==
         std::errc();
}

bool looks_like_ibm_text(std::span<const std::byte> first_bytes) noexcept {
  std::string_view text(reinterpret_cast<const char*>(first_bytes.data()),
                        std::min(first_bytes.size(), kSniffedBytes));
  bool has_version = false;
  while (!text.empty()) {
    std::string_view line = skip_blanks(take_line(text));
    if (line.empty()) continue;
    if (line.starts_with("//")) {
      has_version = has_version || line.starts_with(kVersion);
      continue;
    }
    IbmObjectLine object;
    return take_address(line, object.address) && parse_object_line(skip_blanks(line), object);
  }
  return has_version;
}

}  // namespace holdfast::analysis
