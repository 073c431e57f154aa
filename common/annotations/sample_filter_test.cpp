#include "common/annotations/sample_filter.h"

#include <doctest/doctest.h>

#include <string>

#include "common/arena_for_test.h"

using namespace holdfast;

namespace {

using namespace std::string_literals;

struct Made {
  TestArena memory{std::uint64_t{16} << 20};
  PatternError error;
  Result<SampleFilter> filter;
  explicit Made(const std::string& text)
      : filter(SampleFilter::make(text, memory.arena(), error)) {}
  bool passes(const std::string& block) const {
    return filter->passes(read_annotations({block.data(), block.size()}));
  }
};

}  // namespace

TEST_CASE("without patterns everything passes") {
  const Made made("");
  REQUIRE(made.filter);
  CHECK_FALSE(made.filter->looks_at_classes());
  CHECK_FALSE(made.filter->looks_at_annotations());
  CHECK(made.filter->passes_class("shop.Cart"));
  CHECK(made.passes(""));
}

TEST_CASE("classes are told by the patterns of accounts") {
  const Made made("class:shop.Cart+class:shop.orders.*");
  REQUIRE(made.filter);
  CHECK(made.filter->passes_class("shop.Cart"));
  CHECK(made.filter->passes_class("shop.Cart$Line"));
  CHECK(made.filter->passes_class("shop.Cart[]"));
  CHECK(made.filter->passes_class("shop.orders.deep.Order"));
  CHECK_FALSE(made.filter->passes_class("shop.Till"));
  CHECK_FALSE(made.filter->looks_at_annotations());
  CHECK(made.passes(""));
}

TEST_CASE("patterns of one kind are alternatives, and all kinds must match") {
  const Made made("user:alice+user:bob+request:/cart*");
  REQUIRE(made.filter);
  CHECK(made.filter->looks_at_annotations());
  CHECK(made.passes("alice\0\0/cart"s));
  CHECK(made.passes("bob\0\0/cart/add"s));
  CHECK_FALSE(made.passes("alice\0\0/till"s));
  CHECK_FALSE(made.passes("carol\0\0/cart"s));
  CHECK_FALSE(made.passes("alice"));
  CHECK_FALSE(made.passes("\0\0/cart"s));
  CHECK_FALSE(made.passes("alice2\0\0/cart"s));
  CHECK_FALSE(made.passes(""));
  CHECK(made.filter->passes_class("any.Class"));
}

TEST_CASE("a star alone is any text but none") {
  const Made made("session:*");
  REQUIRE(made.filter);
  CHECK(made.passes("\0\0\0s"s));
  CHECK_FALSE(made.passes("alice"));
}

TEST_CASE("the pattern that is wrong is named, with what is wanted") {
  const char* const wrong[] = {"alice",
                               "user:",
                               "user:alice++class:a",
                               "pet:cat",
                               "class:",
                               ":alice",
                               "class:a..b",
                               "class:/etc/x",
                               "class:jar:a.jar",
                               "class:a+class:a",
                               "+user:alice",
                               "user:alice+",
                               "+"};
  for (const char* const text : wrong) {
    CAPTURE(text);
    const Made made(text);
    REQUIRE_FALSE(made.filter);
    CHECK(made.filter.error().code == ErrorCode::kUnsupported);
    CHECK(std::string(made.error.text).find("sample-only=: ") == 0);
    CHECK(std::string(made.error.text).find("wanted is class:a.b") != std::string::npos);
  }
  std::string many = "user:u0";
  for (std::size_t i = 1; i <= SampleFilter::kMostPatterns; ++i)
    many += "+user:u" + std::to_string(i);
  const Made made(many);
  REQUIRE_FALSE(made.filter);
  CHECK(std::string(made.error.text).find("more than 64 patterns") != std::string::npos);
}
