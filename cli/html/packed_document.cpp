#include "cli/html/packed_document.h"

#include <zlib.h>
#include <nlohmann/json.hpp>

#include <charconv>
#include <stdexcept>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace holdfast::cli {
namespace {

class TextNumbers {
 public:
  Json number_of(const std::string& text) {
    const auto [found, added] = numbers_.try_emplace(text, texts_.size());
    if (added) texts_.push_back(text);
    char digits[16];
    const auto end = std::to_chars(std::begin(digits), std::end(digits), found->second, 36).ptr;
    return std::string(digits, end);
  }
  Json take() { return std::move(texts_); }

 private:
  std::unordered_map<std::string, std::size_t> numbers_;
  Json texts_ = Json::array();
};

// No recursion: how deep a document is was decided by somebody else.
void replace_texts(Json& document, TextNumbers& texts) {
  std::vector<Json*> left{&document};
  while (!left.empty()) {
    Json& value = *left.back();
    left.pop_back();
    if (value.is_string()) value = texts.number_of(value.get_ref<const std::string&>());
    if (!value.is_structured()) continue;
    for (Json& part : value) left.push_back(&part);
  }
}

std::string gzip(const std::string& plain) {
  constexpr int kGzipWrapper = 16 + MAX_WBITS;
  constexpr int kMostMemory = 9;
  z_stream stream{};
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzipWrapper, kMostMemory,
                   Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::runtime_error("zlib cannot start");
  std::string packed(deflateBound(&stream, plain.size()), '\0');
  // zlib's input is not const for reasons of its own age; it is only read.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(plain.data()));
  stream.avail_in = static_cast<uInt>(plain.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  const int status = deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  if (status != Z_STREAM_END) throw std::runtime_error("zlib cannot pack the document");
  return packed;
}

std::string base64(std::string_view bytes) {
  static constexpr char kDigits[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - at);
    std::uint32_t three = 0;
    for (std::size_t i = 0; i < 3; ++i)
      three = three << 8 | (i < count ? static_cast<unsigned char>(bytes[at + i]) : 0u);
    for (std::size_t i = 0; i < 4; ++i)
      text += i <= count ? kDigits[three >> (18 - 6 * i) & 63] : '=';
  }
  return text;
}

}  // namespace

Json with_texts_once(const Json& document) {
  TextNumbers texts;
  Json numbered = document;
  replace_texts(numbered, texts);
  return {{"texts", texts.take()}, {"document", std::move(numbered)}};
}

std::string packed_document(const Json& document) {
  return base64(
      gzip(with_texts_once(document).dump(-1, ' ', false, Json::error_handler_t::replace)));
}

}  // namespace holdfast::cli
