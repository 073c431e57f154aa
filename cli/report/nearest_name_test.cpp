#include "cli/report/nearest_name.h"

#include <doctest/doctest.h>

#include <array>
#include <string>
#include <vector>

using namespace holdfast;
using namespace holdfast::cli;

TEST_CASE("nearest name: a slip of the finger, the wrong package, the wrong case, nothing near") {
  const std::vector<std::string_view> names = {"com.acme.Session", "com.acme.SessionStore",
                                               "java.lang.String", "byte[]"};
  CHECK(nearest_name("com.acme.Sesion", names) == "com.acme.Session");
  CHECK(nearest_name("org.other.Session", names) == "com.acme.Session");
  CHECK(nearest_name("JAVA.LANG.STRING", names) == "java.lang.String");
  CHECK(nearest_name("Strnig", names) == "java.lang.String");
  CHECK(nearest_name("*SessionStor*", names) == "com.acme.SessionStore");
  CHECK(nearest_name("bytes[]", names) == "byte[]");
  CHECK(nearest_name("Customer", names).empty());
  CHECK(nearest_name("Version", names).empty());
  CHECK(nearest_name("", names).empty());
  CHECK(nearest_name("x", {}).empty());
  const std::string longest(10'000, 'x');
  CHECK(nearest_name(longest + "y", std::vector<std::string_view>{longest}) == longest);
}

TEST_CASE("nearest word: one edit in three letters, and none that is no nearer than another") {
  const std::array<std::string_view, 5> words = {"dump", "report", "ps", "detach", "diff"};
  CHECK(nearest_word("repotr", words) == "report");
  CHECK(nearest_word("dmp", words) == "dump");
  CHECK(nearest_word("DETATCH", words) == "detach");
  CHECK(nearest_word("dif", words) == "diff");
  CHECK(nearest_word("histogram", words).empty());
  CHECK(nearest_word("", words).empty());
  CHECK(nearest_word("xx", words).empty());
  CHECK(nearest_word(std::string(100'000, 'd'), words).empty());
}
