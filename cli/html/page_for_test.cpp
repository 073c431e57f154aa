#include "cli/html/page_for_test.h"

#include <doctest/doctest.h>
#include <zlib.h>
#include <nlohmann/json.hpp>

#include <vector>

namespace holdfast::cli {
namespace {

std::string unpacked(const std::string& base64) {
  std::string bytes;
  std::uint32_t bits = 0;
  int held = 0;
  for (const char c : base64) {
    const auto digit =
        std::string_view("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
            .find(c);
    if (digit == std::string_view::npos) continue;
    bits = bits << 6 | static_cast<std::uint32_t>(digit);
    held += 6;
    if (held >= 8) bytes += static_cast<char>(bits >> (held -= 8) & 255);
  }
  std::string plain(64u << 20, '\0');
  z_stream stream{};
  stream.next_in = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(plain.data());
  stream.avail_out = static_cast<uInt>(plain.size());
  REQUIRE(inflateInit2(&stream, 16 + MAX_WBITS) == Z_OK);
  CHECK(inflate(&stream, Z_FINISH) == Z_STREAM_END);
  plain.resize(stream.total_out);
  inflateEnd(&stream);
  return plain;
}

}  // namespace

const std::string kHostileName =
    "</script><script>alert(1)</script><img src=x onerror=alert(2)>'\"&\\ \x1b[31m\xe2\x80\xa8";

std::string between(const std::string& text, const std::string& before, const std::string& after) {
  const std::size_t from = text.find(before) + before.size();
  return text.substr(from, text.find(after, from) - from);
}

std::size_t count(const std::string& text, std::string_view what) {
  std::size_t found = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
    ++found;
  return found;
}

std::string packed_of(const std::string& page) {
  return unpacked(between(page, "id=\"document\">", "</script>"));
}

Json document_of(const std::string& page) {
  Json packed = Json::parse(packed_of(page));
  std::vector<Json*> left{&packed["document"]};
  while (!left.empty()) {
    Json& value = *left.back();
    left.pop_back();
    if (value.is_string())
      value = Json(packed["texts"][std::stoul(value.get<std::string>(), nullptr, 36)]);
    if (!value.is_structured()) continue;
    for (Json& part : value) left.push_back(&part);
  }
  return packed["document"];
}

void check_policy(const std::string& page, const PageAssets& assets) {
  // The name of a language, which nobody fetches.
  constexpr std::string_view kSvg = "http://www.w3.org/2000/svg";
  CHECK(page.starts_with(kPageMark));
  const std::string policy = between(page, "Content-Security-Policy\" content=\"", "\"");
  CHECK(policy == "default-src 'none'; script-src '" + std::string(assets.script_hash) +
                      "'; style-src '" + std::string(assets.style_hash) +
                      "'; base-uri 'none'; form-action 'none'");
  CHECK(assets.script_hash.size() == std::string_view("sha256-").size() + 44);
  CHECK(between(page, "<style>", "</style>") == assets.style);
  CHECK(page.find("<script>" + std::string(assets.script) + "</script>") != std::string::npos);
  std::string rest = page;
  for (std::size_t at; (at = rest.find(kSvg)) != std::string::npos;) rest.erase(at, kSvg.size());
  for (const char* forbidden : {"://", "@import", "url(", "<img", "<link", "innerHTML", "eval("})
    CHECK_MESSAGE(rest.find(forbidden) == std::string::npos, std::string(forbidden));
}

}  // namespace holdfast::cli
