#include "common/annotations/annotation_texts.h"

#include <doctest/doctest.h>

#include <string>

using namespace holdfast;

namespace {

using namespace std::string_literals;

std::string line_of(const std::string& block, std::uint32_t kinds = 0xF) {
  char line[kMaxAnnotationLine];
  const AnnotationTexts texts = read_annotations({block.data(), block.size()});
  return {line, write_annotations(texts, kinds, line)};
}

}  // namespace

TEST_CASE("a block has four texts, in the order of the kinds") {
  const std::string block = "alice\0shop\0/cart\0s1\0"s;
  const AnnotationTexts texts = read_annotations({block.data(), block.size()});
  CHECK(texts.of(AnnotationKind::kUser) == "alice");
  CHECK(texts.of(AnnotationKind::kApplication) == "shop");
  CHECK(texts.of(AnnotationKind::kRequest) == "/cart");
  CHECK(texts.of(AnnotationKind::kSession) == "s1");
  CHECK_FALSE(texts.was_cut);
  CHECK(line_of(block) == "user=alice application=shop request=/cart session=s1");
  CHECK(line_of(block, 0b0101) == "user=alice request=/cart");
}

TEST_CASE("what a block lacks is empty, and what it has too much is left out") {
  CHECK(line_of("").empty());
  CHECK(line_of("alice") == "user=alice");
  CHECK(line_of("\0\0/cart"s) == "request=/cart");
  CHECK(line_of("a\0b\0c\0d\0e\0f\0"s) == "user=a application=b request=c session=d");
}

TEST_CASE("what is too long is cut between characters, and what breaks a line is no more there") {
  const std::string longest(kMaxAnnotationBytes, 'x');
  CHECK(line_of(longest) == "user=" + longest);
  CHECK_FALSE(read_annotations({longest.data(), longest.size()}).was_cut);
  CHECK(line_of(std::string(10'000, 'x')) == "user=" + longest);
  const std::string umlauts = [] {
    std::string text;
    for (int i = 0; i < 70; ++i) text += "\u00E4";
    return text;
  }();
  CHECK(line_of("y" + umlauts) == "user=y" + umlauts.substr(0, 98));
  CHECK(read_annotations({umlauts.data(), umlauts.size()}).was_cut);
  CHECK(line_of("a\nb\x1B[2J\xFF\x80z") == "user=a?b?[2J??z");
}

TEST_CASE("a line of the longest texts fits") {
  std::string block;
  for (std::size_t i = 0; i < kAnnotationKinds; ++i)
    block += std::string(kMaxAnnotationBytes, 'x') + '\0';
  CHECK(line_of(block).size() <= kMaxAnnotationLine);
  CHECK(line_of(block).size() > kAnnotationKinds * kMaxAnnotationBytes);
}
