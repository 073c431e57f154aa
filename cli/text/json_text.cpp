#include "cli/text/json_text.h"

#include <cstdio>
#include <nlohmann/json.hpp>

#include "cli/text/display_text.h"

namespace holdfast::cli {
namespace {

void append_unit(std::string& out, std::uint32_t unit) {
  char escape[8];
  std::snprintf(escape, sizeof escape, "\\u%04x", unit & 0xFFFFu);
  out += escape;
}

void append_escaped(std::string& out, std::uint32_t point) {
  constexpr std::uint32_t kFirstPair = 0x10000, kHigh = 0xD800, kLow = 0xDC00;
  if (point < kFirstPair) return append_unit(out, point);
  const std::uint32_t offset = point - kFirstPair;
  append_unit(out, kHigh + (offset >> 10));
  append_unit(out, kLow + (offset & 0x3FFu));
}

bool plain_ascii(char c) { return c >= '\n' && c < '\x7f'; }  // the library leaves line ends alone

}  // namespace

std::string json_text(const nlohmann::ordered_json& document, int indent) {
  using Library = nlohmann::ordered_json;
  const std::string written = document.dump(indent, ' ', false, Library::error_handler_t::replace);
  std::string out;
  out.reserve(written.size());
  for (std::string_view rest = written; !rest.empty();) {
    std::size_t plain = 0;
    while (plain < rest.size() && plain_ascii(rest[plain])) ++plain;
    out += rest.substr(0, plain);
    rest.remove_prefix(plain);
    if (rest.empty()) break;
    const CodePoint point = first_code_point(rest);
    if (is_unprintable(point.value))
      append_escaped(out, point.value);
    else
      out += rest.substr(0, point.bytes);
    rest.remove_prefix(point.bytes);
  }
  return out;
}

}  // namespace holdfast::cli
