#include "analysis/name_pattern.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "analysis/lab/random.h"

using namespace holdfast::analysis;

namespace {

// The definition, by all ways to split: matching[p][n] for the tails from p and n. ASCII only.
bool slow_match(const std::string& pattern, const std::string& name) {
  std::vector<std::vector<bool>> tail(pattern.size() + 1, std::vector<bool>(name.size() + 1));
  tail[pattern.size()][name.size()] = true;
  for (std::size_t p = pattern.size(); p-- > 0;) {
    for (std::size_t n = name.size() + 1; n-- > 0;) {
      const bool has_one = n < name.size();
      if (pattern[p] == '*')
        tail[p][n] = tail[p + 1][n] || (has_one && tail[p][n + 1]);
      else
        tail[p][n] = has_one && (pattern[p] == '?' || pattern[p] == name[n]) && tail[p + 1][n + 1];
    }
  }
  return tail[0][0];
}

std::string random_text(lab::Random& random, const char* letters, std::uint32_t letter_count) {
  std::string text(random.below(9), ' ');
  for (char& c : text) c = letters[random.below(letter_count)];
  return text;
}

}  // namespace

TEST_CASE("name patterns: class names as people type them") {
  CHECK(name_matches("java.*", "java.lang.String"));
  CHECK(name_matches("java.*", "java."));
  CHECK(!name_matches("java.*", "javax.swing.JPanel"));
  CHECK(!name_matches("java.*", "my.java.Thing"));
  CHECK(name_matches("*Session", "shop.Session"));
  CHECK(!name_matches("*Session", "shop.Session[]"));
  CHECK(name_matches("*[]", "int[]"));
  CHECK(name_matches("*Map$Node?", "java.util.HashMap$NodeX"));
  CHECK(!name_matches("shop.Main", "shop.main"));
  CHECK(name_matches("", ""));
  CHECK(!name_matches("", "a"));
  CHECK(name_matches("*", ""));
  CHECK(!name_matches("?", ""));
}

TEST_CASE("name patterns: a question mark is one code point, wherever the star before it ends") {
  CHECK(name_matches("?", "\xC3\xA4"));
  CHECK(!name_matches("??", "\xC3\xA4"));
  CHECK(name_matches("a?b",
                     "a\xE2\x82\xAC"
                     "b"));
  CHECK(!name_matches("*??", "\xC3\xA4"));
  CHECK(name_matches("?", "\xFF"));
}

TEST_CASE("name patterns: random ones as the definition says") {
  lab::Random random(1);
  std::uint32_t matched = 0;
  for (int i = 0; i < 50'000; ++i) {
    const std::string pattern = random_text(random, "ab*?", 4);
    const std::string name = random_text(random, "ab", 2);
    INFO(pattern, " on ", name);
    const bool wanted = slow_match(pattern, name);
    matched += wanted ? 1 : 0;
    REQUIRE(name_matches(pattern, name) == wanted);
  }
  CHECK(matched > 5'000);
  CHECK(matched < 45'000);
}

TEST_CASE("name patterns: many stars on a long name end in time") {
  const std::string name(20'000, 'a');
  CHECK(!name_matches("*a*a*a*a*a*a*a*a*a*a*b", name));
}

TEST_CASE("name patterns: one of several is enough, none match nothing") {
  const std::string_view patterns[] = {"java.*", "jdk.*"};
  CHECK(name_matches_any(patterns, "jdk.internal.Thing"));
  CHECK(!name_matches_any(patterns, "shop.Main"));
  CHECK(!name_matches_any({}, "shop.Main"));
}
